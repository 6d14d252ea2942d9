"""``syncbot lint``: what is new in changed files and not in the upstream in use."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from syncbot.contracts.discovery import FileFinder
from syncbot.contracts.sources import SourceFile

from .conftest import Project

LACKING = "from engine.text import clean\n\nclean('a', loud=True)\n"


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=/dev/null")
    subprocess.run(["git", "-C", folder, *who, *words], check=True, capture_output=True)


@pytest.fixture
def committed(project: Project) -> Project:
    """The plugin in a folder of a repository of its own; a file in it relies on what upstream lacks already."""
    project.write(
        {"src/plugin/old.py": LACKING, "src/plugin/other.py": "x = 1\n", "tests/test_a.py": "x = 1\n"}
    )
    settings = project.plugin / "pyproject.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(f'[tool.syncbot]\nupstream = "engine"\n{text}', encoding="utf-8")
    git(project.root, "init", "--quiet", "--template=")
    git(project.root, "add", "plugin")
    git(project.root, "commit", "--quiet", "--message", "Begin")
    return project


def test_what_a_change_relies_on_and_upstream_lacks_is_told(committed: Project) -> None:
    committed.write({
        # What was wrong already is, on another line.
        "src/plugin/old.py": "from engine.config import Config\n" + LACKING + "c = Config(sise=2)\n",
        "src/plugin/new.py": LACKING,
        "src/plugin/other.py": "from engine.text import clean\n\nclean('a', strict=True)\n",
    })  # fmt: skip
    git(committed.root, "add", "plugin")
    done = committed.run("lint", "--at", "v0.1.0")
    assert [line.split(": ")[0] for line in done.stdout.splitlines()] == [
        "src/plugin/new.py:3:1",
        "src/plugin/old.py:5:5",
    ], done.output
    assert "loud" in done.stdout
    assert "sise" in done.stdout
    assert done.exit_code == 1
    git(committed.root, "commit", "--quiet", "--message", "More")
    assert committed.run("lint", "--at", "v0.1.0").stdout == "No source file changed since HEAD.\n"
    assert committed.run("lint", "--at", "v0.1.0", "--since", "HEAD~1").exit_code == 1


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, "No source file changed since HEAD.\n"),
        ({"tests/test_a.py": LACKING}, "No source file changed since HEAD.\n"),
        ({"src/plugin/other.py": "from engine.worker import main\n"}, "engine v0.1.0 has what is new in 1 changed file.\n"),
        ({"src/plugin/old.py": "# Moved\n\n" + LACKING}, "engine v0.1.0 has what is new in 1 changed file.\n"),
        # What the plugin puts in the place of upstream's takes other arguments.
        ({"src/plugin/other.py": LACKING, "src/plugin/patch.py": "import engine.text\n\n\ndef mine(text, loud=False): ...\n\n\nengine.text.clean = mine\n"},
         "engine v0.1.0 has what is new in 2 changed files.\n"),
    ],
    ids=["nothing", "a test", "what it has", "what was wrong", "what is replaced"],
)  # fmt: skip
def test_what_is_no_fault_of_the_change(committed: Project, files: dict[str, str], told: str) -> None:
    committed.write(files)
    git(committed.root, "add", "plugin")
    done = committed.run("lint", "--at", "v0.1.0")
    assert (done.stdout, done.exit_code) == (told, 0), done.output


def test_what_git_does_not_track_is_nobodys_change(committed: Project) -> None:
    committed.write({"src/plugin/new.py": LACKING})
    assert committed.run("lint", "--at", "v0.1.0").exit_code == 0


def test_code_that_does_not_run_on_that_version_is_no_fault(committed: Project) -> None:
    settings = committed.plugin / "pyproject.toml"
    text = settings.read_text(encoding="utf-8").replace(
        "[tool.syncbot]", "[tool.syncbot]\ngate = 'is_up(\"{version}\")'", 1
    )
    settings.write_text(text, encoding="utf-8")
    committed.write({"src/plugin/other.py": 'if is_up("9.9"):\n    from engine.text import gone\n'})
    git(committed.root, "add", "plugin")
    assert committed.run("lint", "--at", "v0.1.0").exit_code == 0
    committed.write({"src/plugin/other.py": 'if is_up("0.1.0"):\n    from engine.text import gone\n'})
    assert committed.run("lint", "--at", "v0.1.0").exit_code == 1


@pytest.mark.parametrize("test", ["if up('9.9')", "if not up('0.1.0')", "if up('9.9'):\n    pass\nelse"])
def test_a_test_of_the_version_that_nobody_configured_may_be_true(committed: Project, test: str) -> None:
    committed.write({"src/plugin/other.py": f"{test}:\n    from engine.text import gone\n"})
    git(committed.root, "add", "plugin")
    assert committed.run("lint", "--at", "v0.1.0").exit_code == 0
    committed.write({"src/plugin/other.py": f"{test}:\n    pass\nfrom engine.text import gone\n"})
    assert committed.run("lint", "--at", "v0.1.0").exit_code == 1


def test_only_what_changed_is_walked(committed: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    walked, found = [], FileFinder.found

    def counted(finder: FileFinder, file: SourceFile) -> object:
        walked.append(file.path)
        return found(finder, file)

    monkeypatch.setattr(FileFinder, "found", counted)
    committed.write({"src/plugin/other.py": "from engine.worker import main\n"})
    git(committed.root, "add", "plugin")
    assert committed.run("lint", "--at", "v0.1.0").exit_code == 0
    assert walked == ["src/plugin/other.py"]


def test_the_version_is_what_the_project_names(committed: Project) -> None:
    committed.write({"requirements.txt": "engine==0.1.0\n", "src/plugin/new.py": LACKING})
    git(committed.root, "add", "plugin")
    done = committed.run("lint")
    assert (done.exit_code, "new.py:3:1" in done.stdout) == (1, True), done.output
    (committed.plugin / "requirements.txt").unlink()
    done = committed.run("lint")
    assert done.exit_code == 2
    assert done.stderr == "syncbot: no file names the version that is followed: syncbot lint --at latest\n"


@pytest.mark.parametrize(
    ("line", "told"),
    [(("--since", "nowhere"), "nowhere"), (("--at", "v9.9.9"), "v9.9.9")],
)
def test_unknown_commits_are_told_in_one_line(committed: Project, line: tuple[str, ...], told: str) -> None:
    committed.write({"src/plugin/other.py": "y = 1\n"})
    done = committed.run("lint", *line)
    assert (done.exit_code, done.stderr.count("\n"), told in done.stderr) == (2, 1, True), done.output


def test_outside_of_git_there_is_no_change(project: Project) -> None:
    done = project.run("lint")
    assert done.exit_code == 2
    assert "is in no git repository: lint compares with a commit" in done.stderr
