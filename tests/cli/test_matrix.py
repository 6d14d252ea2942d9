"""``syncbot matrix`` as what other programs read, and evidence from several places."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from packaging.specifiers import SpecifierSet

import syncbot.cli
from syncbot.lanes import matrix as matrices
from syncbot.lanes.evidence import Evidence

ROOT = Path(__file__).parents[2]
TEXT = """\
upstream: engine
baseline: v2.0.0
lanes:
  - {tag: v1.0.0, wheel: 1.0.0.post1, python: ">=3.10,<3.13", stack: {torch: 2.12.0, cann: null}, sources: one}
  - {tag: v2.0.0, wheel: 2.0.0, python: ">=3.12.4", sources: two}
"""


def run(root: Path, *args: str) -> Result:
    return CliRunner().invoke(syncbot.cli.main, ["matrix", *args, "--backend", str(root)])


def evidence(date: str, digest: str) -> Evidence:
    return Evidence(status="pass", command="x", date=f"2026-01-{date}T00:00:00+00:00", digest=digest)


def test_a_job_a_lane(tmp_path: Path) -> None:
    (tmp_path / "compat_matrix.yaml").write_text(TEXT, encoding="utf-8")
    done = run(tmp_path, "--format", "github")
    # One line, since that is what goes into a job's output.
    assert (done.exit_code, done.stdout.count("\n")) == (0, 1)
    assert json.loads(done.stdout) == {
        "include": [
            {"lane": "v2.0.0", "version": "2.0.0", "wheel": "2.0.0", "python": "3.12", "baseline": True, "stack": {}},
            {"lane": "v1.0.0", "version": "1.0.0", "wheel": "1.0.0.post1", "python": "3.11", "baseline": False,
             "stack": {"torch": "2.12.0"}},
        ]
    }  # fmt: skip


def test_a_lane_that_syncbot_cannot_run_beside(tmp_path: Path) -> None:
    text = TEXT.replace(">=3.10,<3.13", ">=3.8,<3.11")
    (tmp_path / "compat_matrix.yaml").write_text(text, encoding="utf-8")
    done = run(tmp_path, "--format", "github")
    assert done.exit_code == 2
    assert done.stderr == "syncbot: lane v1.0.0 wants Python >=3.8,<3.11; syncbot runs on 3.11 or newer\n"


def test_the_oldest_python_is_that_of_the_project() -> None:
    from syncbot.cli.matrix import _OLDEST_PYTHON

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = SpecifierSet(project["requires-python"])
    major, minor = _OLDEST_PYTHON
    # Workflows name a minor version and get its newest patch release.
    assert oldest.contains(f"{major}.{minor}.99")
    assert not oldest.contains(f"{major}.{minor - 1}.99")


def test_evidence_of_copies_is_put_together(tmp_path: Path) -> None:
    own = matrices.parse(TEXT).with_evidence("v1.0.0", "static", evidence("02", "one"))
    matrices.save(own, tmp_path / "compat_matrix.yaml")
    first = own.with_evidence("v1.0.0", "static", evidence("01", "one"))
    first = first.with_evidence("v1.0.0", "simulate", evidence("03", "one"))
    other = evidence("04", "other").model_copy(update={"stale": True})
    second = own.with_evidence("v2.0.0", "static", other)
    copies = []
    for name, copy in (("a", first), ("b", second)):
        (tmp_path / name).mkdir()
        matrices.save(copy, tmp_path / name / "compat_matrix.yaml")
        copies += ["--evidence", str(tmp_path / name / "compat_matrix.yaml")]
    assert run(tmp_path, *copies).exit_code == 0
    found = matrices.load(tmp_path / "compat_matrix.yaml")
    old, new = found.lane("v1.0.0"), found.lane("v2.0.0")
    assert old.checks == {"static": evidence("02", "one"), "simulate": evidence("03", "one")}
    assert (old.shown("static"), new.shown("static")) == ("pass", "stale")
    before = (tmp_path / "compat_matrix.yaml").read_bytes()
    assert run(tmp_path, *copies).exit_code == 0
    assert (tmp_path / "compat_matrix.yaml").read_bytes() == before


def test_a_lane_that_only_the_copy_has(tmp_path: Path) -> None:
    (tmp_path / "compat_matrix.yaml").write_text(TEXT, encoding="utf-8")
    other = matrices.parse(TEXT.replace("v1.0.0", "v0.9.0").replace("1.0.0.post1", "0.9.0"))
    (tmp_path / "copy").mkdir()
    matrices.save(other.with_evidence("v0.9.0", "static", evidence("01", "x")), tmp_path / "copy/m.yaml")
    assert run(tmp_path, "--evidence", str(tmp_path / "copy/m.yaml")).exit_code == 0
    assert not matrices.load(tmp_path / "compat_matrix.yaml").checks()


@pytest.mark.parametrize("text", [None, "lanes: 1\n"])
def test_a_copy_that_is_none(tmp_path: Path, text: str | None) -> None:
    (tmp_path / "compat_matrix.yaml").write_text(TEXT, encoding="utf-8")
    if text is not None:
        (tmp_path / "copy.yaml").write_text(text, encoding="utf-8")
    done = run(tmp_path, "--evidence", str(tmp_path / "copy.yaml"))
    assert done.exit_code == 2
    assert "copy.yaml" in done.stderr
    assert (tmp_path / "compat_matrix.yaml").read_text(encoding="utf-8") == TEXT
