"""A person's resolution of a conflict is kept as one side, or as the shortest change of one side."""

from __future__ import annotations

import pytest

from syncbot.overlay.absorbed import resolved
from syncbot.patching.three_way.recorded_merge import OriginalText, RecordedMerge

NAMES = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"]


def function(*names: str) -> str:
    return "def f(self):\n    self.call(\n" + "".join(f"        {name},\n" for name in names) + "    )\n"


OLD, NEW, COPY = function(*NAMES), function(*NAMES, "new"), function("mine", *NAMES[1:])
MERGE = RecordedMerge(file="a.py", within="f", original="up.f", base="1.0", end="2.0")


class Texts:
    """Stands for the releases of an upstream."""

    def original(self, symbol: str, version: str) -> OriginalText:
        return OriginalText(OLD if version == "1.0" else NEW, {})


@pytest.mark.parametrize(
    ("edited", "side", "length"),
    [
        (COPY, "ours", 0),
        (NEW, "theirs", 0),
        (function("mine", *NAMES[1:], "new"), "ours", 4),
        (function("other", *NAMES[1:], "new"), "theirs", 5),
        ("def f(self):\n    self.call()\n", None, 1),
    ],
)
def test_the_shortest_is_kept(edited: str, side: str | None, length: int) -> None:
    (found,) = resolved(MERGE, COPY, edited, Texts()).resolutions
    assert found.take == side
    assert len((found.diff or found.lines or "").splitlines()) == length
