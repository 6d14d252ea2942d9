"""A release, built from a tag, and its wheel in an environment that has nothing else: what ``uvx syncbot`` gives somebody who never saw it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from syncbot.starting_files.own_origin import origin_of
from tests.upstream.package_index import File, Index, tar

ROOT = Path(__file__).parents[2]
RELEASED = (
    *(".git_archival.txt", ".gitattributes", "CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml"),
    "syncbot",
)
pytestmark = pytest.mark.machine


def run(
    *command: str, folder: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    settings = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    # Whatever Python comes first here: it may be too old.
    settings["UV_PYTHON"] = sys.executable
    return subprocess.run(
        command, cwd=folder, env=settings | (environment or {}), capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository of the files that a release is built from, with the tags of a release."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in RELEASED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    (folder / ".gitignore").write_text("__pycache__\n", encoding="utf-8")
    git(folder, "init", "--quiet")
    commit(folder)
    git(folder, "tag", "v1.2.3")
    # The tag that people name in workflows moves along.
    git(folder, "tag", "v1")
    return folder


def git(folder: Path, *arguments: str) -> None:
    done = run("git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments, folder=folder)
    assert done.returncode == 0, done.stderr


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "A change")


@pytest.fixture(scope="module")
def release(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with source distribution and wheel, the wheel being built from the source distribution."""
    out = tmp_path_factory.mktemp("release")
    done = run(sys.executable, "-m", "uv", "build", "--no-config", "--out-dir", str(out), folder=checkout)
    assert done.returncode == 0, done.stderr
    made = sorted(file.name for file in out.iterdir() if file.name.startswith("syncbot-"))
    assert made == ["syncbot-1.2.3-py3-none-any.whl", "syncbot-1.2.3.tar.gz"]
    return out


def test_a_release_has_what_it_needs_and_no_more(release: Path) -> None:
    with zipfile.ZipFile(release / "syncbot-1.2.3-py3-none-any.whl") as wheel:
        names = set(wheel.namelist())
    tracked = run("git", "ls-files", "syncbot", folder=ROOT).stdout.split()
    assert set(tracked) <= names
    assert {name.partition("/")[0] for name in names} == {"syncbot", "syncbot-1.2.3.dist-info"}
    assert {"syncbot/py.typed", "syncbot-1.2.3.dist-info/licenses/LICENSE"} <= names
    with tarfile.open(release / "syncbot-1.2.3.tar.gz") as source:
        assert set(tracked) <= {name.partition("/")[2] for name in source.getnames()}


def version(folder: Path) -> str:
    """The version that a build from the folder has."""
    done = run(sys.executable, "-m", "hatchling", "version", folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_version_is_that_of_the_tags(checkout: Path, tmp_path: Path) -> None:
    assert version(checkout) == "1.2.3"
    later, archive, bare = (tmp_path / name for name in ("later", "archive", "bare"))
    shutil.copytree(checkout, later)
    commit(later)
    assert re.fullmatch(r"1\.2\.4\.dev1\+g[0-9a-f]+", version(later))
    # As GitHub packs an action.
    git(checkout, "archive", "--output", str(tmp_path / "archive.tar"), "HEAD")
    with tarfile.open(tmp_path / "archive.tar") as packed:
        packed.extractall(archive, filter="data")
    assert version(archive) == "1.2.3"
    (archive / ".git_archival.txt").unlink()
    assert version(archive) == "0.0.0"
    shutil.copytree(archive, bare)
    git(bare, "init", "--quiet")
    commit(bare)
    assert re.fullmatch(r"0\.0\.1\.dev1\+g[0-9a-f]+", version(bare))


@contextmanager
def served(folder: Path, wheel: Path) -> Iterator[str]:
    """An index with one wheel, which any web server can be."""
    (folder / "simple/syncbot").mkdir(parents=True)
    shutil.copy(wheel, folder / "simple/syncbot")
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/simple"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """The checkout of a plugin whose upstream lost what it imports."""
    folder = tmp_path / "plugin"
    (folder / "my_plugin").mkdir(parents=True)
    (folder / "my_plugin/__init__.py").write_text("from toy import old\n", encoding="utf-8")
    (folder / "pyproject.toml").write_text(
        '[project]\nname = "my-plugin"\ndependencies = ["toy==1.0"]\n', encoding="utf-8"
    )
    return folder


UPSTREAM = [
    File(f"toy-{version}.tar.gz", tar({f"toy-{version}/toy/__init__.py": text}))
    for version, text in (("1.0", b"old = new = 1\n"), ("1.1", b"new = 1\n"))
]
UVX = (sys.executable, "-m", "uv", "tool", "run", "--no-config")


def test_it_answers_in_any_plugin(release: Path, plugin: Path, tmp_path: Path) -> None:
    uvx = (*UVX, "--find-links", str(release), "--from", "syncbot")
    with Index(UPSTREAM) as index:
        environment = {
            "SYNCBOT_CACHE": str(tmp_path / "cache"),
            "UV_TOOL_DIR": str(tmp_path / "tools"),
            "PIP_INDEX_URL": index.url,
        }
        version = run(*uvx, "syncbot", "--version", folder=plugin, environment=environment)
        assert version.stdout == "syncbot 1.2.3\n", version.stderr
        asked = run(*uvx, "syncbot", "check", folder=plugin, environment=environment)
        line = asked.stderr.splitlines()[-1].partition("): ")[2]
        assert line == "syncbot check --upstream toy --from 1.0 --to latest", asked.stderr
        done = run(*uvx, *line.split(), folder=plugin, environment=environment)
    assert "my_plugin/__init__.py:1: toy.old" in done.stdout, done.stderr
    assert done.returncode == 1


def test_one_line_from_a_git_repository_or_a_wheel_and_init_pins_it(
    checkout: Path, release: Path, plugin: Path, tmp_path: Path
) -> None:
    """As the README has it, with a repository on this machine in the place of the public one."""
    commit = run("git", "rev-parse", "HEAD", folder=checkout).stdout.strip()
    clone, address = tmp_path / "clone", "https://code.example/team/syncbot"
    git(tmp_path, "clone", "--quiet", "--no-checkout", str(checkout), str(clone))
    git(clone, "remote", "set-url", "origin", address)
    [wheel] = release.glob("*.whl")
    with Index(UPSTREAM) as index, served(tmp_path / "index", wheel) as own_index:
        environment = {
            "SYNCBOT_CACHE": str(tmp_path / "cache"),
            "UV_TOOL_DIR": str(tmp_path / "tools"),
            "PIP_INDEX_URL": index.url,
        }
        check = (
            "syncbot",
            "check",
            "--upstream",
            "toy",
            "--from",
            "1.0",
            "--to",
            "1.1",
            "--fail-on",
            "never",
        )
        of_git, of_index = f"git+file://{clone}@{commit}", ("--index", own_index, "--from", "syncbot==1.2.3")
        # Whatever tells of it, the wheel of the release answers as it does in any plugin.
        done = run(*UVX, "--from", of_git, *check, folder=plugin, environment=environment)
        assert (done.returncode, "my_plugin/__init__.py:1: toy.old" in done.stdout) == (0, True), done.stderr
        for source in (("--from", of_git), ("--from", str(wheel)), of_index):
            told = run(*UVX, *source, "syncbot", "init", folder=plugin, environment=environment)
            [line] = [line for line in told.stdout.splitlines() if line.startswith("syncbot ")]
            pinned = f"git+{address}@{commit}" if "git+" in source[1] else "set the variable SYNCBOT"
            assert pinned in line
        site = tmp_path / "site"
        pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation")
        done = run(*pip, "--no-compile", "--target", str(site), of_git, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        [recorded] = site.glob("syncbot-*.dist-info/direct_url.json")
        assert origin_of(json.loads(recorded.read_text(encoding="utf-8"))).source == f"git+{address}@{commit}"
