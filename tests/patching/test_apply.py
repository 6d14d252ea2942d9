from __future__ import annotations

import json
from pathlib import Path

import pytest
from packaging.version import Version

from syncbot.errors import ConfigurationError
from syncbot.patching import model
from syncbot.patching.apply import Chain, Direction, Step, apply_steps, steps
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.model import Patch, Rewrite, UpstreamChange


def move(number: int, version: str, old: str, new: str) -> Patch:
    return Patch(
        id=f"{number}-move",
        upstream=UpstreamChange(name="up", pr=number, first_version=version),
        symbol=f"up.{old}",
        reason="moved",
        rewrites=(Rewrite(rule="import_moved", arguments={"old": f"up.{old}.X", "new": f"up.{new}.X"}),),
    )


FIRST, SECOND, THIRD = move(1, "1.1", "a", "b"), move(2, "1.2", "b", "c"), move(3, "1.3", "c", "d")
PATCHES = [SECOND, THIRD, FIRST]


def apply_patches(files: dict[str, str], patches: list[Patch], direction: Direction) -> dict[str, str]:
    return apply_steps(files, [Step(patch, direction) for patch in patches])


@pytest.mark.parametrize(
    ("baseline", "lane", "before", "after"),
    [
        ("1.3", "1.0", "d", "a"),
        ("1.3", "1.1", "d", "b"),
        ("1.3", "1.3", "d", "d"),
        ("1.2", "1.3", "c", "d"),
        ("1.0", "1.3", "a", "d"),
        ("1.1", "1.0", "b", "a"),
    ],
)
def test_older_lanes_undo_newest_first_and_newer_follow_oldest_first(
    baseline: str, lane: str, before: str, after: str
) -> None:
    todo = steps(PATCHES, Version(baseline), Version(lane))
    files = {"a.py": f"from up.{before} import X\n", "b.txt": "up.d"}
    assert apply_steps(files, todo) == {"a.py": f"from up.{after} import X\n", "b.txt": "up.d"}


def test_patches_that_are_not_active_do_not_count() -> None:
    waiting = FIRST.model_copy(update={"status": "needs-author"})
    assert steps([waiting], Version("1.3"), Version("1.0")) == ()


def test_what_builds_on_a_patch_that_is_gone_is_passed_over() -> None:
    """Only what finds nothing, and only where the patch is not among the active ones."""
    rewrites = (
        *FIRST.rewrites,
        Rewrite(rule="import_moved", arguments={"old": "up.old.Y", "new": "up.new.Y"}),
    )
    first = FIRST.model_copy(update={"rewrites": rewrites, "builds_on": ("2-move",)})
    files, oldest = {"a.py": "from up.c import X\nfrom up.new import Y\n"}, Version("1.0")
    todo = steps([first, SECOND], Version("1.2"), oldest)
    assert apply_steps(files, todo) == {"a.py": "from up.a import X\nfrom up.old import Y\n"}
    for others in ([], [SECOND.model_copy(update={"status": "needs-author"})]):
        todo = steps([first, *others], Version("1.2"), oldest)
        assert [step.gone for step in todo] == [("2-move",)]
        assert apply_steps(files, todo) == {"a.py": "from up.c import X\nfrom up.old import Y\n"}
    with pytest.raises(NoMatch, match="patch 1-move, rule import_moved"):
        apply_steps(files, steps([first.model_copy(update={"builds_on": ()})], Version("1.2"), oldest))


def test_rewrites_of_one_patch_are_undone_in_reverse() -> None:
    both = FIRST.model_copy(update={"rewrites": (*FIRST.rewrites, *SECOND.rewrites)})
    there = apply_patches({"a.py": "from up.a import X\n"}, [both], Direction.FORWARD)
    assert there == {"a.py": "from up.c import X\n"}
    assert apply_patches(there, [both], Direction.BACKWARD) == {"a.py": "from up.a import X\n"}


def test_a_rewrite_that_matches_nothing_names_patch_and_rule() -> None:
    with pytest.raises(NoMatch, match=r"patch 1-move, rule import_moved \(forward\) matches nothing"):
        apply_patches({"a.py": "x = 1\n"}, [FIRST], Direction.FORWARD)


def test_files_that_cannot_match_are_not_parsed() -> None:
    files = {"broken.py": "def (:\n", "a.py": "from up.a import X\n"}
    assert apply_patches(files, [FIRST], Direction.FORWARD)["broken.py"] == "def (:\n"
    files["broken.py"] += "up.a.X"
    with pytest.raises(CannotRewrite, match=r"patch 1-move, .*broken\.py:1: not valid Python"):
        apply_patches(files, [FIRST], Direction.FORWARD)


CODE = '''\
"""Doubles every number."""
import libcst as cst

NEEDLES = ("number",)


class Times(cst.CSTTransformer):
    def __init__(self, factor):
        self.factor = factor

    def leave_Integer(self, original_node, updated_node):
        return updated_node.with_changes(value=str(int(int(updated_node.value) * self.factor)))


def forward(module):
    return module.visit(Times(2))


def backward(module):
    return module.visit(Times(0.5))
'''


def test_a_patch_may_bring_a_transformer(tmp_path: Path) -> None:
    (tmp_path / "9-double.py").write_text(CODE)
    patch = Patch(
        id="9-double",
        upstream=UpstreamChange(name="up", first_version="1.1"),
        symbol="up.numbers",
        reason="doubled",
        code="9-double.py",
    )
    (tmp_path / "9-double.yaml").write_text(model.dump(patch))
    (loaded,) = model.load(tmp_path, runs_code=True)
    files = {"a.py": "number = 21  # odd\n", "b.py": "other = 1\n"}
    there = apply_patches(files, [loaded], Direction.FORWARD)
    assert there == {"a.py": "number = 42  # odd\n", "b.py": "other = 1\n"}
    assert apply_patches(there, [loaded], Direction.BACKWARD) == files
    text, code = loaded.sources()
    assert json.loads(text) == patch.model_dump(mode="json", exclude_defaults=True)
    assert code == CODE
    (tmp_path / "9-double.py").write_text("def forward(module): ...\n")
    with pytest.raises(ConfigurationError, match=r"defines no function backward"):
        apply_patches(files, [loaded], Direction.FORWARD)


def test_ways_that_begin_alike_give_what_each_gives_alone() -> None:
    """In any order, with steps more and less, and with other files in between."""
    todo = steps(PATCHES, Version("1.0"), Version("1.3"))
    files = {"m.py": "from up.a import X\n", "n.py": "x = 1\n", "data.txt": "a"}
    other = {"m.py": "from up.a import X, z\n"}
    chain = Chain()
    for count, given in ((3, files), (1, files), (2, files), (0, files), (2, other), (3, files)):
        assert chain.apply(given, todo[:count]) == apply_steps(given, todo[:count])
    assert chain.apply(files, [todo[0], Step(FIRST, Direction.BACKWARD)]) == files
    with pytest.raises(NoMatch):
        chain.apply(files, [todo[0], todo[2]])
    assert chain.apply(files, todo[:1])["m.py"] == "from up.b import X\n"
