"""The interface table of a module: what it holds, and that no text makes the extractor fail."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.api.extract import extract
from syncbot.api.model import Class, ModuleTable


def table(text: str) -> ModuleTable:
    return extract(text.encode())


def only_class(text: str) -> Class:
    (found,) = table(text).classes
    return found


def test_conditions_are_kept_with_what_they_guard() -> None:
    found = table(
        "if A:\n    x = 1\nelse:\n    def f(): ...\n"
        "try:\n    import m\nexcept ImportError:\n    class C: ...\n"
    )
    assert found.variables[0].guards == ("if A",)
    assert found.functions[0].guards == ("else A",)
    assert found.imports[0].guards == ("try ImportError",)
    assert found.classes[0].guards == ("except ImportError",)


def test_attributes_of_instances_say_where_and_when_they_are_set() -> None:
    found = only_class(
        "class C:\n    a: int = 1\n    def __init__(self, p):\n        self.b: str = p\n"
        "        if p:\n            self.c, (self.d, *self.e) = p\n        for self.f in p: ...\n"
        "        self.register_buffer('g', None)\n    @staticmethod\n    def s(self):\n        self.no = 1\n"
    )
    shown = {(a.name, a.origin, a.guards) for a in found.attributes}
    assert shown == {
        ("a", "", ()),
        ("b", "__init__", ()),
        ("c", "__init__", ("if p",)),
        ("d", "__init__", ("if p",)),
        ("e", "__init__", ("if p",)),
        ("f", "__init__", ()),
        ("g", "__init__", ()),
    }


def test_results_abstract_methods_and_generators() -> None:
    found = table(
        "@abstractmethod\ndef a(): ...\ndef b():\n    raise NotImplementedError\n"
        "def c():\n    yield 1\ndef d(x):\n    if x:\n        return 1, 2\n    return None\n"
        "async def e():\n    def inner():\n        return 1, 2, 3\n    return inner()\n"
    )
    a, b, c, d, e = found.functions
    assert (a.abstract, b.unimplemented, c.is_generator, e.is_async) == (True, True, True, True)
    assert d.returned == ("none", "tuple[2]")
    assert e.returned == ("call inner",)


def test_layout_and_comments_do_not_change_a_body() -> None:
    one = table("def f(a):\n    '''What it is.'''\n    return g(a, 1)  # why\n").functions[0]
    two = table(
        "def f(a):\n    '''Something else.'''\n    # because\n    return g(\n        a, 1)\n"
    ).functions[0]
    other = table("def f(a):\n    return g(a, 2)\n").functions[0]
    assert one.body == two.body != other.body


@pytest.mark.parametrize(
    "text",
    [
        b"def f(:\n",
        b"\x00",
        b"# coding: nonsense\nx = 1\n",
        b"x = '\xff\xfe'\n",
        b"type X[T] = list[T\n",
        b"(" * 100_000,
        b"x = " + b"-" * 200_000 + b"1\n",
    ],
    ids=["syntax", "null", "coding", "bytes", "new syntax", "parentheses", "deep"],
)
def test_what_does_not_parse_is_a_problem_and_nothing_else(text: bytes) -> None:
    found = extract(text)
    assert found.problem
    assert found == ModuleTable(problem=found.problem)


def test_byte_order_marks_and_declared_encodings_are_read() -> None:
    assert extract(b"\xef\xbb\xbfx = 1\n").variables[0].name == "x"
    assert extract("# coding: latin-1\nx = 'é'\n".encode("latin-1")).variables[0].value == "'é'"


def test_a_generated_file_of_two_megabytes() -> None:
    text = "\n".join(f"def f{i}(a, b={i}):\n    return [{i}] * 3" for i in range(45_000))
    assert len(text) > 2_000_000
    assert len(table(text).functions) == 45_000


@given(st.binary(max_size=300))
def test_no_bytes_make_it_fail(text: bytes) -> None:
    assert extract(text) == extract(text)


def test_every_file_of_the_standard_library() -> None:
    folder = Path(sysconfig.get_path("stdlib"))
    encoded = msgspec.msgpack.Encoder()
    decoded = msgspec.msgpack.Decoder(ModuleTable)
    count = 0
    for path in sorted(folder.rglob("*.py")):
        if "site-packages" in path.parts or "test" in path.parts:
            continue
        text = path.read_bytes()
        found = extract(text)
        count += 1
        assert decoded.decode(encoded.encode(found)) == found
        assert (found.problem is None) is _parses(text), path
    assert count > 300


def _parses(text: bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            return False
    return True
