"""Commands that write into a project through a link out of it: one line, exit code 2, nothing changed there."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Project


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    for name in ("v1.0.0", "v2.0.0", "simple"):
        (folder / name).mkdir(parents=True)
        (folder / name / "theirs").write_text("theirs")
    (folder / "theirs").write_text("theirs")
    return folder


@pytest.mark.parametrize(
    ("link", "command"),
    [
        ("build/lanes", ("apply",)),
        ("build", ("apply",)),
        ("build/lanes/v1.0.0", ("apply",)),
        ("patches", ("apply",)),
        ("build/lanes", ("build", "--all")),
        ("dist", ("build", "--all")),
        ("build/lanes", ("verify", "--static")),
        ("build/lanes", ("baseline", "move", "v1.0.0", "--allow-dirty")),
        ("public", ("site", "--output", "{root}/public/site")),
        (
            "public",
            ("check", "--from", "v1.0.0", "--format", "json", "--output", "{root}/public/report.json"),
        ),
        (
            "patches",
            ("patch", "new", "thing", "--first-version", "2.0.0", "--symbol", "up.x", "--reason", "r"),
        ),
    ],
)
def test_nothing_is_written_through_it(
    project: Project, elsewhere: Path, link: str, command: tuple[str, ...]
) -> None:
    place = project.root / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(elsewhere)
    before = {path: path.read_bytes() for path in elsewhere.rglob("*") if path.is_file()}
    code, output = project.run(*(word.format(root=project.root) for word in command))
    assert code == 2, output
    assert f"{place} leads out of {project.root}, to {elsewhere}" in output
    assert len(output.strip().splitlines()) == 1
    assert before == {path: path.read_bytes() for path in elsewhere.rglob("*") if path.is_file()}
