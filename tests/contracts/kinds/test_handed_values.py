"""Values of upstream that go straight to a function which declares another type."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
from dataclasses import dataclass
from torch import Tensor


@dataclass
class Output:
    blocks: int


class Runner:
    def run(self) -> Tensor: ...

    def sample(self, hidden: Tensor): ...
"""
FIELD = """
from lib.a import Output


def length(size: int, blocks: int) -> int:
    return blocks * size


def use(output: Output):
    return length(4, output.blocks)
"""
KEYWORD = FIELD.replace("length(4, output", "length(4, blocks=output")
METHOD = """
from lib.a import Output


class Mine:
    def length(self, blocks: int) -> int: ...

    def use(self, output: Output):
        return self.length(output.blocks)
"""
RESULT = "from lib.a import Runner\n\n\ndef use(runner: Runner):\n    runner.sample(runner.run())\n"
LIST = OLD.replace("blocks: int", "blocks: list[int]")
TUPLE = OLD.replace("def run(self) -> Tensor", "def run(self) -> tuple[Tensor, Tensor]")


@pytest.mark.parametrize(
    ("backend", "line"),
    [(FIELD, 9), (KEYWORD, 9), (METHOD, 8), (FIELD.replace("blocks: int)", "blocks: 'int | None')"), 9)],
)
def test_a_field_of_another_nature_is_handed_on(backend: str, line: int) -> None:
    assert f"field-type-changed lib.a.Output.blocks breaks {line} blocks" in compare(OLD, LIST, backend)


def test_a_result_of_another_nature_is_handed_on() -> None:
    assert "return-type-changed lib.a.Runner.run breaks 5" in compare(OLD, TUPLE, RESULT)


@pytest.mark.parametrize(
    ("new", "backend"),
    [
        pytest.param(OLD.replace("blocks: int", "blocks: float"), FIELD, id="another number"),
        pytest.param(OLD.replace("blocks: int", "blocks: int | list[int]"), FIELD, id="may be the same"),
        pytest.param(LIST, FIELD.replace("blocks: int)", "blocks)"), id="declares nothing"),
        pytest.param(LIST, FIELD.replace("blocks: int)", "blocks: list[int])"), id="declares the new type"),
        pytest.param(
            LIST, FIELD.replace("return blocks", "return isinstance(blocks, list) or blocks"), id="tests it"
        ),
        pytest.param(LIST, FIELD.replace("output.blocks)", "output.blocks[0])"), id="takes it apart"),
        pytest.param(
            TUPLE.replace("hidden: Tensor", "hidden: tuple[Tensor, Tensor]"), RESULT, id="both changed"
        ),
        pytest.param(OLD.replace("-> Tensor", "-> Array"), RESULT, id="an unknown class"),
        pytest.param(
            OLD.replace("from torch import Tensor", "Tensor = list[int]"),
            RESULT,
            id="an alias",
        ),
    ],
)
def test_what_may_still_fit(new: str, backend: str) -> None:
    assert [row for row in compare(OLD, new, backend) if "breaks" in row] == []
