"""The proof that patch files state agrees with the matrix."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.lanes import matrix, patch_proof
from syncbot.lanes.evidence import Evidence
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.patching import model
from syncbot.patching.model import Patch

from .conftest import MATRIX, Project, git, write

PATCH = """\
id: 2.0.0-thing
upstream:
  name: up  # the upstream
  first_version: 2.0.0
symbol: up.Thing
reason: It goes.
# Why this rule: nothing else matches.
rewrites:
  - rule: import_moved
    arguments: {old: up.a, new: up.b}
notes: |
  A note.

  lanes: of the text
"""


def lane(version: str, *passed: str, failed: str = "", stale: str = "") -> Lane:
    def evidence(status: str, digest: str) -> Evidence:
        return Evidence.model_validate(
            {
                "status": status,
                "command": "syncbot verify",
                "date": "2026-01-01",
                "digest": digest,
                "stale": digest == "before",
            }
        )

    checks = {name: evidence("pass", "now") for name in passed}
    checks |= {name: evidence("fail", "now") for name in failed.split()}
    checks |= {name: evidence("pass", "before") for name in stale.split()}
    return Lane(tag=f"v{version}", wheel=version, python=">=3.11", sources="now", checks=checks)


def rows(*lanes: Lane, baseline: str = "v2.0.0") -> Matrix:
    return Matrix(upstream="up", baseline=baseline, lanes=lanes)


def patch(status: str = "active") -> Patch:
    return model.parse(PATCH).model_copy(update={"status": status})


def test_proof_is_what_passes_on_every_lane_that_has_the_patch() -> None:
    found = patch_proof.proven(
        patch(),
        rows(lane("2.0.0", "baseline-only"), lane("1.5.0", "run", "static"), lane("1.0.0", "static")),
    )
    assert found.proven_by == ("static",)


@pytest.mark.parametrize(
    "old",
    [
        lane("1.0.0"),
        lane("1.0.0", failed="static"),
        lane("1.0.0", stale="static"),
        lane("1.0.0", "run"),
    ],
)
def test_what_failed_is_stale_or_was_never_run_proves_nothing(old: Lane) -> None:
    found = patch_proof.proven(patch(), rows(lane("2.0.0", "static"), lane("1.5.0", "static"), old))
    assert found.proven_by == ()


def test_a_lane_ahead_of_the_baseline_has_the_patch() -> None:
    newer = lane("2.1.0", "static")
    found = patch_proof.proven(patch(), rows(newer, lane("1.0.0", "static"), baseline="v1.0.0"))
    assert found.proven_by == ("static",)


def test_without_lanes_or_rewrites_there_is_no_proof() -> None:
    assert patch_proof.proven(patch(), rows(lane("2.0.0", "static"))).proven_by == ()
    waiting = patch_proof.proven(patch("needs-author"), rows(lane("2.0.0"), lane("1.0.0", "static")))
    assert waiting.proven_by == ()
    retired = patch("retired")
    assert patch_proof.proven(retired, rows(lane("2.0.0"), lane("1.0.0", "static"))) == retired


@pytest.mark.parametrize("before", [PATCH, PATCH.replace("notes:", "proven_by:\n- old\n- older\nnotes:")])
def test_only_the_proof_changes_in_a_file(before: str, tmp_path: Path) -> None:
    file = tmp_path / "2.0.0-thing.yaml"
    file.write_text(before, encoding="utf-8")
    listed = rows(lane("2.0.0"), lane("1.0.0", "static"))
    changed = patch_proof.changes(model.load(tmp_path), listed, tmp_path)
    assert changed == {file: PATCH.replace("notes:", "proven_by:\n  - static\nnotes:").encode()}
    file.write_bytes(changed[file])
    assert patch_proof.changes(model.load(tmp_path), listed, tmp_path) == {}


def test_verify_proves_and_changed_sources_take_the_proof_back(project: Project) -> None:
    project.run("apply")
    file = project.root / "patches/2.0.0-base-sizes.yaml"
    assert model.load_file(file).proven_by == ()
    code, output = project.run("verify", "--static")
    assert code == 0, output
    assert model.load_file(file).proven_by == ("static",)
    before = project.files("patches")
    assert project.run("apply", "--check") == (0, "")
    project.run("verify", "--static")
    assert project.files("patches") == before
    source = project.root / "backend/src/mine/base.py"
    source.write_text(source.read_text() + "\n\nNEW = 1\n")
    assert project.run("apply")[0] == 0
    assert matrix.load(project.root / "compat_matrix.yaml").lane("v1.0.0").shown("static") == "stale"
    assert model.load_file(file).proven_by == ()


def test_a_new_lane_is_named_in_patches_that_there_are(project: Project) -> None:
    project.run("apply")
    git(project.root.parent / "upstream", "tag", "v0.9.0", "v1.0.0")
    table = project.root / "compat_matrix.yaml"
    row = '  - {tag: v0.9.0, wheel: 0.9.0, python: ">=3.10", stack: {torch: 2.12.0}}\n'
    table.write_text(table.read_text() + row)
    code, output = project.run("apply")
    assert code == 0, output
    assert model.load_file(project.root / "patches/2.0.0-base-sizes.yaml").lanes == ("v1.0.0", "v0.9.0")


def test_what_needs_an_author_is_told_once_for_all_lanes_behind_it(project: Project) -> None:
    git(project.root.parent / "upstream", "tag", "v0.9.0", "v1.0.0")
    row = '  - {tag: v0.9.0, wheel: 0.9.0, python: ">=3.10", stack: {torch: 2.12.0}}\n'
    write(project.root, {"compat_matrix.yaml": MATRIX + row})
    write(project.root / "backend", {"src/mine/more.py": "from up.extra import only_new\n"})
    assert project.run("apply")[0] == 1
    waiting = [p for p in model.load(project.root / "patches") if p.status == "needs-author"]
    assert [p.id for p in waiting] == ["2.0.0-up-extra"]
    assert waiting[0].lanes == ("v1.0.0", "v0.9.0")
