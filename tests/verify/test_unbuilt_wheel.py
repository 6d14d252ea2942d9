"""A plugin's wheel is made of its source distribution as it is: no build of it runs."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from syncbot.errors import EnvironmentFailure
from syncbot.verify.unbuilt_wheel import SOURCES, members, unbuilt_wheel

FILES = {
    "setup.py": "raise SystemExit('the build ran')\n",
    "PKG-INFO": "Metadata-Version: 2.1\nName: some-plugin\nVersion: 1.2.0rc1\n",
    "some_plugin/__init__.py": "from some_plugin._build import DEVICE\n",
    "some_plugin/data.yaml": "a: 1\n",
    "csrc/binding.cpp": "// schemas\n",
    "csrc/kernels/other.cpp": "// kernels\n",
    "tests/test_it.py": "",
    "some_plugin.egg-info/top_level.txt": "some_plugin\n",
    "some_plugin.egg-info/entry_points.txt": "[some.plugins]\nmine = some_plugin:register\n",
}


def sdist(folder: Path, files: dict[str, str]) -> Path:
    path = folder / "download"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"some_plugin-1.2.0rc1/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return path


def wheel(tmp_path: Path, files: dict[str, str] = FILES, kept: tuple[str, ...] = ()) -> Path:
    written = {"some_plugin/_build.py": "DEVICE = 'A2'\n"}
    return unbuilt_wheel(
        members(sdist(tmp_path, files)), "some-plugin", "1.2.0rc1", written, kept, tmp_path / "made"
    )


def test_it_holds_the_packages_and_what_the_build_would_write(tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel(tmp_path, kept=("csrc/binding.cpp",))) as made:
        assert sorted(made.namelist()) == [
            f"{SOURCES}/csrc/binding.cpp",
            "some_plugin-1.2.0rc1.dist-info/METADATA",
            "some_plugin-1.2.0rc1.dist-info/RECORD",
            "some_plugin-1.2.0rc1.dist-info/WHEEL",
            "some_plugin-1.2.0rc1.dist-info/entry_points.txt",
            "some_plugin/__init__.py",
            "some_plugin/_build.py",
            "some_plugin/data.yaml",
        ]


def test_it_can_be_installed_and_has_its_entry_points(tmp_path: Path) -> None:
    site = tmp_path / "site"
    install = ["-m", "pip", "install", "--quiet", "--no-index", "--target", str(site), str(wheel(tmp_path))]
    subprocess.run([sys.executable, *install], check=True)
    look = (
        "import importlib.metadata as m; d = m.distribution('some-plugin'); print(d.version, *d.entry_points)"
    )
    said = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(site)!r}); {look}"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert said.startswith("1.2.0rc1 EntryPoint(name='mine', value='some_plugin:register'")


def test_a_kept_folder_comes_whole_and_its_name_is_no_prefix(tmp_path: Path) -> None:
    files = FILES | {"csrc_other/x.cpp": ""}
    with zipfile.ZipFile(wheel(tmp_path, files, kept=("csrc",))) as made:
        kept = [name for name in made.namelist() if name.startswith(SOURCES)]
    assert kept == [f"{SOURCES}/csrc/binding.cpp", f"{SOURCES}/csrc/kernels/other.cpp"]


def test_the_same_source_gives_the_same_bytes(tmp_path: Path) -> None:
    first = wheel(tmp_path).read_bytes()
    assert wheel(tmp_path).read_bytes() == first


@pytest.mark.parametrize(
    ("files", "kept", "words"),
    [
        ({"PKG-INFO": ""}, (), "says nowhere what its packages are"),
        (FILES, ("csrc/none.cpp",), "has no csrc/none.cpp"),
    ],
)
def test_what_is_missing_is_told(
    tmp_path: Path, files: dict[str, str], kept: tuple[str, ...], words: str
) -> None:
    with pytest.raises(EnvironmentFailure, match=words):
        wheel(tmp_path, files, kept)


def test_what_is_no_archive_is_told(tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("no archive")
    with pytest.raises(EnvironmentFailure, match="remove the file"):
        members(tmp_path / "broken")
