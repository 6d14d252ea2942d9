"""The contract engine: who is guilty in histories of all shapes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from syncbot.contracts.model import Verdict
from syncbot.impact.contract_findings import attributed_findings, findings

from .conftest import Engine, TreesOf

BASE = """
class Base:
    limit = 4

    def __init__(self, size, name="x"):
        self.size = size

    def run(self, batch):
        return batch

    @property
    def ready(self):
        return True


class Child(Base):
    pass


def pair(a, b=1):
    return a, b
"""
USER = """
from engine.base import Base, Child, pair

class Mine(Child):
    def run(self, batch):
        left, right = pair(1, b=2)
        return self.size, self.ready, self.limit

made = Child(1, name="y")
"""


def guilty(
    engine: Engine, trees_of: TreesOf, backend: str | Mapping[str, str] = USER
) -> list[tuple[str, str]]:
    """Commit and kind of all that breaks between the first and the last commit."""
    trees = trees_of(backend)
    commits = trees.repository.commits(engine.shas[0], engine.shas[-1])
    return [
        (attributed.commit.sha, attributed.finding.kind)
        for attributed in attributed_findings(trees, engine.shas[0], engine.shas[-1], commits[::-1])
        if attributed.commit is not None and attributed.finding.verdict is Verdict.BREAKS
    ]


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("def pair(a, b=1)", "def pair(a)", "parameter-removed"),
        ("def pair(a, b=1)", "def pair(a, c=1)", "parameter-renamed"),
        ("def pair(a, b=1)", "def pair(a, b, c)", "parameter-added"),
        ("return a, b", "return a, b, None", "return-shape-changed"),
        ("def pair(", "async def pair(", "async-changed"),
        ("def pair(", "def couple(", "symbol-renamed"),
        ('name="x"', 'title="x"', "parameter-renamed"),
        ("self.size = size", "self.width = size", "attribute-removed"),
        ("def run(self, batch)", "def run(self, batch, step)", "parameter-required"),
    ],
)
def test_the_guilty_commit_stands_in_a_crowd(
    engine: Engine, trees_of: TreesOf, old: str, new: str, kind: str
) -> None:
    engine.commit({"engine/base.py": BASE})
    engine.noise()
    engine.commit({"engine/base.py": BASE + "\n\nX = 1\n"})
    sha = engine.commit({"engine/base.py": engine.files["engine/base.py"].replace(old, new)})
    engine.commit({"engine/base.py": engine.files["engine/base.py"].replace("X = 1", "X = 2")})
    engine.noise()
    found = guilty(engine, trees_of)
    assert (sha, kind) in found
    assert {commit for commit, _ in found} == {sha}


@pytest.mark.long
@pytest.mark.parametrize("place", [0, 31, 56])
def test_the_guilty_commit_among_many_that_touch_the_file(
    engine: Engine, trees_of: TreesOf, place: int
) -> None:
    engine.commit({"engine/base.py": BASE + "\n\nX = -1\n"})
    sha = ""
    for number in range(70):
        text = engine.files["engine/base.py"].replace(f"X = {number - 1}\n", f"X = {number}\n")
        if number == place:
            text = text.replace("def pair(a, b=1)", "def pair(a)")
        made = engine.commit({"engine/base.py": text})
        sha = made if number == place else sha
    assert guilty(engine, trees_of) == [(sha, "parameter-removed")]


def test_nothing_of_what_the_backend_uses_changed(engine: Engine, trees_of: TreesOf) -> None:
    engine.commit({"engine/base.py": BASE})
    engine.commit({"engine/base.py": BASE.replace("return batch", "return list(batch)")})
    engine.commit({"engine/base.py": "# A comment\n" + engine.files["engine/base.py"]})
    assert guilty(engine, trees_of) == []


def test_a_method_inherited_from_far_away(engine: Engine, trees_of: TreesOf) -> None:
    """The backend derives from a class whose base's base is changed in another module."""
    engine.commit(
        {
            "engine/root.py": "class Root:\n    def go(self, a):\n        return a\n",
            "engine/middle.py": "from .root import Root\n\n\nclass Middle(Root):\n    pass\n",
            "engine/leaf.py": "from .middle import Middle as M\n\n\nclass Leaf(M):\n    pass\n",
        }
    )
    engine.commit({"engine/leaf.py": engine.files["engine/leaf.py"] + "\n\nX = 1\n"})
    sha = engine.commit({"engine/root.py": "class Root:\n    def go(self, a, b):\n        return a\n"})
    user = "from engine.leaf import Leaf\n\nLeaf().go(1)\n"
    assert guilty(engine, trees_of, user) == [(sha, "parameter-added")]


def test_a_re_export_that_ends_is_guilty_not_the_definition(engine: Engine, trees_of: TreesOf) -> None:
    engine.commit({"engine/base.py": BASE, "engine/api.py": "from engine.base import pair\n"})
    engine.commit({"engine/base.py": BASE.replace("return a, b", "return b, a")})
    sha = engine.commit({"engine/api.py": "from engine.base import Base\n"})
    assert [c for c, _ in guilty(engine, trees_of, "from engine.api import pair\n")] == [sha]


def test_a_file_moved_twice_is_blamed_on_the_first_move(engine: Engine, trees_of: TreesOf) -> None:
    engine.commit({"engine/base.py": BASE})
    sha = engine.commit({"engine/base.py": None, "engine/core.py": BASE})
    engine.commit({"engine/core.py": None, "engine/kernel.py": BASE})
    assert set(guilty(engine, trees_of)) == {(sha, "module-moved")}


def test_a_module_that_becomes_a_package_is_nothing(engine: Engine, trees_of: TreesOf) -> None:
    engine.commit({"engine/base.py": BASE})
    engine.commit({"engine/base.py": None, "engine/base/__init__.py": BASE})
    engine.commit({"engine/base/__init__.py": "from .inner import *\n", "engine/base/inner.py": BASE})
    assert guilty(engine, trees_of) == []


def test_two_changes_of_one_call_have_a_commit_each(engine: Engine, trees_of: TreesOf) -> None:
    engine.commit({"engine/base.py": BASE})
    one = engine.commit({"engine/base.py": BASE.replace("(a, b=1)", "(a, b=1, *, c)")})
    two = engine.commit({"engine/base.py": BASE.replace("(a, b=1)", "(a, b=1, *, c, d)")})
    assert guilty(engine, trees_of, "from engine.base import pair\n\npair(1)\n") == [
        (one, "parameter-added"),
        (two, "parameter-added"),
    ]


def test_a_file_that_does_not_parse_for_a_while(engine: Engine, trees_of: TreesOf) -> None:
    engine.commit({"engine/base.py": BASE})
    engine.commit({"engine/base.py": "<<<<<<< HEAD\n" + BASE})
    sha = engine.commit({"engine/base.py": BASE.replace("def pair(a, b=1)", "def pair(a)")})
    assert guilty(engine, trees_of) == [(sha, "parameter-removed")]


def test_a_branch_begun_before_the_range(engine: Engine, trees_of: TreesOf) -> None:
    engine.commit({"engine/base.py": BASE})
    engine.git("switch", "--quiet", "--create", "topic")
    sha = engine.commit({"engine/base.py": BASE.replace("def pair(a, b=1)", "def pair(a)")})
    engine.git("switch", "--quiet", "main")
    engine.files["engine/base.py"] = BASE
    start = engine.commit({"engine/noise.py": "N = 0\n"})
    engine.git("merge", "--quiet", "--no-ff", "-m", "Merge", "topic")
    engine.shas = [start, engine.git("rev-parse", "HEAD")]
    assert guilty(engine, trees_of) == [(sha, "parameter-removed")]


def test_two_branches_that_break_the_same_thing(engine: Engine, trees_of: TreesOf) -> None:
    engine.commit({"engine/base.py": BASE})
    broken = BASE.replace("def pair(a, b=1)", "def pair(a)")
    branches = []
    for name in ("one", "two"):
        engine.git("switch", "--quiet", "--create", name, engine.shas[0])
        engine.files = {"engine/__init__.py": ""}
        branches.append(engine.commit({"engine/base.py": broken, f"engine/{name}.py": ""}))
    engine.git("switch", "--quiet", "main")
    engine.git("merge", "--quiet", "--no-ff", "-m", "Merge", "one", "two")
    engine.shas = [engine.shas[0], engine.git("rev-parse", "HEAD")]
    ((sha, kind),) = guilty(engine, trees_of)
    assert sha in branches
    assert kind == "parameter-removed"


def test_a_merge_that_itself_breaks(engine: Engine, trees_of: TreesOf) -> None:
    engine.commit({"engine/base.py": BASE})
    engine.git("switch", "--quiet", "--create", "topic")
    engine.noise()
    engine.git("switch", "--quiet", "main")
    engine.git("merge", "--quiet", "--no-ff", "--no-commit", "topic")
    evil = engine.commit({"engine/base.py": BASE.replace("def pair(a, b=1)", "def pair(a)")}, "Evil merge")
    assert guilty(engine, trees_of) == [(evil, "parameter-removed")]


def test_without_commits_the_findings_are_the_same(engine: Engine, trees_of: TreesOf) -> None:
    engine.commit({"engine/base.py": BASE})
    engine.commit({"engine/base.py": BASE.replace("def pair(a, b=1)", "def pair(a)")})
    trees = trees_of(USER)
    forward = [f.kind for f in findings(trees, *engine.shas) if f.verdict is Verdict.BREAKS]
    assert forward == [kind for _, kind in guilty(engine, trees_of)] == ["parameter-removed"]
    assert findings(trees, engine.shas[0], engine.shas[0]) == []


def test_the_other_way_round_is_another_question(engine: Engine, trees_of: TreesOf) -> None:
    engine.commit({"engine/base.py": BASE})
    engine.commit({"engine/base.py": BASE.replace("(a, b=1)", "(a, b=1, c=2)")})
    user = "from engine.base import pair\n\npair(1, c=3)\n"
    trees = trees_of(user)
    assert findings(trees, *engine.shas) == []
    assert [f.kind for f in findings(trees, *engine.shas[::-1])] == ["parameter-removed"]
