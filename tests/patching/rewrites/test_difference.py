from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.rewrites.difference import Difference, difference
from syncbot.patching.source import Source

from .cases import both_ways

FILE = "a.py"
DIFF = "@@ -1,4 +1,5 @@\n import os\n\n-x = 1\n+x = 2\n+y = 3\n z = 4\n"
RULE = Difference(file=FILE, diff=DIFF)
EXAMPLES = [RULE]
PROGRAMS = ["import os\n\nx = 1\nz = 4"]
BEFORE = "import os\n\nx = 1\nz = 4\n"
AFTER = "import os\n\nx = 2\ny = 3\nz = 4\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BEFORE, AFTER),
        (f"# more\n{BEFORE}w = 1\n", f"# more\n{AFTER}w = 1\n"),
        (BEFORE.rstrip(), AFTER.rstrip()),
    ],
)
def test_its_lines_are_changed_wherever_they_moved(before: str, after: str) -> None:
    both_ways(RULE, before, after)


def test_line_ends_are_kept() -> None:
    after = RULE.forward(Source(BEFORE.replace("\n", "\r\n"), FILE))
    assert after == AFTER.replace("\n", "\r\n")


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(NoMatch, match="hunk 1 does not fit: there is no line 'x = 1'"):
        RULE.forward(Source(AFTER, FILE))
    with pytest.raises(NoMatch, match="its lines stand nowhere together"):
        RULE.forward(Source("import os\nx = 1\n\nz = 4\n", FILE))


def test_an_addition_is_made_once() -> None:
    rule = Difference(file=FILE, diff="@@ -1,2 +1,3 @@\n a()\n b()\n+c()\n")
    there = rule.forward(Source("a()\nb()\n", FILE))
    assert there == "a()\nb()\nc()\n"
    with pytest.raises(NoMatch, match="is there already"):
        rule.forward(Source(there, FILE))


def test_of_several_places_the_line_decides() -> None:
    rule = Difference(file=FILE, diff="@@ -3,1 +3,1 @@\n-a()\n+b()\n")
    assert rule.forward(Source("a()\n#\na()\n", FILE)) == "a()\n#\nb()\n"
    with pytest.raises(CannotRewrite, match="fits on lines 1, 2: give more of the text around it"):
        rule.forward(Source("a()\na()\n#\n", FILE))


LINES = st.lists(st.sampled_from(["", "a()", "b()", "c()", "  ", "\t"]), max_size=12).map("\n".join)


@given(LINES, LINES)
@example("  \n\n\n\n\na()", "  \na()\n\n\n\n\na()")
def test_what_is_made_of_two_texts_leads_from_one_to_the_other(before: str, after: str) -> None:
    if before != after:
        rule = Difference(file=FILE, diff=difference(before, after))
        try:
            there = rule.forward(Source(before, FILE))
        except (NoMatch, CannotRewrite):
            return
        assert there == after


@pytest.mark.parametrize(
    ("before", "context"),
    [
        ("a()\nb()\nc()\nd()\ne()\nx()\nf()\ng()\n", 2),
        ("a()\nb()\nc()\nd()\ne()\nx()\nf()\ng()\ne()\nx()\nf()\n", 4),
        ("x()\ny()\n" * 9, 6),
    ],
)
def test_context_is_what_tells_a_place_from_others(before: str, context: int) -> None:
    after = before.replace("x()", "z()", 1) if context < 6 else before[:40] + "z()\n" + before[40:]
    diff = difference(before, after)
    assert len([line for line in diff.split("\n") if line.startswith(" ")]) == context
    assert Difference(file=FILE, diff=diff).forward(Source(before, FILE)) == after


@pytest.mark.parametrize(
    "diff",
    ["", "x", "@@ -1 +1 @@\n a\n", "@@ -1 +1\n-a\n", "@@ -1 +1 @@\nfoo\n", "--- a\n+++ b\n@@ -1 +1 @@\n-a\n"],
)
def test_bad_differences(diff: str) -> None:
    with pytest.raises(ValidationError):
        Difference(file=FILE, diff=diff)
