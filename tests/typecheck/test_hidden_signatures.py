from __future__ import annotations

import ast
from pathlib import Path

import pytest

from syncbot.typecheck.hidden_signatures import blank_decorators


@pytest.mark.parametrize(
    "decorator",
    ["@torch.inference_mode()", "@traced", "@span(name='a(b)', level=2)  # why", "@torch.no_grad()"],
)
def test_signature_keeping_decorators_become_comments(decorator: str) -> None:
    source = f"class A:\n    {decorator}\n    def f(self): ...\n"
    assert blank_decorators(source.encode()) == b"class A:\n    #\n    def f(self): ...\n"


@pytest.mark.parametrize(
    "decorator",
    ["@property", "@x.setter", "@abc.abstractmethod", "@functools.lru_cache(maxsize=1)", "@triton.jit",
     "@dataclass_transform()", "@field_validator('a')"],
)  # fmt: skip
def test_decorators_that_change_what_a_function_is_stay(decorator: str) -> None:
    source = f"class A:\n    {decorator}\n    def f(self): ...\n".encode()
    assert blank_decorators(source) == source


def test_decorators_of_classes_stay_and_stacks_are_seen_one_by_one() -> None:
    source = b"@config\nclass A:\n    @traced\n    @property\n    async def f(self): ...\n"
    assert (
        blank_decorators(source) == b"@config\nclass A:\n    #\n    @property\n    async def f(self): ...\n"
    )


@pytest.mark.long
def test_every_definition_of_the_project_stays_on_its_line() -> None:
    for path in Path("syncbot").rglob("*.py"):
        before = path.read_bytes()
        after = blank_decorators(before)
        assert [(n.name, n.lineno) for n in _functions(before)] == [
            (n.name, n.lineno) for n in _functions(after)
        ]


def _functions(source: bytes) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
