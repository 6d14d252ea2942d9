"""A project without lanes: each command says what works without them, and the one command that adds them."""

from __future__ import annotations

import pytest

from .conftest import Project


@pytest.mark.parametrize(
    "line",
    [
        ("apply",),
        ("verify",),
        ("build", "--lane", "v0.1.0"),
        ("matrix",),
        ("baseline", "move", "v0.2.0"),
        ("patch", "test", "x"),
    ],
    ids=lambda line: line[0],
)
def test_the_message_names_init(project: Project, line: tuple[str, ...]) -> None:
    done = project.run(*line)
    assert done.exit_code == 2, done.output
    assert "check, lint, migrate, plan, explain, contracts, triage and bisect need none" in done.stderr
    assert done.stderr.endswith("for lanes, syncbot init --at VERSION writes one\n")
    assert done.stderr.count("\n") == 1


def test_without_patches_the_list_says_so(project: Project) -> None:
    assert project.run("patch", "show").stdout.startswith("no patches: syncbot apply writes them")


@pytest.mark.parametrize(
    "line",
    [
        ("check", "--from", "v0.1.0"),
        ("migrate", "--from", "v0.1.0", "--check"),
        ("explain", "engine.text.clean"),
    ],
)
def test_these_need_none(project: Project, line: tuple[str, ...]) -> None:
    project.noise()
    assert project.run(*line).exit_code == 0
