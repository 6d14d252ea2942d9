"""Files of operator schemas read as modules that define the operators."""

from __future__ import annotations

import ast

import pytest

from syncbot.contracts.configured_facts import SchemaFile
from syncbot.contracts.operators.registrations import operators
from syncbot.contracts.operators.schema_files import as_python

FILE = SchemaFile("toy/native.yaml", "toy", ("custom", "autograd"), ("toy",))

TEXT = """\
backend: NPU
supported:
- func: add
custom:
- func: gate(Tensor x, int k, *, Tensor? bias=None, int[4] dilation=[1,1,1,1]) -> (Tensor, Tensor)
  impl_ns: op_api
- exposed: true
  func: cast.Tensor(Tensor self, Tensor dst) -> Tensor
autograd:
- norm(Tensor self, float
    epsilon=1e-06) -> Tensor
"""


def test_each_schema_is_a_definition_on_its_line() -> None:
    found = operators(as_python(TEXT.encode(), FILE))
    assert [(o.name, o.line, o.results) for o in found] == [
        ("toy::gate", 5, "(Tensor, Tensor)"),
        ("toy::cast.Tensor", 8, "Tensor"),
        ("toy::norm", 10, "Tensor"),
    ]
    gate = found[0].parameters
    assert gate is not None
    assert [(p.name, p.kind, p.default) for p in gate] == [
        ("x", "any", None),
        ("k", "any", None),
        ("bias", "key", "None"),
        ("dilation", "key", "[1,1,1,1]"),
    ]


@pytest.mark.parametrize("text", ["", "custom:\n", "- a\n- b\n", "custom: {a: b}\n", "custom:\n- [1, 2]\n"])
def test_a_file_without_schemas_is_an_empty_module(text: str) -> None:
    assert operators(as_python(text.encode(), FILE)) == ()


@pytest.mark.parametrize("text", [b"custom: [\n", b"\xff\xfe\x00", b"[" * 5000])
def test_what_is_no_yaml_is_no_python_either(text: bytes) -> None:
    with pytest.raises((SyntaxError, ValueError, MemoryError, RecursionError)):
        ast.parse(as_python(text, FILE))


def test_a_schema_cannot_say_more_than_a_string() -> None:
    text = "custom:\n- \"a(Tensor x) -> ()')\\nimport os; os.system('true') #\"\n"
    tree = ast.parse(as_python(text.encode(), FILE))
    assert [type(node).__name__ for node in tree.body] == ["Expr"]
