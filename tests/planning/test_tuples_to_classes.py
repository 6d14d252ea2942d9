"""A name for a tuple that became a data class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from syncbot.contracts.changes import NOTHING_MORE, ChangeKind
from syncbot.impact.model import Impact, Location
from tests.planning.test_plan import migrated, text

OLD = "Result = tuple[int, bool]\n\n\ndef use(x): ...\n"
NEW = """\
from dataclasses import dataclass


@dataclass
class Result:
    job: int
    fine: bool
    size: int | None = None


def use(x): ...
"""
MINE = """\
from up.result import Result, use


def finished(events):
    results: list[Result] = []
    for job, event in events:
        results.append((job, True))
    for job, _ in results:
        del events[job]
    return results
"""


@pytest.mark.parametrize(
    ("mine", "new", "followed"),
    [
        (MINE, NEW, True),
        (MINE, NEW.replace("fine: bool", "fine: str"), False),
        (MINE, NEW.replace("size: int | None = None", "size: int"), False),
        (MINE.replace("return results", "use(results)\n    return results"), NEW, False),
        (MINE.replace("results: list[Result] = []", "results = []"), NEW, False),
    ],
)
def test_a_list_of_tuples_becomes_one_of_the_class(
    tmp_path: Path, mine: str, new: str, followed: bool
) -> None:
    line = mine[: mine.index("for job, _")].count("\n") + 1

    def told(found: Sequence[Impact]) -> Sequence[Impact]:
        place = Location("src/plugin/mine.py", line, 19)
        return [replace(found[0], id="one", kind=ChangeKind.RETURN_SHAPE_CHANGED, symbol="up.result.Result",
                        details=NOTHING_MORE, contract="", locations=(place,), engines=("pyrefly",))]  # fmt: skip

    uses = mine + "\n\ndef helping(x):\n    return use(x)\n"
    done = migrated(
        tmp_path, uses, ("helper(x, 2)", "helper(x, 3)"), told=told,
        more=({"up/result.py": OLD}, {"up/result.py": new.replace("use(x)", "use(x, y)")}),
    )  # fmt: skip
    after = text(done)
    assert ("results.append(Result(job, True))" in after) is followed
    assert ("for job, _ in ((each.job, each.fine) for each in results):" in after) is followed
    assert bool(after) is followed
