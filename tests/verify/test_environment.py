from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from syncbot.errors import EnvironmentFailure
from syncbot.verify.environment import Environment, ensure, find
from syncbot.verify.installer import Installer
from syncbot.verify.recipe import Recipe

pytestmark = [pytest.mark.machine, pytest.mark.usefixtures("index", "notes")]
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def recipe(sdist: Path, cache: Path) -> Recipe:
    return Recipe(
        distribution="tiny",
        version="1.5",
        sdist_sha256=hashlib.sha256(sdist.read_bytes()).hexdigest(),
        python=PYTHON,
        pins=("tinydep==1", "tinytool==1"),
        build_environment=(("TINY_KIND", "empty"),),
        sources=Installer.of_this_machine(cache, ("TINY_NOTES",)).sources,
    )


def install(recipe: Recipe, sdist: Path, cache: Path) -> Environment:
    return ensure(recipe, lambda: sdist, Installer.of_this_machine(cache, ("TINY_NOTES",)), cache)


def says(environment: Environment, program: str) -> str:
    done = subprocess.run([environment.python, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_upstream_is_built_as_told_and_installed_with_its_pins(
    recipe: Recipe, sdist: Path, cache: Path, notes: Path
) -> None:
    environment = install(recipe, sdist, cache)
    # The sdist asks for tinytool 9, which nobody has: the lane's pin outweighs it for the build.
    assert notes.read_text() == "1 empty\n"
    assert says(environment, "import tiny, tinydep; print(tiny.KIND, tinydep.VERSION)") == "empty 1"
    assert "tinydep==1" in environment.installed
    assert environment.digest == recipe.digest


def test_scripts_and_modules_work_after_the_rename(recipe: Recipe, sdist: Path, cache: Path) -> None:
    environment = install(recipe, sdist, cache)
    prefix = says(environment, "import sys; print(sys.prefix)")
    assert Path(prefix) == environment.folder
    assert not list(environment.folder.parent.glob(".building-*"))


def test_a_second_request_installs_nothing(recipe: Recipe, sdist: Path, cache: Path) -> None:
    first = install(recipe, sdist, cache)

    def no_sdist() -> Path:
        raise AssertionError("asked for the source distribution again")

    assert ensure(recipe, no_sdist, Installer.of_this_machine(cache, ("TINY_NOTES",)), cache) == first


def test_another_pin_makes_another_environment_and_leaves_the_first(
    recipe: Recipe, sdist: Path, cache: Path
) -> None:
    first = install(recipe, sdist, cache)
    second = install(replace(recipe, pins=("tinydep==2", "tinytool==1")), sdist, cache)
    assert says(first, "import tinydep; print(tinydep.VERSION)") == "1"
    assert says(second, "import tinydep; print(tinydep.VERSION)") == "2"


def test_an_unfinished_environment_is_not_taken_for_one(recipe: Recipe, sdist: Path, cache: Path) -> None:
    environment = install(recipe, sdist, cache)
    (environment.folder / "environment.json").unlink()
    leftover = environment.folder.with_name(f".building-{environment.folder.name}-x")
    (leftover / "lib").mkdir(parents=True)
    assert find(recipe, cache) is None
    again = install(recipe, sdist, cache)
    assert says(again, "import tiny; print(tiny.KIND)") == "empty"
    assert not leftover.exists()


def test_an_environment_whose_interpreter_is_gone_is_made_again(
    recipe: Recipe, sdist: Path, cache: Path
) -> None:
    environment = install(recipe, sdist, cache)
    environment.python.unlink()
    assert find(recipe, cache) is None
    assert says(install(recipe, sdist, cache), "import tiny; print(tiny.KIND)") == "empty"


def test_the_wheel_is_built_once_for_several_environments(
    recipe: Recipe, sdist: Path, cache: Path, notes: Path
) -> None:
    install(recipe, sdist, cache)
    install(replace(recipe, requires=("tinytool",)), sdist, cache)
    assert notes.read_text().count("\n") == 1


def test_two_processes_at_once_build_once(recipe: Recipe, sdist: Path, cache: Path, notes: Path) -> None:
    program = f"""
from pathlib import Path
from syncbot.verify.environment import ensure
from syncbot.verify.installer import Installer
from syncbot.verify.recipe import Recipe
cache = Path({str(cache)!r})
print(ensure({recipe!r}, lambda: Path({str(sdist)!r}), Installer.of_this_machine(cache, ("TINY_NOTES",)), cache).folder)
"""
    processes = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    folders = {process.communicate()[0].strip() for process in processes}
    assert [process.returncode for process in processes] == [0, 0]
    assert len(folders) == 1
    assert notes.read_text().count("\n") == 1


def test_a_version_that_nobody_has_is_one_line_with_the_log(recipe: Recipe, sdist: Path, cache: Path) -> None:
    with pytest.raises(EnvironmentFailure, match=r"tinydep==7") as caught:
        install(replace(recipe, pins=("tinydep==7", "tinytool==1")), sdist, cache)
    message = str(caught.value)
    assert "\n" not in message
    assert "No solution found" in message
    log = Path(message.rpartition("(")[2].rstrip(")"))
    assert "tinydep" in log.read_text()


def test_a_build_that_fails_tells_its_own_error(
    recipe: Recipe, tmp_path: Path, cache: Path, pack: Callable[[Path, dict[str, str]], Path]
) -> None:
    members = {
        "broken-1.5/pyproject.toml": "[build-system]\nrequires = []\n"
        'build-backend = "backend"\nbackend-path = ["."]\n',
        "broken-1.5/backend.py": "def build_wheel(*a, **k):\n    raise RuntimeError('no compiler')\n",
    }
    broken = pack(tmp_path / "broken-1.5.tar.gz", members)
    with pytest.raises(EnvironmentFailure, match=r"cannot build tiny 1\.5: RuntimeError: no compiler"):
        install(replace(recipe, sdist_sha256="b" * 64), broken, cache)


def test_an_sdist_of_another_version_is_refused(recipe: Recipe, sdist: Path, cache: Path) -> None:
    with pytest.raises(EnvironmentFailure, match=r"builds version 1\.5\+empty"):
        install(replace(recipe, version="1.6"), sdist, cache)
