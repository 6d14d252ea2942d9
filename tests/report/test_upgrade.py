from __future__ import annotations

from dataclasses import replace

import pytest

from syncbot.impact.model import Location
from syncbot.report.formats import render
from syncbot.report.model import Report
from syncbot.report.upgrade_lines import source
from syncbot.report.upgrade_sections import sections
from syncbot.upgrade.model import Dependency, Likeness, Notice, Topic, Upgrade, Way

from .conftest import ROUTING

HERE = (Location("src/a.py", 3), Location("src/a.py", 9), Location("src/b.py", 1))
BODY = Notice(
    topic=Topic.BEHAVIOURAL, what="body", symbol="lib.f", ways=(Way.CALLED, Way.COPIED), places=HERE,
    commits=(ROUTING,),
)  # fmt: skip
FIELD = Notice(
    topic=Topic.OPTIONAL, what="field", symbol="lib.C", ways=(Way.SUBCLASSED,), places=HERE, subject="wide",
    after="`1` <b>@you</b>",
)  # fmt: skip
NEEDED = Dependency(
    what="requirement", name="torch", before="torch==2.11", after="torch==2.13",
    ours="torch<2.12 (pyproject.toml:3)", conflict=True,
)  # fmt: skip
UPGRADE = Upgrade(
    notices=(BODY, FIELD),
    dependencies=(replace(NEEDED, name="alpha", ours="", conflict=False, before="", after="alpha"), NEEDED),
    names=(("lib.C", Likeness.CHANGED), ("lib.f", Likeness.SAME_SIGNATURE), ("lib.g", Likeness.SAME)),
)


def test_sections_come_in_the_order_in_which_people_read() -> None:
    headings = [section.heading.removeprefix("upgrade_") for section in sections()]
    assert headings == ["breaking", "behavioural", "optional", "dependencies", "unchanged"]


def test_each_item_has_its_commit_and_our_lines(report: Report) -> None:
    text = render(replace(report, upgrade=UPGRADE), "upgrade")
    assert "`lib.f` has another body — [dc917cceb8 #31996](" in text.replace("\\#", "#")
    assert "Here called, copied: `src/a.py:3, 9`, `src/b.py:1`" in text
    assert "<summary>1 of 3 names used here: same signature and body; 1: same signature</summary>" in text
    assert "Unchanged: 1 of 3 names used here." in text
    # What the project cannot install comes first.
    torch, alpha = text.index("requirement `torch`"), text.index("requirement `alpha`: new")
    assert torch < alpha
    assert "no version meets both: torch<2.12" in text.replace("\\<", "<")


def test_words_of_others_format_nothing(report: Report) -> None:
    text = render(replace(report, upgrade=UPGRADE), "upgrade")
    assert "by default `` `1` <b>@you</b> ``" in text


def test_many_bodies_and_what_upstream_keeps_to_itself_are_folded(report: Report) -> None:
    bodies = tuple(replace(BODY, symbol=f"lib.f{n}") for n in range(9))
    private = replace(FIELD, what="method", subject="_inner", after="")
    text = render(replace(report, upgrade=Upgrade(notices=(*bodies, private))), "upgrade")
    assert "<summary>9 other bodies</summary>" in text
    assert "<summary>1 private method</summary>" in text
    assert "<summary>8 other" not in render(replace(report, upgrade=Upgrade(notices=bodies[:8])), "upgrade")


def test_nothing_to_tell_is_told(report: Report) -> None:
    quiet = replace(report, impacts=(), upgrade=Upgrade())
    assert render(quiet, "upgrade").count("None.") == 5
    assert render(quiet, "upgrade", "zh").count("没有。") == 5


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("tool>=1", "tool>=2", ("`tool>=1`", "`tool>=2`")),
        ("x" * 90, f"{'x' * 90} or y", (f"`…{'x' * 20}`", f"`…{'x' * 20} or y`")),
        (f"{'x' * 85}a{'b' * 90}", f"{'x' * 85}c", (f"`…{'x' * 20}a{'b' * 57}…`", f"`…{'x' * 20}c`")),
        ("", "tool", ("—", "`tool`")),
    ],
)
def test_what_differs_of_long_texts_is_seen(before: str, after: str, shown: tuple[str, str]) -> None:
    assert (source(before, after), source(after, before)) == shown
