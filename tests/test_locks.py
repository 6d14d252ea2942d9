"""The versions, hashes and commits of all that syncbot's development, action and CI install are locked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from uv import find_uv_bin

ROOT = Path(__file__).parents[1]
LOCKED = {
    ".ci/locks/syncbot.txt": (),
    ".ci/locks/development.txt": ("--extra", "dev", "--extra", "typecheck"),
}
INSTALL = ROOT / ".ci/install.py"
LOCK = ROOT / ".ci/locks/syncbot.txt"
WORKFLOWS = [
    ROOT / "action.yml",
    ROOT / "docs/publishing.md",
    *(ROOT / ".github/workflows").glob("*.yml"),
    *(ROOT / "docs/workflows").glob("*.yml"),
]


def requirements(texts: list[str]) -> set[tuple[str, frozenset[str]]]:
    return {(each.name.lower(), frozenset(map(str, each.specifier))) for each in map(Requirement, texts)}


def test_the_lock_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        wanted += extra
    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    [ours] = [package for package in lock["package"] if package["name"] == project["name"]]
    locked = [f"{each['name']}{each.get('specifier', '')}" for each in ours["metadata"]["requires-dist"]]
    assert requirements(locked) == requirements(wanted), "make lock"
    assert lock["requires-python"] == project["requires-python"]


def test_what_building_needs_is_locked_too() -> None:
    """The action and `make` build without fetching anything for it."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = {each.name for each in map(Requirement, document["build-system"]["requires"])}
    assert "hatch-vcs" in needed
    for file in LOCKED:
        assert needed <= set(
            re.findall(r"^([\w.-]+)==", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
        )


@pytest.mark.parametrize("file", LOCKED)
def test_what_is_installed_follows_from_the_lock(file: str) -> None:
    words = ["--frozen", "--offline", "--quiet", "--no-emit-project", "--no-header", "--no-annotate"]
    words += ["--group", "build"]
    done = subprocess.run(
        [find_uv_bin(), "export", *words, "--format", "requirements-txt", *LOCKED[file]],
        capture_output=True, text=True, check=True, cwd=ROOT, env=os.environ | {"UV_NO_CONFIG": "1"},
    )  # fmt: skip
    assert done.stdout == (ROOT / file).read_text(encoding="utf-8"), "make lock"


@pytest.mark.parametrize("file", LOCKED)
def test_every_file_is_named_by_hashes_and_no_host(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", text.strip())
    assert len(entries) > 20
    for entry in entries:
        assert re.match(r"[\w.-]+==[\w.]+", entry), entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry
    assert "://" not in text
    assert "index" not in text


def test_the_lock_names_the_public_index_only() -> None:
    hosts = set(re.findall(r"https?://([^/\"]+)", (ROOT / "uv.lock").read_text(encoding="utf-8")))
    assert hosts == {"pypi.org", "files.pythonhosted.org"}


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_actions_of_others_are_named_by_their_commit(file: Path) -> None:
    used = re.findall(r"\buses: (\S+)(.*)", file.read_text(encoding="utf-8"))
    foreign = [(name, rest) for name, rest in used if name != "./" and not name.startswith("OWNER/")]
    assert foreign
    for name, rest in foreign:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name), name
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", rest), name


def test_the_program_that_installs_needs_nothing_installed() -> None:
    """It takes uv from the lock, by its hashes, and no other package with it."""
    code = f"import runpy; print(runpy.run_path({str(INSTALL)!r})['entry'](open({str(LOCK)!r}).read(), 'uv'), end='')"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)
    assert re.match(r"uv==[\d.]+ \\\n    --hash=sha256:", done.stdout)
    assert re.findall(r"^\S+", done.stdout, re.MULTILINE) == [done.stdout.partition(" ")[0]]
    assert done.stdout in LOCK.read_text(encoding="utf-8") + "\n"


def test_a_lock_without_uv_is_an_error() -> None:
    code = f"import runpy; runpy.run_path({str(INSTALL)!r})['entry']('uvloop==1 --hash=sha256:0\\n', 'uv')"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False)
    assert "KeyError: 'uv'" in done.stderr
