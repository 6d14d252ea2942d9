"""Functions that made context managers, and give something else now."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

HEAD = "from contextlib import asynccontextmanager, contextmanager\n"
OLD = HEAD + "@contextmanager\ndef ctx():\n    yield\n"
LATER = HEAD + "@asynccontextmanager\nasync def ctx():\n    yield\n"
WITH = "from lib.a import ctx\ndef g(stack):\n    with ctx():\n        pass\n"
STACK = "from lib.a import ctx\ndef g(stack):\n    stack.enter_context(ctx())\n"
TOLD = ["return-kind-changed lib.a.ctx breaks 3"]


@pytest.mark.parametrize("body", [WITH, STACK])
@pytest.mark.parametrize(
    "new",
    [
        "def ctx():\n    return 1\n",
        "def ctx():\n    yield\n",
        "def ctx() -> list[int]: ...\n",
        "class C: ...\ndef ctx() -> C: ...\n",
    ],
)
def test_it_cannot_be_entered(new: str, body: str) -> None:
    assert compare(OLD, new, body) == TOLD


def test_it_is_entered_otherwise() -> None:
    body = WITH.replace("def", "async def").replace("with", "async with")
    assert compare(LATER, OLD, body) == TOLD
    assert compare(LATER, "async def ctx():\n    return 1\n", body) == TOLD
    assert " breaks " in compare(OLD, LATER, WITH)[0]


@pytest.mark.parametrize(
    "new",
    [
        "def ctx():\n    return other()\n",
        "@anything\ndef ctx():\n    return 1\n",
        "class C:\n    def __enter__(self): ...\n    def __exit__(self, *a): ...\ndef ctx() -> C: ...\n",
        "class ctx:\n    def __enter__(self): ...\n    def __exit__(self, *a): ...\n",
        "from torch import C\ndef ctx() -> C: ...\n",
        "class C(Base): ...\ndef ctx() -> C: ...\n",
        "def ctx():\n    raise NotImplementedError\n",
        "import contextlib\n@contextlib.contextmanager\ndef ctx():\n    yield 2\n",
    ],
)
def test_it_may_be_entered(new: str) -> None:
    assert [row for row in compare(OLD, new, WITH) if row.startswith("return-kind-changed")] == []
