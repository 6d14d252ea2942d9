"""The output of a lane's build: sources to build, a wheel, commits that git takes, and pages."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from syncbot import config
from syncbot.lanes import debt, generate, matrix
from syncbot.lanes.debt import Debt, Entry
from syncbot.lanes.evidence import Evidence
from syncbot.lanes.present import present
from syncbot.overlay.source_distribution import patched
from syncbot.overlay.sources import source_distribution
from syncbot.workflows.lane_inputs import lane_inputs
from tests.lanes.conftest import git

from .conftest import PLUGIN

NAMES = (
    "INSTALL.md", "MAINTAINERS.md", "PULL_REQUEST.md", "series/0001-", "some_plugin-1.0.0rc2+toy2.0.0-py3-none-any.whl",
    "some_plugin-1.0.0rc2+toy2.0.0.tar.gz",
)  # fmt: skip


@pytest.fixture
def built(overlay: Path, run: Callable[..., Result]) -> Path:
    assert run("apply").exit_code == 0
    assert run("overlay", "debt").exit_code == 0
    done = run("overlay", "build", "--lane", "v2.0.0", "--output", "out")
    assert done.exit_code == 0, done.output
    assert "out/series: 1 commits for git am" in done.output
    return overlay / "out"


def test_the_command_for_wheels_of_a_project_names_the_one_for_overlays(
    overlay: Path, run: Callable[..., Result]
) -> None:
    done = run("build", "--all")

    assert done.exit_code == 2
    assert done.output.splitlines() == [
        "syncbot: an overlay's lanes are packed with sources and pages: use syncbot overlay build"
    ]
    assert not (overlay / "build").exists()


def unpacked(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive) as given:
        given.extractall(folder, filter="data")
    (inner,) = folder.iterdir()
    return inner


def digests(folder: Path) -> dict[str, str]:
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {str(f.relative_to(folder)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


def test_the_source_distribution_is_the_published_one_with_the_lane(
    built: Path, overlay: Path, tmp_path: Path, run: Callable[..., Result]
) -> None:
    made = unpacked(built / NAMES[5], tmp_path / "made")
    assert made.name == "some_plugin-1.0.0rc2+toy2.0.0"
    given, _ = source_distribution(config.load(overlay), settings(overlay), tmp_path / "cache")
    before, after = digests(unpacked(given, tmp_path / "given")), digests(made)
    assert after.keys() - before.keys() == {"NOTICE"}
    assert before.keys() <= after.keys()
    assert {path for path in before if before[path] != after[path]} == {"PKG-INFO", "some_plugin/mine.py"}
    assert "\nVersion: 1.0.0rc2+toy2.0.0\n" in (made / "PKG-INFO").read_text()
    assert "def sizes(self, spec=None):" in (made / "some_plugin/mine.py").read_text()
    notice = (made / "NOTICE").read_text()
    assert "some-plugin==1.0.0rc2, changed for toy 2.0.0" in notice
    assert [line for line in notice.splitlines() if line.startswith("- 2.0.0-")]


def settings(overlay: Path) -> config.OverlaySettings:
    found = config.load(overlay).overlay
    assert found is not None
    return found


def test_the_same_lane_gives_the_same_bytes(built: Path, overlay: Path, run: Callable[..., Result]) -> None:
    assert run("overlay", "build", "--lane", "v2.0.0", "--output", "again").exit_code == 0
    assert digests(overlay / "again") == digests(built)
    assert [name.startswith(wanted) for name, wanted in zip(digests(built), NAMES, strict=True)] == [True] * 6


def test_the_wheel_installs_under_the_lanes_version(built: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python = str(environment / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", str(built / NAMES[4])]
    subprocess.run(install, check=True, env={"PATH": "/usr/bin:/bin"})
    said = "from importlib.metadata import version, metadata as m; print(version('some-plugin'), m('some-plugin')['Version'])"
    done = subprocess.run([python, "-c", said], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["1.0.0rc2+toy2.0.0"] * 2
    with zipfile.ZipFile(built / NAMES[4]) as wheel:
        assert b"spec=None" in wheel.read("some_plugin/mine.py")


@pytest.mark.parametrize("mode", [0o644, 0o755], ids=["plain", "executable"])
@pytest.mark.parametrize("mine", [PLUGIN, PLUGIN.replace("\n", "\r\n")], ids=["unix", "dos"])
def test_git_takes_the_commits_on_the_release(built: Path, overlay: Path, tmp_path: Path, mode: int) -> None:
    given, _ = source_distribution(config.load(overlay), settings(overlay), tmp_path / "cache")
    tree = unpacked(given, tmp_path / "given")
    git(tree, "init", "-q", "-b", "main")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "The release")
    (mail,) = sorted((built / "series").glob("*.patch"))
    told = re.search(r"^git (am.*) series/\*\.patch", (built / "MAINTAINERS.md").read_text(), re.MULTILINE)
    assert told is not None
    said = git(tree, *told[1].split(), str(mail))
    assert "has type" not in said
    assert os.access(tree / "some_plugin/mine.py", os.X_OK) == (mode == 0o755)
    lane = overlay / "build" / "lanes" / "v2.0.0"
    wanted = digests(lane)
    assert {path: digest for path, digest in digests(tree).items() if path in wanted} == wanted
    log = ["git", "log", "-1", "--format=%B"]
    said = subprocess.run(log, cwd=tree, check=True, capture_output=True, text=True).stdout
    assert "toy.base.Base.sizes of toy, since 2.0.0." in said
    assert "Done: override parameter added." in said


def test_pages_say_what_is_proven_and_what_is_not(
    built: Path, overlay: Path, run: Callable[..., Result]
) -> None:
    users = (built / "INSTALL.md").read_text()
    assert "**Nobody has run it on a device.**" in users
    assert "| none | unknown |" in users
    assert "pip install ./some_plugin-1.0.0rc2+toy2.0.0.tar.gz" in users
    maintainers = (built / "MAINTAINERS.md").read_text()
    assert "| `toy.base.Base.sizes` | 2.0.0 |" in maintainers
    assert run("verify", "--static").exit_code == 0
    assert run("overlay", "build", "--lane", "v2.0.0", "--output", "out").exit_code == 0
    assert "is not known: `static` is unknown." in users
    users = (built / "INSTALL.md").read_text()
    assert "| static | pass |" in users
    assert users.count("\n- ") == users.count("\n- Nothing is known to be missing.\n") == 1


def noted(overlay: Path, check: str, **facts: str) -> None:
    """Write evidence of a check on the sources that the lane has now into the matrix."""
    file = overlay / "compat_matrix.yaml"
    known = matrix.load(file)
    project, inputs = lane_inputs(overlay)
    files = generate.render(inputs, known.lane("v2.0.0"))
    environment = facts.get("environment")
    digest = present(project, known.lane("v2.0.0"), files).digest(None, environment)
    values = {"command": "run", "date": "2026-11-22T00:00:00+00:00", "digest": digest}
    found = Evidence.model_validate(values | facts)
    matrix.save(known.with_evidence("v2.0.0", check, found), file)


def test_pages_say_what_the_matrix_says(built: Path, overlay: Path, run: Callable[..., Result]) -> None:
    noted(overlay, "static", status="fail", details="toy.base.Base lacks |this|")
    noted(overlay, "imports", status="pass", environment="e", digest="0" * 64)
    noted(overlay, "simulate-greedy-v1", status="pass")
    assert run("overlay", "build", "--lane", "v2.0.0", "--output", "out").exit_code == 0
    users = (built / "INSTALL.md").read_text()
    table = [line for line in users.splitlines() if line.startswith("| ")]
    assert table[1:] == ["| imports | stale |", "| simulate-greedy-v1 | pass |", "| static | fail |"]
    assert "\n- `static` fails: toy.base.Base lacks \\|this\\|\n" in users
    assert "Nothing is known" not in users
    maintainers = (built / "MAINTAINERS.md").read_text()
    assert "\n- `simulate-greedy-v1`: pass\n" in maintainers
    assert "\n`static` fails: toy.base.Base lacks \\|this\\|\n" in maintainers


def test_the_text_of_a_pull_request_tells_what_was_changed_and_what_was_run(
    built: Path, overlay: Path, run: Callable[..., Result]
) -> None:
    rows = [line for line in (built / "PULL_REQUEST.md").read_text().splitlines() if line.startswith("| ")]
    assert rows[0] == "| Files | Upstream change | Adaptation |"
    assert rows[1].startswith("| `some_plugin/mine.py` | `toy.base.Base.sizes` (2.0.0) | ")
    assert rows[-1] == "| nothing yet | |"
    noted(overlay, "imports", status="pass", environment="e", digest="0" * 64)
    noted(overlay, "simulate-greedy-v1", status="pass")
    noted(overlay, "simulate-greedy-v2", status="fail", details="no")
    assert run("overlay", "build", "--lane", "v2.0.0", "--output", "out").exit_code == 0
    text = (built / "PULL_REQUEST.md").read_text()
    assert "| every module imported beside toy | stale |" in text
    assert "a simulated device | 1 pass |\n" in text
    assert "a simulated device | 1 fail: greedy-v2 |\n" in text
    assert "**Nobody has run this on a device.**" in text
    assert "The unit tests have not run on this state." in text


def test_what_was_accepted_for_a_lane_is_no_debt_of_the_release(
    built: Path, overlay: Path, run: Callable[..., Result]
) -> None:
    entries = (("of the release", {"1.0.0": "a", "2.0.0": "a"}), ("of the lane", {"2.0.0": "a"}))
    found = [
        Entry(id=name, kind="contract", place=name, symbol="toy.x", message="lacks it", definitions=versions)
        for name, versions in entries
    ]
    (overlay / "debt.yaml").write_text(debt.dump(Debt(findings=tuple(found))))
    assert run("overlay", "build", "--lane", "v2.0.0", "--output", "out").exit_code == 0
    release, lane = re.split(r"^## What is accepted.*$", (built / "MAINTAINERS.md").read_text(), flags=re.M)
    assert ("- of the release: lacks it" in release, "- of the lane: lacks it" in release) == (True, False)
    assert ("- of the release: lacks it" in lane, "- of the lane: lacks it" in lane) == (False, True)


def test_modes_and_links_stay_and_dates_do_not(tmp_path: Path) -> None:
    folder = tmp_path / "p-1"
    folder.mkdir()
    (folder / "build.sh").write_text("true\n")
    (folder / "build.sh").chmod(0o755)
    (folder / "link").symlink_to("build.sh")
    with tarfile.open(tmp_path / "p-1.tar.gz", "w:gz") as archive:
        archive.add(folder, "p-1")
    made = patched(tmp_path / "p-1.tar.gz", {"new.txt": b"x"}, "p", "1+up2", tmp_path / "out")
    with tarfile.open(made) as archive:
        found = {m.name: (m.mode & 0o777, m.linkname, m.mtime, m.uid) for m in archive}
    assert found["p-1+up2/build.sh"] == (0o755, "", 1580601600, 0)
    assert found["p-1+up2/link"][1:] == ("build.sh", 1580601600, 0)
    assert "p-1+up2/new.txt" in found


def test_a_project_that_is_no_overlay_is_refused(
    run: Callable[..., Result], tmp_path: Path, overlay: Path
) -> None:
    done = run("overlay", "build", "--lane", "v9.0.0")
    assert (done.exit_code, len(done.output.splitlines())) == (2, 1)
