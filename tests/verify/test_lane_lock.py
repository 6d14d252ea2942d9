"""A lane keeps its locked installation, whatever indexes offer later, and no index replaces another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from syncbot.cli import main
from syncbot.errors import ConfigurationError, EnvironmentFailure
from syncbot.verify import lane_lock
from syncbot.verify.environment import Environment, ensure, find, locked
from syncbot.verify.installer import Installer
from syncbot.verify.lane_lock import LaneLock
from syncbot.verify.recipe import Recipe

pytestmark = pytest.mark.machine


def installed(recipe: Recipe, sdist: Path, cache: Path) -> Environment:
    return ensure(recipe, lambda: sdist, Installer.of_this_machine(cache, ("TINY_NOTES",)), cache)


@pytest.fixture
def recipe(sdist: Path) -> Recipe:
    digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
    return Recipe("tiny", "1.5", digest, "3.11", requires=("tinydep",), pins=("tinytool==1",))


@pytest.mark.usefixtures("index", "notes")
def test_a_lock_installs_the_same_again(
    recipe: Recipe, sdist: Path, tmp_path: Path, index: Path, offer: Callable[..., Path]
) -> None:
    first = installed(recipe, sdist, tmp_path / "first")
    assert first.lock is not None
    assert first.lock.pins == {"tinydep==2", "tinytool==1"}
    assert "tinytool==1" in first.lock.build
    offer(index, "tinydep", "3", {"tinydep.py": "VERSION = 3\n"})
    offer(index, "tinytool", "1.post1", {"tinytool.py": ""})
    locked = replace(recipe, lock=lane_lock.parse(str(first.lock), "lock"))
    again = installed(locked, sdist, tmp_path / "again")
    assert "tinydep==2" in again.installed
    assert (again.digest, again.lock) == (first.digest, first.lock)
    assert "tinydep==3" in installed(recipe, sdist, tmp_path / "unlocked").installed


@pytest.mark.usefixtures("index", "notes")
def test_another_file_of_the_same_version_is_refused(
    recipe: Recipe, sdist: Path, tmp_path: Path, index: Path, offer: Callable[..., Path]
) -> None:
    first = installed(recipe, sdist, tmp_path / "first")
    offer(index, "tinydep", "2", {"tinydep.py": "import os; VERSION = 2\n"})
    with pytest.raises(EnvironmentFailure, match=r"(?i)hash"):
        installed(replace(recipe, lock=first.lock), sdist, tmp_path / "again")
    assert not list((tmp_path / "again/environments").glob("tiny-*/"))


@pytest.mark.usefixtures("index", "notes")
def test_an_environment_from_before_the_lock_is_taken_if_it_holds_the_same(
    recipe: Recipe, sdist: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    first = installed(recipe, sdist, cache)
    assert first.lock is not None
    marker = first.folder / "environment.json"
    told = json.loads(marker.read_text())
    del told["lock"]
    marker.write_text(json.dumps(told))
    same = replace(recipe, lock=first.lock)
    assert find(same, cache) == first
    other = replace(first.lock, run=first.lock.run.replace("tinydep==2", "tinydep==1"))
    assert find(replace(recipe, lock=other), cache) is None


def simple(folder: Path, wheels: list[Path]) -> str:
    """An index of wheels; its address."""
    for wheel in wheels:
        page = folder / wheel.name.split("-")[0]
        page.mkdir(parents=True, exist_ok=True)
        with (page / "index.html").open("a") as links:
            links.write(f'<a href="{wheel.as_uri()}">{wheel.name}</a>\n')
    return folder.as_uri()


def test_a_name_of_one_index_is_never_taken_from_another(
    tmp_path: Path, offer: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ours", "public"):
        (tmp_path / name).mkdir()
    ours = simple(tmp_path / "a", [offer(tmp_path / "ours", "internal", "1", {"internal.py": ""})])
    files = [offer(tmp_path / "public", name, "99", {f"{name}.py": ""}) for name in ("internal", "common")]
    public = simple(tmp_path / "b", files)
    for name in ("PIP_FIND_LINKS", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    configuration = tmp_path / "pip.conf"
    configuration.write_text(f"[global]\nindex-url = {public}\nextra-index-url = {ours}\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(configuration))
    installer = Installer.of_this_machine(tmp_path / "cache")
    log = tmp_path / "log"
    python = installer.create(tmp_path / "venv", log)
    installer.install(python, ["internal", "common"], (), log)
    assert installer.installed(python, log) == ("common==99", "internal==1")
    with pytest.raises(EnvironmentFailure, match="cannot install"):
        installer.install(python, ["internal==99"], (), log)


@pytest.mark.usefixtures("index", "notes")
def test_a_lock_of_what_is_not_installed_is_that_of_what_is(
    recipe: Recipe, sdist: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "second"
    made = locked(recipe, lambda: sdist, Installer.of_this_machine(cache, ("TINY_NOTES",)), cache)
    assert not (cache / "environments").exists()
    assert made == installed(recipe, sdist, tmp_path / "first").lock
    assert locked(recipe, pytest.fail, Installer.of_this_machine(cache), tmp_path / "first") == made


@pytest.mark.usefixtures("index", "notes")
def test_a_lock_can_be_made_without_an_environment(root: Path) -> None:
    def verify(*asked: str) -> tuple[int, str]:
        result = CliRunner().invoke(main, ["verify", *asked, "--backend", str(root)])
        return result.exit_code, result.output

    file, runs = root / "locks/v1.5.txt", root.parent / "runs"
    assert verify("--lock") == (0, f"{file}\n")
    text = file.read_text()
    assert not runs.exists()
    assert verify("--lock") == (0, "")
    assert verify("--simulate")[0] == 0
    assert (runs.exists(), file.read_text()) == (True, text)
    code, output = verify("--lock", "--simulate")
    assert (code, output.count("\n")) == (2, 1)
    assert "leave out" in output


@pytest.mark.usefixtures("index", "notes")
def test_verify_writes_the_lock_and_holds_to_it(root: Path, index: Path, offer: Callable[..., Path]) -> None:
    def verify() -> tuple[int, str]:
        result = CliRunner().invoke(main, ["verify", "--simulate", "--backend", str(root)])
        return result.exit_code, result.output

    code, output = verify()
    assert code == 0, output
    file = root / "locks/v1.5.txt"
    text = file.read_text()
    assert "tinydep==2 \\\n    --hash=sha256:" in text
    assert "://" not in text
    runs = len(Path(root.parent / "runs").read_text().splitlines())
    assert verify()[0] == 0
    assert len(Path(root.parent / "runs").read_text().splitlines()) == runs
    file.write_text(text.replace("tinydep==2", "tinydep==1"))
    assert verify()[0] == 2
    assert "v1.5.txt is no lock that syncbot wrote" in verify()[1]
    file.write_text(text)
    matrix = yaml.safe_load((root / "compat_matrix.yaml").read_text())
    matrix["lanes"][0]["stack"]["tinydep"] = "1"
    (root / "compat_matrix.yaml").write_text(yaml.safe_dump(matrix))
    code, output = verify()
    assert code == 2
    assert "locks another stack than v1.5 has now: remove it, and verify the lane again" in output


@pytest.mark.parametrize("text", ["", "# to build\n# to run\n", "tinydep==1\n"])
def test_a_file_that_is_no_lock(text: str) -> None:
    with pytest.raises(ConfigurationError, match="is no lock that syncbot wrote"):
        lane_lock.parse(text, "locks/v1.txt")


def test_a_lock_is_read_as_it_is_written() -> None:
    run = "tinydep==2 \\\n    --hash=sha256:aa\ntorch==2.13.0+cpu \\\n    --hash=sha256:bb\n"
    for build in ("", "tinytool==1 \\\n    --hash=sha256:cc\n"):
        lock = LaneLock("3.11", "a" * 64, "b" * 64, build, run)
        assert lane_lock.parse(str(lock), "x") == lock
        assert lock.pins == {"tinydep==2", "torch==2.13.0+cpu"}
