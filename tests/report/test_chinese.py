"""A Chinese report has no English sentence but code, names and the words of authors."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.impact.model import Fix, Outcome, Testimony, Verdict
from syncbot.report.formats import render
from syncbot.report.impact_words import message, reason, words_of

from .conftest import day, impact

PLANNING = Path(__file__).parents[2] / "syncbot" / "planning"
SENTENCE = re.compile(r"[A-Za-z][a-z]+ [a-z]+ [a-z]+")


def filled(part: ast.expr) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    assert isinstance(part, ast.FormattedValue)
    return "takes" if ast.unparse(part.value) == "does" else "name"


def authors(tree: ast.AST) -> Iterator[str]:
    """Yield the texts that a planner gives in place of a rewrite, with names for the filled-in values."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Author":
            match node.args[0]:
                case ast.Constant(value=str(text)):
                    yield text
                case ast.JoinedStr(values=parts):
                    yield "".join(map(filled, parts))


def test_every_reason_of_a_planner_has_chinese_words() -> None:
    said = [
        text
        for file in sorted(PLANNING.rglob("*.py"))
        for text in authors(ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert len(said) > 40
    assert [text for text in said if reason(text, "zh") == reason("no such reason", "zh")] == []
    assert reason("it now requires sep, and nothing shows what to pass here", "zh").startswith(
        "现在必须传入 sep"
    )


@pytest.mark.parametrize("ground", [None, *Ground])
def test_every_ground_has_chinese_words(ground: Ground | None) -> None:
    kind = ChangeKind.ARGUMENT_REFUSED
    assert not SENTENCE.search(message(impact(kind=kind, ground=ground), "zh"))


def test_every_kind_of_change_has_chinese_words() -> None:
    assert words_of("zh").changes.keys() == {*ChangeKind}
    found = impact()
    assert message(found, "en") == found.message
    assert found.symbol in message(found, "zh")


@pytest.mark.parametrize("style", ["markdown", "html", "text", "github"])
def test_no_english_sentence_is_left(style: str) -> None:
    told = Testimony(Outcome.WITNESSED, "the call raises TypeError")
    impacts = (
        impact(id="a1", message="no longer takes router, which this override requires", testimony=told),
        impact(id="b2", no_fix="the class cannot be found", ground=Ground.PASSED_BY_NAME),
        impact(id="c3", fix=Fix("call_changed", {}, notes=("mode is taken and not used",))),
        impact(Verdict.AT_RISK, id="d4", message="is left to subclasses as before"),
    )
    report = day(impacts)
    # The words of authors are quoted, and the subject of a commit is a name.
    bare = tuple(replace(c, subject=f"#{c.pr}", body="This adds a router to it.") for c in report.commits)
    text = render(replace(report, commits=bare), style, "zh")
    plain = re.sub(r"“[^”]*”|<style>.*?</style>|<[^>]*>|`[^`]*`|<!--.*?-->", "", text, flags=re.DOTALL)
    assert [found[0] for found in SENTENCE.finditer(plain)] == []
    assert "找不到该类" in text
