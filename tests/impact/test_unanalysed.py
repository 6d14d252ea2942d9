"""Code that could not be analysed is listed, and nothing else is lost with it."""

from __future__ import annotations

from pathlib import Path

from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.upstream.commit_range import between
from tests.impact.conftest import Engine, TreesOf

USE = "from engine.base import f\n\nf(1, b=2)\n"


def test_a_backend_file_nested_too_deeply_is_listed(
    engine: Engine, trees_of: TreesOf, tmp_path: Path
) -> None:
    engine.commit({"engine/base.py": "def f(a, b=0): ...\n"})
    engine.commit({"engine/base.py": "def f(a): ...\n"})
    deep = "def g(a):\n    return " + " + ".join(["a"] * 2500) + "\n"
    trees = trees_of({"src/plugin/deep.py": USE + deep, "src/plugin/main.py": USE})
    analyses = AnalysisCache(tmp_path / "analyses")
    done = analyse(trees, between(trees.repository, *engine.shas), analyses)
    assert [path for path, _ in done.unanalysed] == ["src/plugin/deep.py"]
    assert [place.file for i in done.impacts for place in i.locations] == ["src/plugin/main.py"]
    again = analyse(trees, between(trees.repository, *engine.shas), analyses)
    assert again == done


def test_one_deep_expression_upstream_hides_nothing_else(
    engine: Engine, trees_of: TreesOf, tmp_path: Path
) -> None:
    table = "TABLE = " + " + ".join(["[1]"] * 2000) + "\n"
    engine.commit({"engine/base.py": table + "def f(a, b=0): ...\n"})
    engine.commit({"engine/base.py": table + "def f(a): ...\n"})
    trees = trees_of(USE)
    done = analyse(trees, between(trees.repository, *engine.shas), AnalysisCache(tmp_path / "analyses"))
    assert done.unanalysed == ()
    assert [i.kind for i in done.impacts] == ["parameter-removed"]
