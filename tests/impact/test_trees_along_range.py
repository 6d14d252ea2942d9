"""The trees of a range told from what its commits change are those that git tells."""

from __future__ import annotations

import random

import pytest

from syncbot.impact.trees import Trees
from syncbot.impact.trees_along_range import TreesAlongRange
from tests.budget import tries

from .conftest import Engine, TreesOf


def grown(engine: Engine, seed: int) -> tuple[str, str]:
    """A history with branches that begin before the range and in it, merges, and files that come, move and go;
    its ends."""
    choose = random.Random(seed)
    old = engine.commit({"engine/a.py": "A = 1\n", "engine/b.py": "B = 1\n"})
    engine.git("branch", "early")
    for number in range(90):
        branch = choose.choice(("main", "early", f"topic{number % 3}"))
        name = f"{choose.choice('abcdef')}{choose.choice(('', '/x', '/__init__'))}.py"
        if branch == "main":
            own = [
                n for n in engine.files if n != "engine/__init__.py" and "topic" not in n and "early" not in n
            ]
            gone = [n for n in own if choose.random() < 0.1]
            engine.commit({**dict.fromkeys(gone), f"engine/{name}": f"N = {number}\n"})
            continue
        known = engine.git("branch", "--list", branch)
        engine.git("checkout", "--quiet", *([] if known else ["-b"]), branch)
        engine.files = files(engine)
        engine.commit({f"engine/{branch}/{name}": f"N = {number}\n"})
        engine.git("checkout", "--quiet", "main")
        engine.git("merge", "--quiet", "--no-ff", "-m", "Merge", branch)
        engine.files = files(engine)
    return old, engine.git("rev-parse", "HEAD")


def files(engine: Engine) -> dict[str, str]:
    """Return the text of each file of the working tree, by path."""
    return {p: (engine.path / p).read_text(encoding="utf-8") for p in engine.git("ls-files").splitlines()}


def read(trees: Trees, commit: str) -> dict[str, tuple[str, str]]:
    """The modules of a commit as git lists them."""
    return Trees(
        trees.repository, trees.packages, trees.backend, trees.tables, trees.usages
    ).tree(commit).modules  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, tries(day=1, nightly=4) + 1))
def test_a_history_with_branches(engine: Engine, trees_of: TreesOf, seed: int) -> None:
    old, new = grown(engine, seed)
    trees = trees_of("")
    commits = trees.repository.commits(old, new)[::-1]
    asked: list[str] = []

    def fork(sha: str) -> object:
        asked.append(sha)
        return Trees.tree(trees, sha)

    steps = TreesAlongRange(commits, fork, trees._changed_files)  # type: ignore[arg-type]
    shuffled = random.Random(seed).sample(commits, len(commits))
    for commit in shuffled:
        found = steps.tree(commit.sha)
        assert found is not None
        assert found.modules == read(trees, commit.sha)
    assert set(asked) == {old}
    assert steps.tree(old) is None
    trees.along(commits, old, new)
    assert all(trees.tree(c.sha).modules == read(trees, c.sha) for c in shuffled[:20])


def test_a_range_that_begins_with_history(engine: Engine, trees_of: TreesOf) -> None:
    engine.commit({"engine/a.py": "A = 1\n"})
    engine.commit({"engine/a.py": None})
    trees = trees_of("")
    commits = trees.repository.commits(None, engine.shas[-1])[::-1]
    steps = TreesAlongRange(commits, trees.tree, trees._changed_files)
    assert [steps.tree(sha) for sha in engine.shas] == [None, None]


def test_a_package_that_moves_is_read_anew(engine: Engine, trees_of: TreesOf) -> None:
    """Where modules stand is told by the first tree: one that stands elsewhere cannot be told from it."""
    old = engine.commit({"engine/a.py": "A = 1\n"})
    moved = engine.commit({"engine/a.py": None, "engine/__init__.py": None, "src/engine/__init__.py": ""})
    new = engine.commit({"src/engine/b.py": ""})
    trees = trees_of("")
    trees.along(trees.repository.commits(old, new)[::-1], old, new)
    assert trees.tree(moved).modules.keys() == {"engine"}
    assert trees.tree(new).modules.keys() == {"engine", "engine.b"}
