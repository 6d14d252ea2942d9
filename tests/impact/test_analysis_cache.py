"""Analyses on disk: the same question is answered by them, and nothing damaged is believed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from syncbot.contracts.changes import ArgumentDetails, ChangeKind
from syncbot.contracts.configured_facts import Knowledge
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Location, Verdict
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache, CachedAnalysis
from syncbot.impact.model import Fix, Impact
from syncbot.impact.trees import Trees
from syncbot.upstream.commit_range import between

from .conftest import Engine, TreesOf

USER = "from engine.base import f\n\nf(1)\n"


@pytest.fixture
def trees(engine: Engine, trees_of: TreesOf) -> Trees:
    engine.commit({"engine/base.py": "def f(a): ...\n"})
    engine.commit({"engine/base.py": "def f(a, b): ...\n"})
    return trees_of(USER)


def test_a_round_trip_gives_equal_values(engine: Engine, trees: Trees, tmp_path: Path) -> None:
    impact = Impact(
        "0c1d5e7f9a", "a" * 40, None, "engine.base.f", ChangeKind.PARAMETER_ADDED, Verdict.AT_RISK,
        (Location("a.py", 1), Location("b.py", 2, 3)), "caf\u00e9", Fix("rename", {"old": "a", "deep": [1]}), "",
        ("contracts", "ty"), 0.25, True, "@@ -1 +1 @@",
        ArgumentDetails(argument="x"), "call", ("Mine",), Ground.STILL_FITTING,
    )  # fmt: skip
    known = CachedAnalysis((impact,), (("x.py", "why"),))
    analyses, span = AnalysisCache(tmp_path / "analyses"), between(trees.repository, *engine.shas)
    assert analyses.get(trees, span) is None
    analyses.put(trees, span, known)
    assert analyses.get(trees, span) == known
    assert AnalysisCache(tmp_path / "elsewhere").get(trees, span) is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: b"\x00" * len(data),
        lambda data: data + b"x",
        lambda data: b"\x80",
        lambda data: data.replace(b"breaks", b"brakes"),
    ],
    ids=["empty", "half", "one byte short", "zeros", "one byte more", "another map", "another word"],
)
def test_a_damaged_file_is_computed_anew(
    engine: Engine, trees: Trees, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    analyses, span = AnalysisCache(tmp_path / "analyses"), between(trees.repository, *engine.shas)
    first = analyse(trees, span, analyses)
    assert [i.kind for i in first.impacts] == ["parameter-added"]
    (file,) = (tmp_path / "analyses").iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert analyses.get(trees, span) is None
    assert analyse(trees, span, analyses) == first
    assert file.read_bytes() == whole


def test_what_is_remembered_is_believed(engine: Engine, trees: Trees, tmp_path: Path) -> None:
    analyses, span = AnalysisCache(tmp_path / "analyses"), between(trees.repository, *engine.shas)
    analyses.put(trees, span, CachedAnalysis((), ()))
    assert analyse(trees, span, analyses).impacts == ()


def test_another_question_is_not_answered(
    engine: Engine, trees: Trees, trees_of: TreesOf, tmp_path: Path
) -> None:
    analyses, known = AnalysisCache(tmp_path / "analyses"), CachedAnalysis((), ())
    span = between(trees.repository, *engine.shas)
    analyses.put(trees, span, known)
    assert analyses.get(trees_of(USER), span) == known
    assert analyses.get(trees, replace(span, old=span.new, new=span.old)) is None
    # The same ends with other commits between them.
    assert analyses.get(trees, replace(span, commits=())) is None
    assert analyses.get(trees_of(USER + "# more\n"), span) is None
    assert analyses.get(trees_of({"src/plugin/other.py": USER}), span) is None
    other = trees_of(USER)
    other.knowledge = Knowledge((), ("torch.cuda.",))
    assert analyses.get(other, span) is None
