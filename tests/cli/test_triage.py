"""``syncbot triage`` on real repositories: what failed runs print, and the commit that is guilty."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import syncbot.cli

from .conftest import Project

PROGRAM = "from engine.config import Config; from plugin.worker import FastWorker; FastWorker(Config())"


def failing(project: Project, program: str = PROGRAM) -> str:
    """Return the errors that the backend prints when it runs on the current upstream."""
    paths = [str(project.engine), str(project.plugin / "src")]
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 1
    return done.stderr


def triaged(project: Project, log: Path, *args: str) -> dict[str, Any]:
    result = project.run("triage", str(log), "--from", "v0.1.0", "--format", "json", *args)
    assert result.exit_code == 1, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_the_guilty_commit_is_named_with_line_reason_and_fix(project: Project, tmp_path: Path) -> None:
    project.noise()
    guilty = project.change("engine/text.py", ", strict: bool = False", "", "Drop strict (#11)")
    project.change(
        "engine/text.py", "return text.strip()", "return text.strip() or text", "Keep blanks (#12)"
    )
    log = tmp_path / "run.log"
    log.write_text(failing(project), encoding="utf-8")
    (cause,) = triaged(project, log)["causes"]
    assert (cause["kind"], cause["subject"], cause["names"]) == ("unexpected-keyword", "clean", ["strict"])
    assert (cause["origin"], cause["place"]) == ("upstream", {"file": "src/plugin/worker.py", "line": 9})
    first = cause["guilty"][0]
    assert (first["commit"], first["pr"]) == (guilty, 11)
    assert first["fix"]["rule"] == "call_argument_removed"
    assert any("no longer takes strict" in reason for reason in first["reasons"])
    assert [frame["function"] for frame in cause["frames"]] == ["<module>", "__init__"]


def test_every_format_names_commit_and_line(project: Project, tmp_path: Path) -> None:
    project.change("engine/text.py", ", strict: bool = False", "", "Drop *strict* (#11)")
    log = tmp_path / "run.log"
    log.write_text(failing(project), encoding="utf-8")
    text = project.run("triage", str(log), "--from", "v0.1.0")
    assert text.exit_code == 1
    first, second, *_ = text.stdout.splitlines()
    assert first.startswith("UPSTREAM: engine#11 (")
    assert (
        "broke src/plugin/worker.py:9: engine.text.clean() no longer takes strict. Sure. Next: run" in first
    )
    assert first.endswith("syncbot migrate, it rewrites src/plugin/worker.py:9 by call_argument_removed")
    assert second.startswith("1 cause of failure; engine v0.1.0..")
    assert "the plugin's line: src/plugin/worker.py:9" in text.stdout
    assert text.stdout.count("#11") == 2
    markdown = project.run("triage", str(log), "--from", "v0.1.0", "--format", "markdown")
    assert markdown.stdout.startswith("# UPSTREAM: engine")
    assert "the plugin's line: `src/plugin/worker.py:9`" in markdown.stdout
    assert r"Drop \*strict\*" in markdown.stdout
    written = tmp_path / "triage.md"
    arguments = ("--from", "v0.1.0", "--format", "markdown", "--output", str(written))
    assert project.run("triage", str(log), *arguments).stdout == ""
    assert written.read_text(encoding="utf-8") == markdown.stdout


FAILED_TESTS = """
=================================== FAILURES ===================================
___________________________________ test_run ___________________________________
tests/test_worker.py:3: in test_run
    clean("a", strict=True)
E   TypeError: clean() got an unexpected keyword argument 'strict'
___________________________________ test_put ___________________________________
tests/test_store.py:9: in test_put
    put()
E   OSError: [Errno 28] No space left on device
=========================== short test summary info ============================
FAILED tests/test_worker.py::test_run - TypeError: clean() got an unexpected keyword argument 'strict'
FAILED tests/test_store.py::test_put - OSError: [Errno 28] No space left on device
"""


def test_the_summary_divides_bugs_from_the_environment_and_names_the_guilty(
    project: Project, tmp_path: Path
) -> None:
    guilty = project.change("engine/text.py", ", strict: bool = False", "", "Drop strict (#11)")
    log = tmp_path / "run.log"
    log.write_text(FAILED_TESTS, encoding="utf-8")
    summary = project.run("triage", str(log), "--from", "v0.1.0", "--summary")
    assert summary.exit_code == 1
    assert summary.stdout == project.run("triage", str(log), "--from", "v0.1.0", "--format", "flow").stdout
    told = json.loads(summary.stdout)
    assert told["failed_test_files"] == ["tests/test_store.py", "tests/test_worker.py"]
    assert told["failed_test_cases_count"] == 2
    (bug,), (flake,) = told["code_bugs"], told["env_flakes"]
    assert (bug["error_type"], bug["category"]) == ("TypeError", "Code Bug")
    assert bug["failed_test_cases"] == ["tests/test_worker.py::test_run"]
    assert [(each["pr"], each["commit"]) for each in bug["guilty_pull_requests"]] == [(11, guilty)]
    assert (
        bug["next_step"] == "run syncbot migrate, it rewrites src/plugin/worker.py:9 by call_argument_removed"
    )
    assert (flake["error_type"], flake["category"]) == ("OSError", "Environment Flake")
    assert flake["guilty_pull_requests"] == []
    assert flake["next_step"] == "make room"
    assert flake["verdict"] == "NOT UPSTREAM: the disk is full, or shared memory. Sure. Next: make room"


def test_archives_and_standard_input_give_the_same(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.change("engine/text.py", ", strict: bool = False", "")
    text = failing(project)
    plain, packed, archive = (tmp_path / name for name in ("run.log", "run.log.gz", "run.zip"))
    plain.write_text(text, encoding="utf-8")
    packed.write_bytes(gzip.compress(text.encode()))
    with zipfile.ZipFile(archive, "w") as file:
        # As a workflow's archive has it: the whole job, and its steps again in a folder.
        file.writestr("0_tests.txt", text)
        file.writestr("tests/1_run.txt", text)
    causes = [triaged(project, log)["causes"] for log in (plain, packed, archive)]
    for found in causes:
        for cause in found:
            del cause["log"]
    assert causes[0] == causes[1] == causes[2]
    assert causes[0][0]["count"] == 1
    with plain.open("rb") as file_:
        done = subprocess.run(
            [sys.executable, "-m", "syncbot", "triage", "-", "--backend", str(project.plugin)],
            stdin=file_, capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "")
    assert "standard input:1" in done.stdout


def test_what_is_not_upstreams_fault_blames_no_commit(project: Project, tmp_path: Path) -> None:
    project.change("engine/text.py", ", strict: bool = False", "")
    log = tmp_path / "run.log"
    log.write_text(failing(project, "raise OSError(28, 'No space left on device')"), encoding="utf-8")
    (cause,) = triaged(project, log)["causes"]
    assert (cause["kind"], cause["origin"], cause["guilty"]) == ("disk-full", "environment", [])
    assert (cause["note"], cause["next_step"]) == ("the disk is full, or shared memory", "make room")


def test_a_mistake_of_the_backends_own_blames_no_commit(project: Project, tmp_path: Path) -> None:
    project.change("engine/text.py", "return text.strip()", "return text.strip() or text")
    project.write({"src/plugin/own.py": "def own(): ...\n\n\ndef wrong():\n    own(nothing=1)\n"})
    log = tmp_path / "run.log"
    log.write_text(failing(project, "from plugin.own import wrong; wrong()"), encoding="utf-8")
    (cause,) = triaged(project, log)["causes"]
    assert (cause["origin"], cause["guilty"]) == ("backend", [])
    assert cause["place"] == {"file": "src/plugin/own.py", "line": 5}


def test_without_a_range_errors_are_still_told(project: Project, tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text("TypeError: Foo.__init__() got an unexpected keyword argument 'x'\n", encoding="utf-8")
    result = project.run("triage", str(log))
    assert result.exit_code == 1
    assert result.stdout.startswith(
        "UNKNOWN: no range was looked at. Next: name the last version that worked"
    )


@pytest.mark.parametrize(
    "content",
    [
        *(
            "\ufeffINFO fine\r\nValueError: h\xe9\r\n".encode(name)
            for name in ("utf-16-le", "utf-16-be", "utf-8")
        ),
        b"BZh is no archive\nValueError: h\xc3\xa9\n",
    ],
    ids=["UTF-16 LE", "UTF-16 BE", "UTF-8", "text like an archive"],
)
def test_a_log_of_windows_and_one_that_only_looks_packed(
    project: Project, tmp_path: Path, content: bytes
) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(content)
    result = project.run("triage", str(log))
    assert result.exit_code == 1
    assert "ValueError: h\xe9" in result.stdout


def test_a_log_without_failures_finds_nothing(project: Project, tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text("INFO 01-20 10:00:00 [api.py:1] No Error occurred\n", encoding="utf-8")
    result = project.run("triage", str(log), "--from", "v0.1.0")
    assert (result.exit_code, result.stdout) == (0, "no failures found\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no log"),
        (gzip.compress(os.urandom(5000))[:2000], "is cut off or damaged"),
        (b"PK\x03\x04 and nothing", "is a broken zip archive"),
        (lzma.compress(b"ValueError: x\n"), "is packed with xz, which is not read: unpack it first"),
        (bz2.compress(b"ValueError: x\n" * 1000), "is packed with bzip2"),
    ],
    ids=["no log", "cut off", "broken archive", "xz", "bzip2"],
)
def test_a_log_that_cannot_be_read_is_one_line(
    project: Project, tmp_path: Path, content: bytes | None, message: str
) -> None:
    log = tmp_path / "run.log"
    if content is not None:
        log.write_bytes(content)
    result = project.run("triage", str(log))
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert message in result.stderr


def test_an_end_without_a_beginning_is_wrong_use(project: Project, tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text("ValueError: x\n", encoding="utf-8")
    result = project.run("triage", str(log), "--to", "v0.1.0")
    assert result.exit_code == 2
    assert "--to alone is no range" in result.stderr


def test_of_several_causes_the_most_telling_one_is_first(project: Project, tmp_path: Path) -> None:
    project.change("engine/text.py", ", strict: bool = False", "", "Drop strict (#11)")
    log = tmp_path / "run.log"
    log.write_text("OSError: [Errno 28] No space left on device\n\n" + failing(project), encoding="utf-8")
    lines = project.run("triage", str(log), "--from", "v0.1.0").stdout.splitlines()
    assert lines[0].startswith("UPSTREAM: engine#11 (")
    assert lines[1].startswith("2 causes of failure")
    told = [line.strip() for line in lines if line.startswith("  ") and ". Sure." in line]
    assert [line.partition(":")[0] for line in told] == ["NOT UPSTREAM", "UPSTREAM"]


def test_either_order_of_the_ends_is_answered_by_which_one_is_newer(project: Project, tmp_path: Path) -> None:
    old = project.noise()
    brought = project.change("engine/text.py", "def clean(", "def tidy(a): ...\n\n\ndef clean(", "Tidy (#21)")
    project.git("tag", "v0.2.0")
    project.noise()
    log = tmp_path / "run.log"
    log.write_text(
        "ImportError: cannot import name 'tidy' from 'engine.text' (/a/engine/text.py)\n", encoding="utf-8"
    )
    for ends in (("--from", "main", "--to", old), ("--from", old, "--to", "main")):
        result = project.run("triage", str(log), *ends, "--format", "json")
        assert result.exit_code == 1, result.output
        told = json.loads(result.stdout)
        assert told["range"]["reversed"] == (ends[1] == "main")
        (cause,) = told["causes"]
        assert (cause["origin"], cause["guilty"][0]["commit"], cause["release"]) == (
            "too-old",
            brought,
            "v0.2.0",
        )
        assert told["verdict"]["answer"] == "too-old"
        assert told["verdict"]["line"].startswith("TOO OLD: the engine that ran (")
        assert "engine.text.tidy does not exist; that came with engine#21" in told["verdict"]["line"]
        assert told["verdict"]["next_step"] == "install engine 0.2.0 or later"


def test_what_the_text_decides_opens_no_upstream(project: Project, tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text("EI0006: Getting socket times out.\n", encoding="utf-8")
    result = project.run(
        "triage", str(log), "--from", "v0.1.0", "--upstream", "https://example.invalid/a.git"
    )
    assert result.exit_code == 1
    assert result.stdout.startswith(
        "NOT UPSTREAM: the link between ranks did not answer in time (EI0006). Sure."
    )


def test_lines_that_are_marked_as_errors_are_told_and_fail(project: Project, tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text(
        "ERROR 03-19 20:42:17 engine.py:400] it broke\nERROR 03-19 20:42:18 engine.py:9] b\n",
        encoding="utf-8",
    )
    result = project.run("triage", str(log), "--from", "v0.1.0")
    assert result.exit_code == 1
    assert (
        "there is no traceback, but 2 lines say ERROR, the first: it broke" in result.stdout.splitlines()[0]
    )


def test_without_a_plugin_the_log_is_explained_all_the_same(project: Project, tmp_path: Path) -> None:
    guilty = project.change("engine/text.py", "def clean(", "def tidy(", "Tidy (#22)")
    log = tmp_path / "run.log"
    log.write_text(
        "ImportError: cannot import name 'clean' from 'engine.text' (/a/engine/text.py)\n", encoding="utf-8"
    )
    empty = tmp_path / "empty"
    empty.mkdir()
    asked = ["triage", str(log), "--from", "v0.1.0", "--backend", str(empty), "--format", "json"]
    result = CliRunner().invoke(syncbot.cli.main, [*asked, "--upstream", str(project.engine)])
    assert result.exit_code == 1, result.output
    told = json.loads(result.stdout)
    assert told["causes"][0]["guilty"][0]["commit"] == guilty
    assert told["remarks"] == [
        "there is no plugin in this folder, so only upstream was looked at: --backend names one"
    ]


def test_the_line_told_is_the_one_that_is_rewritten_or_none_is_promised(
    project: Project, tmp_path: Path
) -> None:
    project.write(
        {
            "src/plugin/two.py": "from engine.text import clean\n\n\ndef first():\n    clean('a', strict=True)\n"
            "\n\ndef second(given):\n    return given.clean('a', strict=True)\n",
        }
    )
    project.change("engine/text.py", ", strict: bool = False", "", "Drop strict (#11)")
    log = tmp_path / "run.log"
    frame = 'Traceback (most recent call last):\n  File "/a/src/plugin/two.py", line {}, in {}\n    {}\n'
    error = "TypeError: clean() got an unexpected keyword argument 'strict'\n"
    log.write_text(frame.format(5, "first", "clean('a', strict=True)") + error, encoding="utf-8")
    (cause,) = triaged(project, log)["causes"]
    assert (cause["place"]["line"], cause["mend"]) == (5, "call_argument_removed")
    log.write_text(
        frame.format(9, "second", "return given.clean('a', strict=True)") + error, encoding="utf-8"
    )
    (cause,) = triaged(project, log)["causes"]
    assert (cause["place"]["line"], cause["mend"]) == (9, None)
    assert "rewrites" not in cause["next_step"]
