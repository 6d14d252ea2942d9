"""Generated files are as the code makes them; a new rewrite and a new check come with their cases."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
COPIED = ("syncbot", "tests", "docs", "patches", "benchmarks", ".ci")


def _tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_files_are_current() -> None:
    stale = [str(p) for p, text in _tool("generated").files().items() if p.read_text("utf-8") != text]
    assert stale == [], "run: make generated"


def test_what_stands_between_marks_is_exchanged_and_nothing_else() -> None:
    between = _tool("generated").between
    assert between("a\n<!-- x -->\nold\n<!-- /x -->\nb\n", "x", "new\n") == (
        "a\n<!-- x -->\nnew\n<!-- /x -->\nb\n"
    )
    with pytest.raises(ValueError, match="no <!-- y -->"):
        between("a\n<!-- x -->\n<!-- /x -->\n", "y", "new\n")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The repository as far as these steps need it; its environment is the one that runs the tests."""
    for folder in COPIED:
        # With the bytecode: each command would compile all of it again.
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for file in ("pyproject.toml", "Makefile", "README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / file, tmp_path)
    if (ROOT / ".mypy_cache").exists():
        shutil.copytree(ROOT / ".mypy_cache", tmp_path / ".mypy_cache")
    (tmp_path / ".venv").mkdir()
    for part in Path(sys.prefix).iterdir():
        if part.name not in (".runs", ".installed"):
            (tmp_path / ".venv" / part.name).symlink_to(part)
    for done in (".runs", ".installed"):
        (tmp_path / ".venv" / done).touch()
    return tmp_path


def run(line: str, folder: Path) -> str:
    done = subprocess.run(
        line,
        shell=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder), "HYPOTHESIS_PROFILE": "copy"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    assert "no tests ran" not in done.stdout
    return done.stdout


def ruff(files: list[str]) -> str:
    """The command that looks at those which are Python."""
    python = " ".join(file for file in files if file.endswith(".py"))
    return f".venv/bin/ruff check {python} && .venv/bin/ruff format --check {python}"


def changed(folder: Path) -> list[str]:
    """The files of a copy that the repository has not, or has with other contents."""
    found = []
    for path in (p for part in COPIED for p in (folder / part).rglob("*") if p.is_file()):
        if "__pycache__" not in path.parts and ".hypothesis" not in path.parts:
            ours = ROOT / path.relative_to(folder)
            if not ours.exists() or ours.read_bytes() != path.read_bytes():
                found.append(str(path.relative_to(folder)))
    return sorted(found)


@pytest.mark.long
@pytest.mark.parametrize(
    ("target", "files", "made", "tests"),
    [
        (
            "new-rule",
            [
                "syncbot/patching/rewrites/call_awaited.py",
                "tests/patching/rewrites/call_awaited.md",
                "tests/patching/rewrites/test_call_awaited.py",
            ],
            ["docs/patches.md", "docs/schemas/patch.json"],
            "tests/patching/rewrites/call_awaited.md tests/patching/test_model.py"
            " tests/patching/test_round_trips.py tests/test_generated.py -k 'not new_files and not steps'",
        ),
        (
            "new-check",
            ["syncbot/contracts/kinds/seen_errors.py", "tests/contracts/cases/kinds/seen_errors.md"],
            [],
            "tests/contracts/cases/kinds/seen_errors.md tests/contracts/test_identity.py",
        ),
    ],
)
def test_new_files_are_green_as_they_are_made(
    copy: Path, target: str, files: list[str], made: list[str], tests: str
) -> None:
    name = Path(files[0]).stem
    run(f"make {target} NAME={name}", copy)
    assert changed(copy) == sorted([*files, *made])
    run(ruff(files), copy)
    run(f".venv/bin/mypy --strict {files[0]}", copy)
    run(f".venv/bin/pytest -p no:cacheprovider {tests}", copy)
    again = subprocess.run(
        ["make", target, f"NAME={name}"], cwd=copy, capture_output=True, text=True, check=False
    )
    assert again.returncode != 0
    assert f"{', '.join(files)} exists already: choose another name" in again.stderr


@pytest.mark.long
def test_the_steps_of_contributing_end_green(copy: Path) -> None:
    """Its files and its commands in their order, in a copy; the repository stays as it is."""
    text = (copy / "CONTRIBUTING.md").read_text(encoding="utf-8")
    steps = re.findall(
        r"^`([\w/.]+)`:\n\n(`{3,})(?:python|markdown)\n(.*?)^\2$|^```sh\n(.*?)^```$",
        text,
        re.MULTILINE | re.DOTALL,
    )
    written = [path for path, *_ in steps if path]
    assert len(written) == 5
    for path, _, code, lines in steps:
        if path:
            assert not (ROOT / path).exists(), f"{path} is taken: choose another example"
            assert (copy / path).exists(), f"no command has made {path}"
            (copy / path).write_text(code, encoding="utf-8")
        for line in lines.splitlines():
            run(line, copy)
    assert changed(copy) == sorted([*written, "docs/kinds.md", "docs/patches.md", "docs/schemas/patch.json"])
    run(ruff(written), copy)
    run(f".venv/bin/mypy --strict {' '.join(path for path in written if path.startswith('syncbot/'))}", copy)
