"""A disk that is full, Ctrl-C and kill -9 while files are written, for the commands that write into a project.

Most disks here are full for one process: it may not let a file grow beyond a size (RLIMIT_FSIZE), which every
machine allows. A write then fails in its middle, as on a full disk, with some of its bytes written. One is a tmpfs
with a few free pages, where making a file or a folder may fail as well; some machines do not let one be mounted.
"""

from __future__ import annotations

import resource
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.forked_program import forked

from .conftest import Project

pytestmark = pytest.mark.long

PAGE = resource.getpagesize()
LIMITED = """
import resource, sys
from syncbot.cli import main
# A cut file of bytecode would stop whoever imports it next.
sys.dont_write_bytecode = True
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, resource.RLIM_INFINITY))
main({arguments!r})
"""
STOPPED = """
import os, signal, sys
from syncbot.cli import main
real, calls = os.replace, 0
def replace(*a, **k):
    global calls
    calls += 1
    if calls == {moment}:
        {act}
    return real(*a, **k)
os.replace = replace
main({arguments!r})
"""
# As ``unshare --map-root-user --mount`` does it, for the process alone.
ALONE = """
import ctypes, os, subprocess
from pathlib import Path
from syncbot.cli import main
libc = ctypes.CDLL(None, use_errno=True)
def made(result):
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
owner, group = os.getuid(), os.getgid()
made(libc.unshare(0x10000000 | 0x00020000))
for name, text in (("setgroups", "deny"), ("uid_map", f"0 {{owner}} 1"), ("gid_map", f"0 {{group}} 1")):
    Path("/proc/self", name).write_text(text)
made(libc.mount(b"none", b"/", None, 0x4000 | 0x40000, None))
here = Path({here!r})
made(libc.mount(b"none", os.fsencode(here), b"tmpfs", 0, b"size={size}"))
subprocess.run(["cp", "-a", {root!r} + "/.", here], check=True)
room = os.statvfs(here)
(here / "rest").write_bytes(bytes(room.f_bavail * room.f_frsize - {free}))
try:
    main(["apply", "--backend", str(here)])
finally:
    (here / "rest").unlink()
    subprocess.run(["cp", "-a", f"{{here}}/.", {left!r}], check=True)
"""


def kept(project: Project) -> dict[str, bytes]:
    """All that a person would miss: the project without what is generated from it."""
    return {path: text for path, text in project.files().items() if not path.startswith("build/")}


@pytest.mark.parametrize("size", [0, 150])
def test_apply_on_a_full_disk(project: Project, size: int) -> None:
    before = kept(project)
    arguments = ["apply", "--backend", str(project.root)]
    done = forked(LIMITED.format(size=size, arguments=arguments))
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert kept(project) == before
    assert project.run("apply")[0] == 0
    assert "patches/2.0.0-up-things.yaml" in kept(project)


@pytest.fixture
def disk(tmp_path: Path) -> Callable[[Project, int], tuple[subprocess.CompletedProcess[str], Project]]:
    """Apply a project on a tmpfs of so many free bytes; what that printed, and what it left."""
    alone = ["unshare", "--map-root-user", "--mount", "sh", "-ceu"]
    here, left = tmp_path / "disk", tmp_path / "left"
    here.mkdir()
    try:
        subprocess.run([*alone, f"mount -t tmpfs none {here}"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no tmpfs can be mounted here: {error}")

    def apply(project: Project, free: int) -> tuple[subprocess.CompletedProcess[str], Project]:
        shutil.rmtree(left, ignore_errors=True)
        left.mkdir()
        done = forked(
            ALONE.format(root=str(project.root), here=str(here), left=str(left), size=1000 * PAGE, free=free)
        )
        return done, Project(left)

    return apply


@pytest.mark.long
def test_apply_on_a_tmpfs_with_a_few_free_pages(
    project: Project, disk: Callable[[Project, int], tuple[subprocess.CompletedProcess[str], Project]]
) -> None:
    before = kept(project)
    # First a run with room for all, for what makes the cache is on another disk.
    done, after = disk(project, 500 * PAGE)
    assert done.returncode == 0, done.stderr
    wanted = after.files()
    assert "patches/2.0.0-up-things.yaml" in wanted
    codes = []
    for pages in range(0, 24, 3):
        done, after = disk(project, pages * PAGE)
        codes.append(done.returncode)
        assert done.returncode in (0, 3), done.stderr
        assert "Traceback" not in done.stderr
        # Patches and matrix together or not at all; no file is half written, whether of them or of a lane.
        assert kept(after) in (before, {path: wanted[path] for path in kept(after)})
        strange = {
            path for path, text in after.files().items() if text not in (wanted.get(path), before.get(path))
        }
        assert not strange
        assert after.run("apply")[0] == 0
        assert after.files() == wanted
    assert (codes[0], codes[-1]) == (3, 0)


@pytest.mark.parametrize("size", [0, 150])
def test_verify_on_a_full_disk(project: Project, size: int) -> None:
    """The matrix is as it was, not half of what it was to be."""
    project.run("apply")
    before = kept(project)
    arguments = ["verify", "--static", "--backend", str(project.root)]
    done = forked(LIMITED.format(size=size, arguments=arguments))
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert kept(project) == before
    assert project.run("verify", "--static")[0] == 0
    assert kept(project) != before


@pytest.mark.parametrize("act", ["os.kill(os.getpid(), signal.SIGKILL)", "raise KeyboardInterrupt"])
def test_verify_stopped_while_it_writes(project: Project, act: str) -> None:
    project.run("apply")
    before = kept(project)
    arguments = ["verify", "--static", "--backend", str(project.root)]
    done = forked(STOPPED.format(moment=1, act=act, arguments=arguments))
    assert done.returncode in (-signal.SIGKILL, 130), done.stderr
    now = {path: text for path, text in kept(project).items() if ".compat_matrix" not in path}
    assert now == before
    assert project.run("verify", "--static")[0] == 0


def test_a_report_is_whole_or_not_there(project: Project) -> None:
    report = project.root / "report.json"
    arguments = ["check", "--from", "v1.0.0", "--to", "v2.0.0", "--engine", "contracts", "--format", "json",
                 "--output", str(report), "--backend", str(project.root)]  # fmt: skip
    report.write_text("mine")
    for code in (
        LIMITED.format(size=150, arguments=arguments),
        STOPPED.format(moment=1, act="os.kill(os.getpid(), signal.SIGKILL)", arguments=arguments),
        STOPPED.format(moment=1, act="raise KeyboardInterrupt", arguments=arguments),
    ):
        done = forked(code)
        assert done.returncode in (3, 130, -signal.SIGKILL), done.stderr
        assert "Traceback" not in done.stderr
        assert report.read_text() == "mine"
    assert forked(STOPPED.format(moment=0, act="pass", arguments=arguments)).returncode in (0, 1)
    assert report.read_text().startswith("{")
