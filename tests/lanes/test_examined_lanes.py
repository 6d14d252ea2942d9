"""Lanes that need no patch are not examined again, until something that decides that changes."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.lanes.conftest import Project, git, write


def examined(project: Project) -> set[str]:
    return {file.name for file in (project.root.parent / "cache" / "examined_lanes").glob("*")}


def test_the_same_question_is_not_asked_again(project: Project, tmp_path: Path) -> None:
    project.run("apply")  # Writes patches: the older lane lacked something.
    project.run("apply")
    known = examined(project)
    assert len(known) == 2
    code, output = project.run("apply")
    assert (code, examined(project) == known, output.count("unchanged")) == (0, True, 2)


def test_what_a_lane_lacks_later_is_found(project: Project) -> None:
    project.run("apply")
    project.run("apply")
    before = project.files("patches")
    for file in (project.root / "patches").iterdir():
        file.unlink()
    assert project.run("apply")[0] == 0
    assert project.files("patches") == before


def test_what_nobody_wants_is_not_looked_for_again_until_somebody_wants_it(project: Project) -> None:
    project.run("apply")
    patch = min((project.root / "patches").iterdir())
    written = patch.read_bytes()
    assert project.run("patch", "retire", patch.stem, "--declined", "Nobody needs it.")[0] == 0
    first = project.run("apply", "--check")
    kept = project.root.parent / "cache" / "contracts"
    shutil.rmtree(kept)
    assert project.run("apply", "--check") == first
    # Nothing was analysed.
    assert not kept.exists()
    patch.unlink()
    code, output = project.run("apply", "--check")
    assert (code, f"would write patches/{patch.name}" in output, kept.exists()) == (1, True, True)
    assert project.run("apply")[0] == 0
    assert patch.read_bytes() == written


def test_a_tag_that_was_moved_is_another_question(project: Project) -> None:
    project.run("apply")
    project.run("apply")
    known = examined(project)
    upstream = project.root.parent / "upstream"
    git(upstream, "checkout", "-q", "v1.0.0")
    write(upstream, {"up/more.py": "x = 1\n"})
    git(upstream, "add", "-A")
    git(upstream, "commit", "-qm", "More")
    git(upstream, "tag", "-f", "v1.0.0")
    project.run("apply")
    assert len(examined(project) - known) == 1
