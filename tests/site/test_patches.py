"""The diffs of patches on lanes, against what the lanes really hold, and the history of their files."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

from syncbot.lanes.generate import render
from syncbot.patching.model import Rewrite
from syncbot.site.patches import LaneDiff, history, lane_diffs, patch_pages

from .project import HOOK, SCALE, SIZES, inputs


@cache
def diffs() -> dict[str, tuple[LaneDiff, ...]]:
    return lane_diffs(inputs().patches, inputs().matrix, inputs().files)


def git(folder: Path, *args: str) -> str:
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in
           (("NAME", "Ada Lovelace"), ("EMAIL", "ada@example.com"), ("DATE", "2026-01-23T12:00:00+0800"))}  # fmt: skip
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    base = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    done = subprocess.run(
        ["git", "-C", folder, *args], check=True, capture_output=True, text=True, env=base | who | quiet
    )
    return done.stdout.strip()


def test_the_diffs_of_a_lane_make_its_sources(tmp_path: Path) -> None:
    """Applied by git in the lane's order, they turn the baseline's files into the generated lane's."""
    lane = max(inputs().matrix.lanes, key=lambda lane: len(lane.patches))
    for path, content in inputs().files.items():
        if path.endswith(".py"):
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(content)
    git(tmp_path, "init", "--quiet")
    applied = 0
    for step in inputs().steps(lane):
        [found] = [diff for diff in diffs()[step.patch.id] if lane in diff.lanes]
        assert found.problem == ""
        (tmp_path / "diff").write_text(f"{found.text}\n", encoding="utf-8")
        git(tmp_path, "apply", "diff")
        applied += 1
    assert applied == len(lane.patches) > 0
    wanted = render(inputs(), lane)
    for path in inputs().files:
        if path.endswith(".py") and not path.endswith("_lane.py"):
            assert (tmp_path / path).read_bytes() == wanted[path], path


def test_every_patch_is_told_on_exactly_its_lanes() -> None:
    for lane in inputs().matrix:
        told_here = {name for name, found in diffs().items() if any(lane in diff.lanes for diff in found)}
        assert told_here == set(lane.patches), lane.tag


def test_a_patch_that_does_not_fit_says_why_and_so_do_those_behind_it() -> None:
    small = inputs()
    wrong = Rewrite(
        rule="attribute_renamed", arguments={"base": "vllm.Nothing", "old": "a_b_c", "new": "d_e_f"}
    )
    broken = [p if p.id != HOOK else p.model_copy(update={"rewrites": (wrong,)}) for p in small.patches]
    found = lane_diffs(broken, small.matrix, small.files)
    [hook] = found[HOOK]
    assert (HOOK in hook.problem, hook.text) == (True, "")
    assert [diff.problem for diff in found[SIZES]] == [hook.problem]
    assert [diff.problem for diff in found[SCALE]] == [""]


def test_lanes_on_which_a_patch_does_the_same_are_told_together() -> None:
    small = inputs()
    found = lane_diffs(small.patches, small.matrix, small.files)
    assert {
        name: [([lane.tag for lane in diff.lanes], diff.direction.value) for diff in each]
        for name, each in found.items()
    } == {
        HOOK: [(["v0.31.0", "v0.30.0"], "backward")],
        SIZES: [(["v0.30.0"], "backward")],
        SCALE: [(["v0.33.0"], "forward")],
    }


def test_the_history_of_a_file_follows_its_renames(tmp_path: Path) -> None:
    folder = tmp_path / "in ner" / "patches"
    folder.mkdir(parents=True)
    git(tmp_path, "init", "--quiet")
    file = folder / "0.2-a.yaml"
    assert history(file) == ()
    file.write_text("a: 1\nb: 2\nc: 3\n", encoding="utf-8")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "-m", "Add a patch")
    assert history(folder / "other.yaml") == ()
    file.rename(folder / "0.2-b.yaml")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "-m", "Rename it | <b>\n\nAnd say why.")
    found = history(folder / "0.2-b.yaml")
    assert found is not None
    assert [(r.day, r.author, r.subject) for r in found] == [
        ("2026-01-23", "Ada Lovelace", "Rename it | <b>"),
        ("2026-01-23", "Ada Lovelace", "Add a patch"),
    ]
    assert found[0].sha == git(tmp_path, "rev-parse", "HEAD")


def test_without_a_repository_there_is_no_history(tmp_path: Path) -> None:
    assert history(tmp_path / "a.yaml") is None


def test_patches_are_told_newest_first(tmp_path: Path) -> None:
    small = inputs()
    found = patch_pages(tmp_path, "patches", small.patches, small.matrix, small.files)
    assert [each.patch.id for each in found] == [SCALE, HOOK, SIZES]
    assert {each.history for each in found} == {None}
