"""Cases of rewrites in Markdown: one that does not hold fails, and what is not in the form is told in a line."""

from __future__ import annotations

import pytest

from tests.sections import FormError

from .form import checks

RULE = "# A\n```yaml\nrule: string_renamed\narguments: {old: up.old, new: up.new}\n```\n"
DIFF = "```diff\n-x = 'up.old'\n+x = 'up.new'\n```\n"


def fails(text: str) -> list[str]:
    """Return the titles of the cases that do not hold."""
    found = []
    for title, _, check in checks(text):
        try:
            check()
        except pytest.fail.Exception:
            found.append(title)
    return found


@pytest.mark.parametrize(
    ("shown", "holds"),
    [
        pytest.param(DIFF, True, id="both ways"),
        pytest.param(DIFF.replace("up.new", "up.newer"), False, id="another text after"),
        pytest.param("```diff\n y = 'up.new'\n-x = 'up.old'\n+x = 'up.new'\n```\n", False, id="not backward"),
        pytest.param("```diff forward\n y = 'up.new'\n-x = 'up.old'\n+x = 'up.new'\n```\n", True, id="forward only"),
        pytest.param("```py\nx = 'up.older'\n```\n", True, id="stays"),
        pytest.param("```py\nx = 'up.old'\n```\n", False, id="does not stay"),
        pytest.param("```py\nx = 'up.new'\n```\n", False, id="does not stay backward"),
        pytest.param("```py forward\nx = 'up.new'\n```\n", True, id="stays forward"),
        pytest.param("```py backward\nx = 'up.old'\n```\n", True, id="stays backward"),
    ],
)  # fmt: skip
def test_each_block_is_held(shown: str, holds: bool) -> None:
    assert fails(f"{RULE}## B\n{shown}") == ([] if holds else ["B"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(f"# A\n{DIFF}", "line 1: 'A' needs a rewrite", id="no rewrite"),
        pytest.param(RULE, "line 1: 'A' needs a rewrite", id="no text"),
        pytest.param(RULE.replace("string_renamed", "strings_renamed") + DIFF, "line 3: that is no rewrite", id="unknown"),
        pytest.param(RULE.replace("old:", "odd:") + DIFF, "line 3: that is no rewrite", id="an argument"),
        pytest.param(RULE + DIFF + DIFF, "line 10: a second text", id="two texts"),
        pytest.param(RULE + DIFF.replace("diff", "diff froward"), "line 6: a block begins as one of", id="a word"),
        pytest.param(RULE + DIFF.replace("-x", "x"), "line 7: a line of a diff begins", id="a line"),
    ],
)  # fmt: skip
def test_what_is_not_in_its_form_is_told_in_a_line(text: str, problem: str) -> None:
    with pytest.raises(FormError) as caught:
        checks(text)
    assert str(caught.value).startswith(problem)
