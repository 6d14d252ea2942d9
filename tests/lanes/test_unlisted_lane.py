"""``syncbot apply --to``: a lane for an upstream that nobody has released, and nothing else touched."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml
from packaging.version import Version

from syncbot.errors import UsageError
from syncbot.lanes import matrix, unlisted_lane
from syncbot.upstream.git_repository import GitRepository

from .conftest import MATRIX, NEW, Project, git, write


def commit(project: Project, files: dict[str, str], message: str = "Next") -> str:
    upstream = project.root.parent / "upstream"
    write(upstream, files)
    git(upstream, "add", "-A")
    git(upstream, "commit", "-qm", message)
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=upstream, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def applied(project: Project) -> Project:
    assert project.run("apply")[0] == 0
    return project


def test_an_untagged_commit_gets_a_lane_beside_the_others(applied: Project) -> None:
    before = applied.files()
    commit(applied, {"README.md": "text"}, "Noise")
    sha = commit(applied, {"up/base.py": NEW["up/base.py"].replace("spec=None)", "spec=None, layers=0)")})
    code, output = applied.run("apply", "--to", "main")
    assert code == 0, output
    lane = applied.root / f"build/lanes/{sha[:10]}"
    assert f"lane {lane}: 2.0.1.dev2+g{sha[:10]} after 1 patch\n" in output
    text = (lane / "src/mine/base.py").read_text()
    assert "def sizes(self, spec=None, layers=0):" in text
    assert f'UP = "2.0.1.dev2+g{sha[:10]}"' in (lane / "src/mine/_lane.py").read_text()
    (file,) = (applied.root / f"build/lanes/{sha[:10]}-patches").iterdir()
    assert file.name == f"2.0.1.dev2-g{sha[:10]}-base-sizes.yaml"
    patch = yaml.safe_load(file.read_text())
    assert patch["upstream"]["first_version"] == f"2.0.1.dev2+g{sha[:10]}"
    assert patch["rewrites"][0]["arguments"]["parameter"] == "layers"
    # Nothing but the two folders and the note of the first is new, and nothing else has changed.
    after = applied.files()
    assert {path: after[path] for path in before} == before
    assert all(path.startswith(f"build/lanes/{mark}{sha[:10]}") for path in after.keys() - before.keys()
               for mark in ["." if "/." in path else ""])  # fmt: skip
    assert applied.run("apply", "--to", sha[:12]) == (0, output)
    assert applied.files() == after


def test_its_patches_serve_once_they_are_taken_over(applied: Project) -> None:
    sha = commit(applied, {"up/base.py": NEW["up/base.py"].replace("spec=None)", "spec=None, layers=0)")})
    assert applied.run("apply", "--to", sha)[0] == 0
    folder = applied.root / f"build/lanes/{sha[:10]}-patches"
    (file,) = folder.iterdir()
    file.rename(applied.root / "patches" / file.name)
    later = commit(applied, {"README.md": "more"})
    code, output = applied.run("apply", "--to", later)
    assert code == 0, output
    assert "after 1 patch" in output
    assert not (applied.root / f"build/lanes/{later[:10]}-patches").exists()
    assert "layers=0" in (applied.root / f"build/lanes/{later[:10]}/src/mine/base.py").read_text()
    # The lanes there are do not know it.
    assert applied.run("apply", "--check") == (0, "")


def test_what_needs_an_author_is_told(applied: Project) -> None:
    write(applied.root / "backend", {"src/mine/more.py": "from up.extra import only_new\n\nonly_new(1)\n"})
    sha = commit(applied, {"up/extra.py": "def other(a, b):\n    return a\n"})
    before = applied.files("backend", "patches")
    code, output = applied.run("apply", "--to", sha)
    assert code == 1
    assert "needs an author: up.extra" in output
    (file,) = (applied.root / f"build/lanes/{sha[:10]}-patches").iterdir()
    assert yaml.safe_load(file.read_text())["status"] == "needs-author"
    assert applied.files("backend", "patches") == before


def test_a_newer_tag_keeps_its_version(applied: Project) -> None:
    sha = commit(applied, {"README.md": "text"})
    git(applied.root.parent / "upstream", "tag", "v2.1.0rc1")
    code, output = applied.run("apply", "--to", "v2.1.0rc1")
    assert code == 0, output
    assert f"{sha[:10]}: 2.1.0rc1 after 0 patches" in output


def test_another_repository_may_have_the_commit(applied: Project, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(tmp_path / "upstream"), str(tmp_path / "fork"))
    write(tmp_path / "fork", {"README.md": "text"})
    git(tmp_path / "fork", "add", "-A")
    git(tmp_path / "fork", "commit", "-qm", "Only here")
    code, output = applied.run("apply", "--to", "main", "--upstream", str(tmp_path / "fork"))
    assert code == 0, output
    assert "2.0.1.dev1+g" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "v1.0.0"), "v1.0.0 is the lane of 1.0.0: run syncbot apply without --to"),
        (("--to", "v2.0.0"), "v2.0.0 is the lane of 2.0.0"),
        (("--to", "nothing"), "has no commit 'nothing'"),
        (("--to", "main", "--check"), "leave out --lane and --check"),
        (("--upstream", "x"), "give --to REF too"),
    ],
)
def test_what_is_refused(project: Project, arguments: tuple[str, ...], message: str) -> None:
    before = project.files()
    code, output = project.run("apply", *arguments)
    assert code == 2
    assert message in output
    assert project.files() == before


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (["v2.0.0"], "2.0.1.dev1"),
        (["v2.0.0", "v2.1.0rc1"], "2.1.0rc2.dev1"),
        (["v2.0.0", "v2.1"], "2.2.dev1"),
        (["v2.0.0", "v2.0.0.post1"], "2.0.1.dev1"),
    ],
)
def test_the_version_lies_between_what_is_behind_it_and_what_may_follow(
    project: Project, tags: list[str], expected: str
) -> None:
    upstream = project.root.parent / "upstream"
    for tag in tags[1:]:
        git(upstream, "tag", tag)
    sha = commit(project, {"README.md": "text"})
    with GitRepository(upstream / ".git") as repository:
        found = unlisted_lane.target(repository, matrix.parse(MATRIX), sha).lane.version
    assert str(found) == f"{expected}+g{sha[:10]}"
    assert found > max(Version(tag.removeprefix("v")) for tag in tags)


def test_a_release_that_the_main_line_does_not_hold_is_the_base_all_the_same(project: Project) -> None:
    upstream = project.root.parent / "upstream"
    git(upstream, "checkout", "-qb", "release")
    commit(project, {"README.md": "release"})
    git(upstream, "tag", "-f", "v2.0.0")
    git(upstream, "checkout", "-q", "main")
    git(upstream, "tag", "v1.9.0")
    sha = commit(project, {"README.md": "text"})
    with GitRepository(upstream / ".git") as repository:
        assert (
            str(unlisted_lane.target(repository, matrix.parse(MATRIX), sha).lane.version)
            == f"2.0.1.dev1+g{sha[:10]}"
        )
        with pytest.raises(UsageError, match=r"main~1 is not newer than the baseline v2\.0\.0"):
            unlisted_lane.target(repository, matrix.parse(MATRIX), "main~1")
