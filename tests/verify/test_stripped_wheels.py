from __future__ import annotations

import subprocess
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from syncbot.errors import EnvironmentFailure
from syncbot.verify.installer import Installer
from syncbot.verify.recipe import Recipe
from syncbot.verify.release_files import published_source
from syncbot.verify.stripped_wheels import pure
from syncbot.verify.upstream_wheel import upstream_wheel

pytestmark = pytest.mark.machine

NAME = "heavy-2.0-py3-none-any.whl"


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A wheel with a compiled library, a requirement of its device, and one that everybody needs."""
    file, info = tmp_path / "given" / NAME, "heavy-2.0.dist-info"
    file.parent.mkdir()
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr("heavy/__init__.py", "ANSWER = 42\n")
        wheel.writestr("heavy/_C.abi3.so", b"\x7fELF")
        wheel.writestr(
            f"{info}/METADATA",
            "Metadata-Version: 2.1\nName: heavy\nVersion: 2.0\nRequires-Dist: tinydep>=1\n"
            'Requires-Dist: Device_Kit==9; python_version > "3"\n\nWhat it is.\n',
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: false\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "heavy/_C.abi3.so,,\n")
    return file


def test_libraries_and_named_requirements_are_left_out(published: Path, tmp_path: Path) -> None:
    made = pure(published, NAME, tmp_path / "made", ("device-kit",))
    with zipfile.ZipFile(made) as wheel:
        names = wheel.namelist()
        metadata = Parser().parsestr(wheel.read("heavy-2.0.dist-info/METADATA").decode())
        record = wheel.read("heavy-2.0.dist-info/RECORD").decode().splitlines()
    assert "heavy/_C.abi3.so" not in names
    assert metadata.get_all("Requires-Dist") == ["tinydep>=1"]
    assert metadata.get_payload() == "What it is.\n"
    assert sorted(line.partition(",")[0] for line in record) == sorted(names)


def test_requirements_that_nobody_names_stay(published: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(pure(published, NAME, tmp_path / "made", ())) as wheel:
        assert "Device_Kit==9" in wheel.read("heavy-2.0.dist-info/METADATA").decode()


def test_what_is_no_wheel_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.whl"
    file.write_bytes(b"not a zip")
    with pytest.raises(EnvironmentFailure, match=r"cannot read heavy-2\.0"):
        pure(file, NAME, tmp_path / "made", ())


@pytest.mark.usefixtures("index")
def test_the_result_can_be_installed(published: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    installer = Installer.of_this_machine(cache)
    recipe = Recipe("heavy", "2.0", "f" * 64, "3.11", published=NAME, without=("device-kit",))
    wheel = upstream_wheel(recipe, published, installer, cache)
    python = installer.create(tmp_path / "venv", tmp_path / "log")
    installer.install(python, [str(wheel)], (), tmp_path / "log")
    said = subprocess.run(
        [python, "-c", "import heavy, tinydep; print(heavy.ANSWER)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == "42\n"


def test_a_recipe_on_a_published_wheel_is_another_one() -> None:
    plain = Recipe("heavy", "2.0", "f" * 64, "3.11")
    wheel = Recipe("heavy", "2.0", "f" * 64, "3.11", published=NAME)
    assert (
        plain.digest
        != wheel.digest
        != Recipe("heavy", "2.0", "f" * 64, "3.11", published=NAME, without=("x",)).digest
    )
    # Without a published wheel, what would be left out of one does not count.
    assert plain.digest == Recipe("heavy", "2.0", "f" * 64, "3.11", without=("x",)).digest


def test_the_wheel_stands_in_where_there_is_no_sdist(server: str, index: Path, tmp_path: Path) -> None:
    page = tmp_path / "web" / "simple" / "tinydep"
    page.mkdir()
    names = ["tinydep-2-py3-none-any.whl", "tinydep-2-cp39-cp39-win32.whl"]
    (page / "index.html").write_text("".join(f'<a href="{name}">{name}</a>' for name in names))
    found = published_source("tinydep", "2", server, tmp_path / "cache")
    assert (found.kind, found.filename) == ("wheel", names[0])
