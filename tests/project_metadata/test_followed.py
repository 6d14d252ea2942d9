"""The upstream that a project follows, and the version that its files name."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.project_metadata.documents import Documents
from syncbot.project_metadata.entry_points import loaded_names
from syncbot.project_metadata.followed import Pin, followed, pins
from syncbot.project_metadata.requirements import needed

SHA = "0123456789abcdef0123456789abcdef01234567"


def write(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def test_the_group_of_its_entry_points_outranks_what_it_imports_most(tmp_path: Path) -> None:
    text = '[project]\nname = "a"\ndependencies = ["other"]\n[project.entry-points."engine.plugins"]\na = "a:b"\n'
    write(tmp_path, {"pyproject.toml": text})
    sources = [b"import other\nimport other.x\nfrom other import y\nfrom engine import z\n"]
    found = followed(tmp_path, sources)
    assert found is not None
    assert (found.name, found.imports) == ("engine", 1)
    assert "engine.plugins" in found.reason
    again = followed(tmp_path, [b"import other\n"])
    assert again is not None
    assert again.name == "other"


def test_a_group_of_one_word_may_have_a_number(tmp_path: Path) -> None:
    text = '[project]\ndependencies = ["other", "engine"]\n[project.entry-points.{}]\na = "a:b"\n'
    sources = [b"import other\nimport other.x\nfrom engine import z\n"]
    for group, name in (("engine11", "engine"), ("console_scripts", "other"), ("gone11", "other")):
        found = followed(write(tmp_path, {"pyproject.toml": text.format(group)}), sources)
        assert found is not None
        assert found.name == name, group


@pytest.mark.parametrize(
    "files",
    [
        {"setup.py": "setup(install_requires=['other'], entry_points={'console_scripts': [], 'engine.plugins': ['a = b:c']})\n"},
        {"setup.cfg": "[options]\ninstall_requires = other\n[options.entry_points]\nengine.plugins =\n  a = b:c\n"},
        {"pyproject.toml": '[tool.poetry.plugins."engine.plugins"]\na = "b:c"\n', "requirements.txt": "other\n"},
    ],
)  # fmt: skip
def test_entry_points_stand_in_other_files_too(tmp_path: Path, files: dict[str, str]) -> None:
    found = followed(write(tmp_path, files), [b"import other\nimport other.x\nfrom engine import z\n"])
    assert found is not None
    assert (found.name, found.reason) == (
        "engine",
        f"{next(iter(files))} has entry points of the group engine.plugins",
    )


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": '[project]\nname = "a"\ndependencies = ["the-engine>=1", "idle"]\n'},
        {"requirements/common.txt": "-r other.txt\nthe_engine>=1  # why\nidle\n"},
        {
            "setup.py": "from setuptools import setup\nsetup(name='a', install_requires=['The.Engine>=1', 'idle'])\n"
        },
        {"setup.py": "needs = ['The.Engine>=1', 'idle']\nsetup(name='a', install_requires=needs)\n"},
        {"setup.cfg": "[metadata]\nname = a\n[options]\ninstall_requires =\n  the-engine>=1\n  idle\n"},
        {"PKG-INFO": "Name: a\nRequires-Dist: idle\nRequires-Dist: the-engine>=1\n"},
    ],
)
def test_what_is_required_and_imported(tmp_path: Path, files: dict[str, str]) -> None:
    write(tmp_path, files)
    found = followed(tmp_path, [b"  from the_engine.a import b\nimport a\nimport a\n"])
    assert found is not None
    assert found.name == "the-engine"
    assert [(pin.version, pin.bound) for pin in pins(tmp_path, found.name)] == [("1", True)]


def test_a_list_that_is_added_to_is_not_read(tmp_path: Path) -> None:
    text = "needs = ['the-engine', 'idle']\nneeds += more()\nsetup(install_requires=needs)\n"
    assert followed(write(tmp_path, {"setup.py": text}), [b"import the_engine\n"]) is None


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("my-engine-connector", "engine"),
        ("engine", "other"),
        ("json-tools", "other"),
        ("my-idle-tools", "other"),
    ],
)
def test_a_name_with_an_imported_package_in_it_says_what_is_followed(
    tmp_path: Path, name: str, found: str
) -> None:
    write(tmp_path, {"pyproject.toml": f'[project]\nname = "{name}"\ndependencies = ["other"]\n'})
    shown = followed(tmp_path, [b"import engine.a\nimport json\nimport other\nimport other.b\n"])
    assert shown is not None
    assert shown.name == found
    (tmp_path / "src/engine").mkdir(parents=True)
    own = followed(tmp_path, [b"import engine.a\nimport json\nimport other\nimport other.b\n"])
    assert own is not None
    assert own.name == "other"


def test_what_is_not_required_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": '[project]\nname = "a"\ndependencies = ["idle", "b"]\n'})
    assert followed(tmp_path, [b"import os\nimport a\n"]) is None


@pytest.mark.parametrize(
    ("path", "text", "version"),
    [
        ("Dockerfile", "ARG ENGINE_VERSION=v0.31.0\n", "0.31.0"),
        ("docker/Dockerfile.npu", "RUN pip install engine==0.31.0\n", "0.31.0"),
        ("Dockerfile", "FROM quay.example/engine/engine-openai:v0.31.0\n", "0.31.0"),
        (".github/workflows/test.yml", f"      ENGINE_COMMIT: {SHA}\n", SHA),
        (".github/workflows/test.yml", "  - run: pip install git+https://example.org/x/engine.git@v0.31.0\n", "0.31.0"),
        ("scripts/install.sh", f"ENGINE_TAG={SHA}\n", SHA),
        ("requirements-dev.txt", "engine==0.31.0\n", "0.31.0"),
    ],
)  # fmt: skip
def test_pins_in_the_files_of_builds(tmp_path: Path, path: str, text: str, version: str) -> None:
    assert pins(write(tmp_path, {path: text}), "engine") == (Pin(version, path),)


@pytest.mark.parametrize(
    "text",
    [
        "# engine==0.31.0\n",
        "pip install my-engine-tools==0.31.0\n",
        "ENGINE_VERSION=main\n",
        "engine_port: 8000\n",
    ],
)
def test_what_is_no_pin(tmp_path: Path, text: str) -> None:
    assert pins(write(tmp_path, {"Dockerfile": text}), "engine") == ()


def test_what_the_requirement_does_not_allow_is_for_something_else(tmp_path: Path) -> None:
    text = '[project]\nname = "a"\ndependencies = ["engine>=0.20,<0.30"]\n'
    write(tmp_path, {"pyproject.toml": text, "Dockerfile": "RUN pip install engine==0.31.0\n"})
    assert pins(tmp_path, "engine") == (Pin("0.20", "pyproject.toml", bound=True),)


def test_exact_versions_stand_before_bounds(tmp_path: Path) -> None:
    text = '[project]\nname = "a"\ndependencies = ["engine>=0.20,<1"]\n'
    write(tmp_path, {"pyproject.toml": text, "Dockerfile": "RUN pip install engine==0.31.0\n"})
    assert [pin.version for pin in pins(tmp_path, "engine")] == ["0.31.0", "0.20"]


WHEEL = {
    "METADATA": "Metadata-Version: 2.1\nName: my-plugin\nVersion: 1\nRequires-Dist: engine<3,>=2.0\n"
    'Requires-Dist: other==1; extra == "more"\n\nRequires-Dist: described\n',
    "entry_points.txt": "[console_scripts]\nrun = my_plugin:main\n\n[engine.plugins]\nMine = my_plugin.a:B\n",
}


@pytest.mark.parametrize(
    ("folder", "metadata"), [("my_plugin-1.dist-info", "METADATA"), ("my_plugin.egg-info", "PKG-INFO")]
)
def test_an_unpacked_wheel_and_a_source_distribution(tmp_path: Path, folder: str, metadata: str) -> None:
    file = f"{folder}/{metadata}" if metadata == "METADATA" else metadata
    files = {file: WHEEL["METADATA"], f"{folder}/entry_points.txt": WHEEL["entry_points.txt"]}
    write(tmp_path, files)
    found = followed(tmp_path, [b"import other\nimport other.x\nimport engine\n"])
    assert found is not None
    assert (found.name, found.reason) == (
        "engine",
        f"{folder}/entry_points.txt has entry points of the group engine.plugins",
    )
    assert [(each.name, str(each.specifier), each.file) for each in needed(tmp_path)] == [
        ("engine", "<3,>=2.0", file), ("other", "==1", file),
    ]  # fmt: skip
    assert pins(tmp_path, "engine") == (Pin("2.0", file, bound=True),)
    assert Documents(tmp_path).name == "my-plugin"
    assert loaded_names(tmp_path) == {"my_plugin.a.B", "my_plugin.main"}


def test_a_folder_of_many_wheels_and_an_old_build_beside_sources_say_nothing(tmp_path: Path) -> None:
    site = {f"{name}-1.dist-info/METADATA": WHEEL["METADATA"] for name in ("a", "b")}
    write(tmp_path / "site", site)
    assert needed(tmp_path / "site") == ()
    old = {"a.egg-info/PKG-INFO": WHEEL["METADATA"], "a.egg-info/entry_points.txt": WHEEL["entry_points.txt"]}
    write(tmp_path / "checkout", old)
    assert loaded_names(tmp_path / "checkout") == frozenset()
