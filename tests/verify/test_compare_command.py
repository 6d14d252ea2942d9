"""``syncbot verify --compare`` on a small backend with two lanes, whose upstreams lie on a local index."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.forked_command import command

from .conftest import BACKEND, PROJECT

pytestmark = pytest.mark.machine

IMPL = """
from tiny import Base

class Impl(Base):
    def forward(self, x):
        return x

    def close(self):
        return None
"""
BASE = "class Base:\n    def forward(self, x):\n        return x\n\n    def close(self):\n        return None\n\n"
OLD = BASE + "def run(impl):\n    impl.close()\n    return impl.forward(1)\n"
NEW = BASE + "def run(impl):\n    return impl.forward(None)\n"
CHECK = """
import json, os, sys
from pathlib import Path
import tiny
from tinybackend.impl import Impl

arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
with open(os.environ["COUNTER"], "a") as counter:
    counter.write("run\\n")
if os.environ.get("BREAKS") == "at once":
    raise TypeError("broken")
tiny.run(Impl())
Path(arguments["--output"]).write_text(json.dumps({"operators": {"norm": 4, "add": 2}}))
if os.environ.get("BREAKS") == "at the end":
    sys.exit("differs: token 3 is 7, not 9")
"""
LANE = """\
  - tag: v1.4
    wheel: '1.4'
    python: '>=3.11'
    stack: {tinydep: '2', tinytool: '1', tinydata: '3'}
"""


@pytest.fixture
def lanes(root: Path, tmp_path: Path, pack: Callable[[Path, dict[str, str]], Path]) -> Path:
    """The small backend with a lane for a second, older upstream."""
    page = tmp_path / "web" / "simple" / "tiny"
    links = []
    for version, text in (("1.4", OLD), ("1.5", NEW)):
        build = BACKEND.replace("1.5", version).replace('f"KIND = {kind!r}\\n"', repr(text))
        members = {"pyproject.toml": PROJECT, "backend.py": build, "tiny.py": text}
        file = pack(
            page / f"tiny-{version}.tar.gz",
            {f"tiny-{version}/{name}": content for name, content in members.items()},
        )
        links.append(
            f'<a href="{file.name}#sha256={hashlib.sha256(file.read_bytes()).hexdigest()}">{file.name}</a>'
        )
    (page / "index.html").write_text("\n".join(links))
    (root / "compat_matrix.yaml").write_text((root / "compat_matrix.yaml").read_text() + LANE)
    package = root / "backend" / "src" / "tinybackend"
    (package / "impl.py").write_text(IMPL)
    (package / "check.py").write_text(CHECK)
    return root


def compare(root: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return command("verify", "--compare", "v1.4", "v1.5", "--backend", str(root), *options, **variables)


def test_an_override_that_upstream_calls_no_more_is_told_with_the_release_that_is_suspected(
    lanes: Path, tmp_path: Path
) -> None:
    before = (lanes / "compat_matrix.yaml").read_text()
    done = compare(lanes, "--check", "simulate-small-v1")
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "simulate-small-v1  2 differences"
    assert lines[1] == "  tinybackend.impl:Impl.close is called no more (before: by tiny:run)"
    assert lines[2].startswith("    suspected: ")
    assert lines[2].endswith("tiny 1.5: tiny:run names close no more")
    assert lines[3] == "  tinybackend.impl:Impl.forward: x is None now; before: int"
    assert done.returncode == 1
    # What is known is not run again, and nothing of it is evidence.
    assert (tmp_path / "runs").read_text().count("\n") == 2
    again = compare(lanes)
    assert again.stdout.splitlines()[0] == lines[0]
    assert "simulate-small-v2  2 differences, 2 of them told above" in again.stdout
    assert (tmp_path / "runs").read_text().count("\n") == 4
    assert (lanes / "compat_matrix.yaml").read_text() == before


def test_runs_that_do_not_come_to_their_end_are_not_compared(lanes: Path) -> None:
    done = compare(lanes, "--check", "simulate-small-v1", BREAKS="at once")
    assert done.returncode == 1
    first, *reasons = done.stdout.splitlines()
    assert first == "simulate-small-v1  cannot be compared"
    assert [reason.partition("(")[0].strip() for reason in reasons] == [
        "v1.4: TypeError: broken",
        "v1.5: TypeError: broken",
    ]


def test_runs_with_wrong_tokens_are_compared_and_their_failure_is_told(lanes: Path) -> None:
    done = compare(lanes, "--check", "simulate-small-v1", BREAKS="at the end")
    assert done.returncode == 1
    first, *lines = done.stdout.splitlines()
    assert first == "simulate-small-v1  2 differences"
    assert lines[0].startswith("  v1.4: differs: token 3 is 7, not 9")
    assert lines[1].startswith("  v1.5: differs: token 3 is 7, not 9")
    assert "  tinybackend.impl:Impl.close is called no more (before: by tiny:run)" in lines


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--lane", "v1.5"], "--compare runs two lanes here: leave out --lane"),
        (["--static"], "--compare runs two lanes here: leave out --lane"),
        (["--check", "static"], "static is no simulated check: there is nothing to record"),
        (["--compare", "v1.5", "v1.5"], "name two different lanes to compare"),
        (["--compare", "v1.5", "v9"], "no lane 'v9' in the matrix"),
    ],
)
def test_what_cannot_be_meant_is_exit_code_2(lanes: Path, options: list[str], message: str) -> None:
    done = compare(lanes, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
