"""A build and a run of foreign code: what they see of the caller, and what they can change."""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from syncbot import project_folders
from syncbot.config import SimulationSettings
from syncbot.errors import EnvironmentFailure
from syncbot.isolation.command import refusal
from syncbot.lanes import wheel
from syncbot.verify.environment import Environment
from syncbot.verify.installer import Installer
from syncbot.verify.recipe import Recipe
from syncbot.verify.simulate import Check, PreparedRun, Subject, simulate_all
from syncbot.verify.upstream_wheel import upstream_wheel

pytestmark = pytest.mark.machine

# Says what it sees, tries to write to the project, to leave a mark in the home and to reach a server.
PRIES = """
import json, os, socket
def pry():
    told = {"variables": dict(os.environ), "home": os.listdir(os.path.expanduser("~")), "written": []}
    for place in ("PROJECT/.git/config", "PROJECT/new", "CACHE/poison"):
        try:
            open(place, "a").write("changed")
            told["written"].append(place)
        except OSError:
            pass
    try:
        socket.create_connection(("127.0.0.1", PORT), 2).close()
        told["reached"] = True
    except OSError:
        told["reached"] = False
    return told
"""
BACKEND = (
    PRIES
    + """
import zipfile
def build_wheel(directory, config_settings=None, metadata_directory=None):
    name = "tiny-1.5-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(directory, name), "w") as made:
        made.writestr("told.json", json.dumps(pry()))
        made.writestr("tiny-1.5.dist-info/METADATA", "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.5\\n")
        made.writestr("tiny-1.5.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        made.writestr("tiny-1.5.dist-info/RECORD", "")
    return name
"""
)
PROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
CHECK = (
    PRIES
    + """
import sys
json.dump(pry(), open(sys.argv[sys.argv.index("--output") + 1], "w"))
"""
)
HOOK = (
    PRIES
    + """
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        raise ValueError(json.dumps(pry()))
"""
)
SECRETS = {
    "GITHUB_TOKEN": "ghp_secret",
    "PIP_INDEX_URL": "https://me:ghp_secret@example.org/simple",
    "UV_INDEX_URL": "https://me:ghp_secret@example.org/simple",
    "MY_SETTING": "ghp_secret",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose owner has tokens in the environment."""
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".git/config").touch()
    project_folders.know(project)
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    return project


@pytest.fixture
def told(project: Path, tmp_path: Path, server: str) -> Callable[[str], str]:
    """Fills places in a text."""
    port = server.rpartition(":")[2].partition("/")[0]
    return lambda text: (
        text.replace("PROJECT", str(project)).replace("CACHE", str(tmp_path / "cache")).replace("PORT", port)
    )


def hold(said: dict[str, object], project: Path, *inherited: str) -> None:
    """Assert that foreign code saw no secret and changed nothing that it may not change."""
    variables = said["variables"]
    assert isinstance(variables, dict)
    assert "PATH" in variables
    assert {name for name in SECRETS if name in variables} == set(inherited)
    assert inherited or "ghp_secret" not in json.dumps(said)
    assert variables["HOME"] != str(Path.home())
    if not refusal():
        assert said["written"] == []
        assert said["reached"] is False
        assert not (project / "new").exists()
        assert not (project / ".git/config").read_text()


@pytest.mark.usefixtures("index")
def test_a_build_of_upstream(
    project: Path, told: Callable[[str], str], pack: Callable[..., Path], tmp_path: Path
) -> None:
    members = {"tiny-1.5/pyproject.toml": PROJECT, "tiny-1.5/backend.py": told(BACKEND)}
    sdist, cache = pack(tmp_path / "hostile-1.5.tar.gz", members), tmp_path / "cache"
    built = upstream_wheel(
        Recipe("tiny", "1.5", "e" * 64, "3.11"), sdist, Installer.of_this_machine(cache), cache
    )
    with zipfile.ZipFile(built) as made:
        hold(json.loads(made.read("told.json")), project)


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("inherit", [(), ("MY_*",)])
def test_a_simulated_run(
    inherit: tuple[str, ...],
    project: Path,
    told: Callable[[str], str],
    offer: Callable[..., Path],
    tmp_path: Path,
) -> None:
    made = offer(tmp_path, "tinybackend", "1", {"tinybackend/check.py": told(CHECK)})
    settings = SimulationSettings(check="tinybackend.check", cases={"a": ("v1",)}, inherit=inherit)
    stand = PreparedRun(
        Subject("v1.5", made, "sources", {}), Environment(Path(sys.prefix), "digest", ()), settings,
        Installer.of_this_machine(tmp_path / "cache"), tmp_path / "cache",
    )  # fmt: skip
    outcome = simulate_all(stand, (Check("a", "v1"),))[Check("a", "v1")]
    hold(dict(outcome.result), project, *(["MY_SETTING"] if inherit else []))


def test_a_hook_of_a_lane_s_build(project: Path, told: Callable[[str], str], tmp_path: Path) -> None:
    lane = project / "build/lanes/v1.5"
    (lane / "src/mine").mkdir(parents=True)
    (lane / "src/mine/__init__.py").touch()
    (lane / "hook.py").write_text(told(HOOK))
    (lane / "pyproject.toml").write_text(
        '[project]\nname = "mine"\nversion = "1"\n[tool.hatch.build.hooks.custom]\npath = "hook.py"\n'
    )
    with pytest.raises(EnvironmentFailure) as caught:
        wheel.build(lane, tmp_path / "dist")
    hold(json.loads(str(caught.value).partition(": ")[2]), project)
    assert not list((tmp_path / "dist").glob("*.whl"))


def test_downloads_see_what_they_need_and_no_token(project: Path, tmp_path: Path) -> None:
    seen = Installer.of_this_machine(tmp_path / "cache").environment
    assert "ghp_secret" in seen["UV_INDEX_URL"]
    assert not {"GITHUB_TOKEN", "MY_SETTING"} & seen.keys()
    assert seen["UV_NO_BUILD"] == "1"


FOREIGN_BUILDS = {
    "link": (
        "import os\ndef build_wheel(d, c=None, m=None):\n    name = 'tiny-1.5-py3-none-any.whl'\n"
        "    os.symlink('/etc/passwd', os.path.join(d, name))\n    return name\n",
        "builds its wheel elsewhere",
    ),
    "elsewhere": (
        "def build_wheel(d, c=None, m=None):\n    return '../tiny-1.5-py3-none-any.whl'\n",
        "builds its wheel elsewhere",
    ),
    "no name": ("def build_wheel(d, c=None, m=None):\n    return 'nonsense'\n", "builds no wheel"),
    "option": (
        "def get_requires_for_build_wheel(c=None):\n    return ['--index-url=http://127.0.0.1:9/']\n",
        "'--index-url=http://127.0.0.1:9/' to be built: no requirement",
    ),
    "file": (
        "def get_requires_for_build_wheel(c=None):\n    return ['-r/etc/passwd']\n",
        "'-r/etc/passwd' to be built: no requirement",
    ),
    "address": (
        "def get_requires_for_build_wheel(c=None):\n    return ['x @ file:///tmp/x-1-py3-none-any.whl']\n",
        "no requirement",
    ),
    "end": ("import os\nos._exit(0)\n", "cannot build tiny"),
}


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize(("code", "says"), FOREIGN_BUILDS.values(), ids=list(FOREIGN_BUILDS))
def test_what_a_build_gives_back_is_not_believed(
    code: str, says: str, pack: Callable[..., Path], tmp_path: Path
) -> None:
    members = {"tiny-1.5/pyproject.toml": PROJECT, "tiny-1.5/backend.py": code}
    sdist, cache = pack(tmp_path / "hostile-1.5.tar.gz", members), tmp_path / "cache"
    with pytest.raises(EnvironmentFailure, match=re.escape(says)):
        upstream_wheel(
            Recipe("tiny", "1.5", "e" * 64, "3.11"), sdist, Installer.of_this_machine(cache), cache
        )
    assert not list((cache / "wheels").glob("tiny*/*.whl"))


@pytest.mark.parametrize("place", ["force-include", "shared-data", "extra-metadata"])
@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "~/.bashrc"])
def test_a_lane_s_wheel_takes_in_no_file_from_outside(place: str, path: str, tmp_path: Path) -> None:
    lane = tmp_path / "lane"
    lane.mkdir()
    (lane / "pyproject.toml").write_text(
        f'[project]\nname = "mine"\nversion = "1"\n[tool.hatch.build.targets.wheel.{place}]\n"{path}" = "mine/x"\n'
    )
    with pytest.raises(EnvironmentFailure, match=f"{place} of pyproject.toml takes in {path}"):
        wheel.build(lane, tmp_path / "dist")
