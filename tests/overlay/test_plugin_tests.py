"""The tests that a published plugin brings along, on its release and on a lane: real processes, real pytest."""

from __future__ import annotations

import gzip
import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from syncbot.lanes import matrix as matrices
from tests.forked_command import command
from tests.installed_wheels import PYTEST, installed_wheel
from tests.overlay.conftest import plugin
from tests.upstream.package_index import File, Index, tar

pytestmark = pytest.mark.machine

BACKEND = """
import os, zipfile

def get_requires_for_build_wheel(config_settings=None):
    return []

def build_wheel(directory, config_settings=None, metadata_directory=None):
    name = "toy-{version}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(directory, name), "w") as wheel:
        for module in ("__init__", "base", "other"):
            wheel.write(f"toy/{module}.py")
        info = "toy-{version}.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: toy\\nVersion: {version}\\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", "")
    return name
"""
BUILD = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
OLD = """\
class Config:
    def __init__(self, size):
        self.size = size


class Engine:
    def __init__(self):
        self.speed = 1


def run(config: Config):
    return config.size


def helper(value, flag=False):
    return value


def plot():
    return 1


def moved():
    return 1
"""
NEW = """\
class Config:
    def __init__(self, size):
        self.size = size
        self.extra = 0


class Engine:
    def __init__(self):
        self.speed = 1
        self.gear = 1


def run(config: Config):
    return config.size + config.extra


def helper(value):
    return value + 1


def plot():
    import drawing
    return drawing
"""
MOVED = "def moved():\n    return 1\n"
MINE = """\
from toy.base import Engine, helper


class Mine(Engine):
    def drive(self):
        return self.speed


def work():
    return helper(1, flag=True)


def other():
    return 1


def both(namespace):
    return namespace.size
"""
TESTS = {
    "tests/conftest.py": "import os\n\ndef pytest_runtest_logstart(nodeid):\n    with open(os.environ['COUNTER'], 'a') as counter:\n        counter.write(nodeid + '\\n')\n",
    "tests/test_calls.py": """\
import os
import signal
import time
from types import SimpleNamespace

import pytest
import toy
from some_plugin.mine import Mine, both, other, work
from toy import base

NEW = toy.__version__ == "2.0.0"


class Given:
    pass


def test_passes():
    assert other() == 1

def test_work():
    assert work() == 1

def test_stand_in():
    assert base.run(SimpleNamespace(size=1)) == 1

def test_own_class():
    class Config:
        size = 1
    assert base.run(Config()) == 1

def test_value():
    assert base.helper(1) == 1

def test_plot():
    base.plot()

def test_fails_everywhere():
    raise ValueError("never mind")

def test_never_had_it():
    with pytest.raises(AttributeError):
        both(SimpleNamespace())

@pytest.mark.parametrize("given", ["two", Given()] if NEW else [Given()])
def test_numbered(given):
    pass
""",
    "tests/test_ends.py": """\
import os
import signal

import toy
from some_plugin.mine import Mine

NEW = toy.__version__ == "2.0.0"


def test_before():
    pass

def test_crash():
    if NEW:
        os.kill(os.getpid(), signal.SIGSEGV)

def test_between():
    pass

def test_over():
    while NEW:
        pass

def test_behind():
    assert Mine().drive() == 1
""",
    "tests/test_waits.py": """\
import os
import time


def test_waits():
    if os.path.exists(os.environ["WAITS"]):
        time.sleep(300)
""",
    "tests/test_moved.py": "from toy.base import moved\n\n\ndef test_moved():\n    assert moved() == 1\n",
    "tests/test_old.py": "import toy.base\nif toy.__version__ == '2.0.0':\n    from toy.base import gone\n\n\ndef test_old():\n    pass\n",
}
SETTINGS = """
[upstreams.toy]
packages = ["toy"]
release = "toy"

[simulate]
check = "cases"
cases = { one = ["v1"] }
inherit = ["COUNTER", "WAITS"]
build_environment = { KIND = "empty" }

[simulate.tests]
folders = ["tests"]
preload = ["some_plugin.mine"]
timeout = 1
"""
PATCH = """\
id: 2.0.0-drive
upstream: {name: toy, first_version: 2.0.0}
symbol: toy.base.Engine
reason: It has a gear.
rewrites:
- rule: replace_statement
  arguments:
    file: some_plugin/mine.py
    within: Mine.drive
    before: return self.speed
    after: return self.speed * self.gear
lanes: [v2.0.0]
"""


def released(version: str, text: str, other: str = "") -> File:
    folder = f"toy-{version}"
    members = {
        "pyproject.toml": BUILD,
        "backend.py": BACKEND.replace("{version}", version),
        "toy/__init__.py": f"__version__ = {version!r}\n",
        "toy/base.py": text,
        "toy/other.py": other,
        "PKG-INFO": f"Metadata-Version: 2.1\nName: toy\nVersion: {version}\n",
    }
    return File(
        f"{folder}.tar.gz", tar({f"{folder}/{path}": each.encode() for path, each in members.items()})
    )


@dataclass(frozen=True)
class World:
    """An overlay as it was begun, and as it was once its newer lane was looked at; both run at one place, since
    outcomes are of paths too."""

    root: Path

    @property
    def overlay(self) -> Path:
        return self.root / "overlay"

    @property
    def outcomes(self) -> list[Path]:
        """Where outcomes are kept, and those of runs that were interrupted."""
        return [self.root / "cache" / name for name in ("tests", "test_runs")]

    def keep(self, name: str) -> None:
        """Keep the state of the overlay and its outcomes under a name."""
        for folder in (self.overlay, *self.outcomes):
            if folder.exists():
                shutil.copytree(folder, self.root / name / folder.name)

    def bring_back(self, name: str) -> Path:
        """Bring back the state of that name. Environments stay, as they are the same in both; so does the
        overlay's folder itself, in which the tests run."""
        for path in [*self.outcomes, *self.overlay.iterdir(), self.root / "ran", self.root / "waits"]:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        for folder in (self.overlay, *self.outcomes):
            if (kept := self.root / name / folder.name).exists():
                shutil.copytree(kept, folder, dirs_exist_ok=True)
        return self.overlay


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    published = plugin(
        "1.0.0rc2",
        **{
            "some_plugin/mine.py": MINE,
            **TESTS,
            "tests/test_mine.py": "",
            "PKG-INFO": "Metadata-Version: 2.4\nName: some_plugin\nVersion: 1.0.0rc2\n",
        },
    )
    others = {name: [File(*installed_wheel(name))] for name in PYTEST}
    made = World(tmp_path_factory.mktemp("world"))
    made.overlay.mkdir()
    files = [released("1.0.0", OLD), released("2.0.0", NEW, MOVED)]
    with (
        pytest.MonkeyPatch.context() as patch,
        Index(files, {"some-plugin": [published], **others}) as served,
    ):
        patch.setenv("SYNCBOT_CACHE", str(made.root / "cache"))
        patch.setenv("COUNTER", str(made.root / "ran"))
        patch.setenv("WAITS", str(made.root / "waits"))
        patch.setenv("PIP_INDEX_URL", served.url)
        for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_CONFIG_FILE"):
            patch.delenv(name, raising=False)
        patch.chdir(made.overlay)
        code, *told = syncbot(
            "overlay", "new", "--package", "some-plugin==1.0.0rc2", "--upstream", "toy", "--lane", "2.0.0"
        )
        assert code == 0, told
        settings = made.overlay / "syncbot.toml"
        settings.write_text(settings.read_text().partition("[upstreams")[0] + SETTINGS)
        made.keep("begun")
        yield made


@pytest.fixture
def project(world: World) -> Path:
    """An overlay with a lane for the new upstream, the current folder."""
    return world.bring_back("begun")


@pytest.fixture(scope="module")
def once_verified(world: World) -> str:
    """The name of the state after ``verify --lane 2.0.0 --tests``."""
    world.bring_back("begun")
    assert syncbot("verify", "--lane", "2.0.0", "--tests")[0] == 1
    world.keep("verified")
    return "verified"


@pytest.fixture
def verified(world: World, once_verified: str) -> Path:
    """That overlay, where the tests of its newer lane have run."""
    return world.bring_back(once_verified)


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "syncbot", *arguments]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    )


def syncbot(*arguments: str) -> tuple[int, str, str]:
    done = command(*arguments)
    return done.returncode, done.stdout, done.stderr


def ran(folder: Path) -> list[str]:
    """The tests that ran since this was asked last, sorted."""
    file = folder.parent / "ran"
    found = sorted(file.read_text().splitlines()) if file.exists() else []
    file.unlink(missing_ok=True)
    return found


def group(stdout: str, message: str) -> tuple[str, str, str]:
    """The class of the group with a message, where it is, and under which head it stands."""
    lines = stdout.splitlines()
    (at,) = [
        number
        for number, line in enumerate(lines)
        if line.startswith("    ") and message in line and line[4] != " "
    ]
    head = next(line.strip() for line in reversed(lines[:at]) if line.startswith("  ") and line[2] != " ")
    return lines[at].split()[1], lines[at + 1].strip().removeprefix("at ").partition(", such as ")[0], head


def test_what_a_lane_loses_is_told_by_cause_with_a_class(project: Path) -> None:
    code, stdout, _ = syncbot("verify", "--tests")
    assert code == 1
    assert stdout.splitlines()[:2] == [
        "v1.0.0  tests  fail  16 of 17 tests pass, 1 fail",
        "  fail  tests/test_calls.py::test_fails_everywhere  ValueError: never mind",
    ]
    assert (
        "v2.0.0  tests  fail  8 of 18 tests pass, 6 fail, 2 error, 1 over, 1 crash; of 16 that pass on v1.0.0 7 do here; "
        "differences: 1 lane, 4 undecided, 3 pins, 1 environment"
    ) in stdout
    told, untold = "a finding told:", "no finding told:"
    assert group(stdout, "unexpected keyword argument 'flag'") == ("lane", "some_plugin/mine.py: work", told)
    assert group(stdout, "'types.SimpleNamespace' object has no attribute 'extra'") == (
        "pins",
        "toy/base.py: run",
        untold,
    )
    assert group(stdout, "'Config' object has no attribute 'extra'") == ("pins", "toy/base.py: run", untold)
    assert group(stdout, "No module named 'drawing'") == ("environment", "toy/base.py: plot", untold)
    assert group(stdout, "AssertionError") == ("undecided", "tests/test_calls.py: test_value", untold)
    assert group(stdout, "cannot import name 'gone'") == ("undecided", "tests/test_old.py: <module>", untold)
    assert group(stdout, "cannot import name 'moved'")[:2] == ("pins", "tests/test_moved.py: <module>")
    assert group(stdout, "ended by SIGSEGV") == ("undecided", "tests/test_ends.py: test_crash", untold)
    assert group(stdout, "processor time") == ("undecided", "tests/test_ends.py: test_over", untold)
    assert "toy 2.0.0 (2026-01-02): toy.base.helper() no longer takes flag" in stdout
    # Neither what fails on both, nor what only has another number.
    assert "never mind" not in stdout.partition("v2.0.0")[2]
    assert "test_numbered" not in stdout

    lane = matrices.load(project / "compat_matrix.yaml").lane("2.0.0")
    suite = lane.checks["tests"].suite
    assert suite is not None
    assert (suite.counts["pass"], suite.differences) == (
        8,
        {"lane": 1, "undecided": 4, "pins": 3, "environment": 1},
    )
    kept = (project / "evidence" / suite.file).read_bytes()
    rows = [json.loads(line) for line in gzip.decompress(kept).decode().splitlines()]
    nodes = [row[0] for row in rows if isinstance(row, list)]
    assert nodes == sorted(nodes)
    assert ["tests/test_calls.py::test_passes", "pass"] in rows
    assert ["tests/test_ends.py::test_behind", "pass"] in rows

    # Nothing runs again, and nothing else is said or written.
    ran(project)
    again = syncbot("verify", "--tests")
    assert (again[0], again[1].replace("  fail (6 of 6 files known)", "  fail")) == (1, stdout)
    assert ran(project) == []
    assert (project / "evidence" / suite.file).read_bytes() == kept


def evidence(folder: Path) -> dict[str, bytes]:
    """Return the files that record it."""
    files = [folder / "compat_matrix.yaml", *(folder / "evidence").iterdir()]
    return {file.name: file.read_bytes() for file in files}


def test_a_person_settles_groups_in_a_file(verified: Path) -> None:
    rows = [
        ("AssertionError: assert N == N", "tests/test_calls.py: test_value", "pins"),
        ("ImportError: nobody says this", "tests/test_old.py: <module>", "lane"),
    ]
    text = "".join(
        f"- {{cause: '{cause}', where: '{where}', decided: {class_}, reason: it was 1}}\n"
        for cause, where, class_ in rows
    )
    before = evidence(verified)
    (verified / "test_classes.yaml").write_text(f"differences:\n{text}")
    code, stdout, _ = syncbot("verify", "--lane", "2.0.0", "--test", "tests/test_calls.py")
    assert code == 1
    assert "pins  AssertionError: assert N == N  (it was 1)" in stdout
    assert "only a part: nothing is recorded" in stdout
    assert evidence(verified) == before
    _, stdout, _ = syncbot("verify", "--lane", "2.0.0", "--tests")
    assert (
        "decided, and there no more: ImportError: nobody says this  (tests/test_old.py: <module>)" in stdout
    )
    (verified / "test_classes.yaml").write_text("differences:\n- {cause: x, decided: maybe, reason: y}\n")
    assert syncbot("verify", "--lane", "2.0.0", "--tests")[0] == 2


def test_changes_of_tests_are_proposed_and_run(verified: Path) -> None:
    folder = verified / "proposed"
    code, stdout, _ = syncbot("verify", "--lane", "2.0.0", "--tests", "--propose", str(folder))
    assert code == 1
    assert f"proposed changes of tests, in {folder}/v2.0.0 (files: 1): 1 of 1 that pin" in stdout
    text = (folder / "v2.0.0" / "tests" / "test_moved.py.patch").read_text()
    assert "-from toy.base import moved\n+from toy.other import moved\n" in text
    # The tests themselves are as they were published.
    assert matrices.load(verified / "compat_matrix.yaml").lane("2.0.0").checks["tests"].status == "fail"


def test_what_is_stale_is_renewed(verified: Path) -> None:
    (verified / "patches" / "2.0.0-drive.yaml").write_text(PATCH)
    _, stdout, _ = syncbot("verify", "--lane", "2.0.0", "--stale")
    assert "v2.0.0  tests  fail  8 of 18 tests pass" in stdout
    assert {test.partition("::")[0] for test in ran(verified)} == {"tests/test_ends.py"}
    # What is as it was, what no lane claims, and what was not asked for are not run.
    for arguments in (("--stale",), ("--lane", "1.0.0", "--stale"), ("--stale", "--static")):
        assert "  tests  " not in syncbot("verify", *arguments)[1]


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_goes_on(project: Path, sent: signal.Signals) -> None:
    (project.parent / "waits").touch()
    process = start("verify", "--lane", "1.0.0", "--tests")
    last = "tests/test_waits.py::test_waits"
    seen: list[str] = []
    while process.poll() is None and (last not in seen or len(seen) < 17):
        time.sleep(0.1)
        file = project.parent / "ran"
        seen = file.read_text().splitlines() if file.exists() else []
    assert len(seen) == 17
    process.send_signal(sent)
    process.communicate()
    assert process.returncode in (130, -sent)
    (project.parent / "waits").unlink()
    ran(project)
    code, stdout, _ = syncbot("verify", "--lane", "1.0.0", "--tests")
    assert (code, "16 of 17 tests pass" in stdout) == (1, True)
    assert ran(project) == [last]


def test_a_change_of_a_function_runs_again_what_reached_it(verified: Path) -> None:
    (verified / "patches" / "2.0.0-drive.yaml").write_text(PATCH)
    code, stdout, _ = syncbot("verify", "--lane", "2.0.0", "--tests")
    assert code == 1
    assert "(5 of 6 files known)" in stdout
    assert {test.partition("::")[0] for test in ran(verified)} == {"tests/test_ends.py"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--tests", "--static"), "leave out the other options"),
        (("--tests", "--jobs", "2"), "leave out the other options"),
        (("--propose", "there", "--simulate"), "leave out the other options"),
        (("--test", "tests/nowhere"), "there are no tests below tests/nowhere"),
    ],
)
def test_wrong_use_is_told(project: Path, arguments: tuple[str, ...], words: str) -> None:
    code, _, stderr = syncbot("verify", *arguments)
    assert (code, words in stderr) == (2, True)
