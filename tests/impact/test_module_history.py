"""Which commits touch which modules, and what is expected along their search."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from syncbot.impact.accelerator import Accelerator
from syncbot.impact.contract_findings import attributed_findings
from syncbot.impact.module_history import module_history
from syncbot.upstream.model import Commit

from .conftest import Engine, TreesOf


class Listening(Accelerator):
    """Only notes what is expected."""

    def __init__(self) -> None:
        self.blobs: set[str] = set()
        self.guilty: list[Commit] = []

    def expect_tables(self, blobs: Iterable[str], /) -> None:
        self.blobs.update(blobs)

    def expect_facts(self, commit: Commit, /) -> None:
        self.guilty.append(commit)


def test_the_commits_of_each_module_and_what_it_is_after_them(engine: Engine, trees_of: TreesOf) -> None:
    engine.commit({"engine/a.py": "x = 1\n", "engine/gone.py": ""})
    engine.commit({"engine/a.py": "x = 2\n", "engine/passing.py": "y = 1\n"})
    engine.commit({"engine/gone.py": None, "engine/passing.py": None, "notes.txt": "none"})
    engine.commit({"engine/a.py": "x = 3\n", "engine/b.pyi": "z: int\n"})
    trees = trees_of("")
    commits = trees.repository.commits(engine.shas[0], engine.shas[-1])[::-1]
    found = module_history(trees, commits, engine.shas[0], engine.shas[-1])
    blob = {sha: {m: b for m, (_, b) in trees.tree(sha).modules.items()} for sha in engine.shas}
    first, second, _, fourth = engine.shas
    assert found.places == {
        "engine.a": [0, 2], "engine.passing": [0], "engine.gone": [1], "engine.b": [2],
    }  # fmt: skip
    assert found.blobs == {
        "engine.a": [blob[second]["engine.a"], blob[fourth]["engine.a"]],
        "engine.passing": [blob[second]["engine.passing"]],
        "engine.gone": [None],
        "engine.b": [blob[fourth]["engine.b"]],
    }
    assert list(found.blobs_at(["engine.a", "engine.gone"], 1)) == [blob[second]["engine.a"]]
    assert list(found.blobs_at(["engine.gone", "engine.b"], 0)) == []
    assert blob[first]["engine.a"] not in list(found.blobs_at(["engine.a"], 0))


def test_what_a_search_will_look_at_is_expected(engine: Engine, trees_of: TreesOf) -> None:
    engine.commit({"engine/base.py": "def run(a): ...\n", "engine/other.py": ""})
    for number in range(6):
        signature = "a, b" if number > 2 else "a"
        text = f"def run({signature}): ...\nN = {number}\n"
        engine.commit({"engine/base.py": text, "engine/other.py": f"N = {number}\n"})
    ends = engine.shas[0], engine.shas[-1]
    listening = Listening()
    alone = trees_of("from engine.base import run\nrun(1)\n")
    told = replace(alone, accelerator=listening)
    commits = told.repository.commits(*ends)[::-1]
    found = attributed_findings(told, *ends, commits)
    assert found == attributed_findings(alone, *ends, commits)
    assert [f.commit.sha for f in found if f.commit is not None] == [engine.shas[4]]
    assert [commit.sha for commit in listening.guilty] == [engine.shas[4]]
    modules = {sha: told.tree(sha).modules for sha in engine.shas}
    assert {modules[sha]["engine.base"][1] for sha in engine.shas[3:]} <= listening.blobs
    assert not {modules[sha]["engine.other"][1] for sha in engine.shas} & listening.blobs
