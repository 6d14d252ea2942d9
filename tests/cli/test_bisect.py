"""``syncbot bisect`` on a small history, with real commands."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import syncbot.cli
from tests.upstream.package_index import Index

from .conftest import Project
from .small_upstream import OLD, beside, changed, toy

pytestmark = pytest.mark.long

WORKS = "import engine.text as t; assert t.clean('a') == 'a'"


def python(code: str) -> tuple[str, ...]:
    return ("--", sys.executable, "-c", code)


@pytest.fixture
def history(project: Project) -> list[str]:
    """Twelve commits after v0.1.0; the fifth gives ``clean`` a required parameter, the ninth breaks syntax."""
    shas = []
    for number in range(1, 13):
        if number == 5:
            shas.append(project.change("engine/text.py", "strict: bool = False", "mode: str", "Mode (#5)"))
        elif number == 9:
            project.files["engine/text.py"] += "\nthis is no Python\n"
            shas.append(project.commit("Break it for good (#9)"))
        else:
            shas.append(project.noise())
    return shas


def bisect(project: Project, *args: str, ends: tuple[str, str] = ("v0.1.0", "main")) -> Result:
    good, bad = ends
    line = ["bisect", "--from", good, "--to", bad, "--backend", str(project.plugin), *args]
    return CliRunner().invoke(syncbot.cli.main, line)


def result(project: Project, *args: str, ends: tuple[str, str] = ("v0.1.0", "main")) -> dict[str, Any]:
    done = bisect(project, "--format", "json", *args, ends=ends)
    assert done.exit_code == 1, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def answers(found: dict[str, Any]) -> list[list[str]]:
    return [[commit["sha"] for commit in answer["commits"]] for answer in found["answers"]]


def test_a_suspect_takes_two_runs(project: Project, history: list[str]) -> None:
    found = result(project, *python(WORKS), ends=("v0.1.0", history[7]))
    assert answers(found) == [[history[4]]]
    assert [run["verdict"] for run in found["runs"]] in (["bad", "good"], ["good", "bad"])
    assert found["halving"] > 2
    answer = found["answers"][0]
    assert answer["before"]["commit"] == answer["parent"] == history[3]
    assert "TypeError" in answer["after"]["said"]
    assert answer["impacts"][0]["symbol"] == "engine.text.clean"


def test_what_nothing_suspects_is_found_all_the_same(project: Project, history: list[str]) -> None:
    number = history.index(history[6])
    code = f"import engine.noise as n; assert n.N <= {number}"
    found = result(project, *python(code), ends=(history[0], history[-1]))
    verdicts = {run["commit"]: run["verdict"] for run in found["runs"]}
    ((answer,),) = answers(found)
    assert verdicts[answer] == "bad"
    assert verdicts[history[history.index(answer) - 1]] == "good"
    assert found["monotone"]


def test_all_tells_one_failure_after_the_other(project: Project, history: list[str]) -> None:
    found = result(project, "--all", *python(WORKS))
    assert answers(found) == [[history[4]], [history[8]]]
    said = [answer["after"]["said"] for answer in found["answers"]]
    assert ["TypeError" in said[0], "SyntaxError" in said[1]] == [True, True]


def test_places_and_durations_make_no_other_failure(project: Project, history: list[str]) -> None:
    said = "print(f'failed in {time.time() % 100:.2f} s, see {tempfile.mkdtemp()}/log'); sys.exit(1)"
    script = (
        f"import os, sys, tempfile, time\nif os.environ['SYNCBOT_COMMIT'] in {history[4:]!r}:\n    {said}"
    )
    assert answers(result(project, "--all", *python(script))) == [[history[4]]]


def test_all_tells_what_was_mended(project: Project) -> None:
    for _ in range(3):
        project.noise()
    broken = project.change("engine/text.py", "strict: bool = False", "mode: str", "Mode (#5)")
    project.noise()
    mended = project.change("engine/text.py", "mode: str", "strict: bool = False", "Take it back (#6)")
    project.noise()
    gone = project.change("engine/text.py", "def clean", "def tidy", "Rename (#7)")
    project.noise()
    found = result(project, "--all", *python(WORKS))
    assert answers(found) == [[broken], [mended], [gone]]
    assert [answer["mends"] for answer in found["answers"]] == [False, True, False]
    assert not found["monotone"]
    text = bisect(project, "--all", *python(WORKS)).stdout
    assert f"good again from: {mended[:10]}" in text
    assert "not good first and bad after" in text


def test_exit_code_125_and_a_failing_setup_skip(project: Project, history: list[str]) -> None:
    skipping = (
        "import os, sys; "
        f"sys.exit(125) if os.environ['SYNCBOT_COMMIT'] in {history[2:4]!r} else None; " + WORKS
    )
    found = result(project, *python(skipping))
    assert answers(found) == [history[2:5]]
    assert found["answers"][0]["before"]["commit"] == history[1]
    text = bisect(project, *python(skipping)).stdout
    assert "bad from one of 3 commits" in text
    cases = "|".join(history[2:4])
    found = result(project, "--setup", f"case {{commit}} in {cases}) exit 1;; esac", *python(WORKS))
    assert answers(found) == [history[2:5]]
    assert {run["said"][:12] for run in found["runs"] if run["verdict"] == "skip"} == {"setup failed"}


@pytest.mark.parametrize(("code", "exit_code"), [(1, 1), (124, 1), (126, 1), (127, 1), (128, 3), (255, 3)])
def test_exit_codes_mean_what_they_mean_to_git(
    project: Project, history: list[str], code: int, exit_code: int
) -> None:
    script = f"import os, sys; sys.exit({code} if os.environ['SYNCBOT_COMMIT'] in {history[4:]!r} else 0)"
    done = bisect(project, *python(script))
    assert done.exit_code == exit_code, done.output
    assert len(done.stderr.splitlines()) >= 1


def test_a_test_file_s_imports_choose_the_suspects(project: Project) -> None:
    project.noise()
    other = project.change("engine/worker.py", "config: Config):", "config: Config, rank):", "Rank (#1)")
    project.noise()
    split = project.change("engine/text.py", "def split(text", "def split(mode, text", "Mode (#2)")
    for _ in range(6):
        project.noise()
    project.write({
        "src/plugin/words.py": "from engine.text import split\n\n\ndef halves() -> object:\n    return split('ab')\n",
        "src/plugin/work.py": "from engine.worker import Worker\n\n\ndef make() -> object:\n    return Worker(1)\n",
        "tests/test_words.py": "from plugin.words import halves\n",
        "tests/test_work.py": "from plugin.work import make\n",
    })  # fmt: skip
    for name, call, guilty in (("words", "halves", split), ("work", "make", other)):
        code = f"import sys; sys.path.append({str(project.plugin / 'src')!r}); from plugin.{name} import {call}; {call}()"
        found = result(project, "--test", str(project.plugin / f"tests/test_{name}.py"), *python(code))
        assert answers(found) == [[guilty]]
        assert len(found["runs"]) == 2


def test_the_tree_is_whole_and_the_user_s_are_untouched(project: Project) -> None:
    project.write({"../engine/data/table.txt": "1"})
    (project.engine / "data/run.sh").write_text("#!/bin/sh\nexit 0\n")
    (project.engine / "data/run.sh").chmod(0o755)
    project.noise()
    bad = project.change("engine/text.py", "def clean", "def tidy", "Rename (#1)")
    project.noise()
    (project.engine / "left.txt").write_text("not committed")
    before = (
        project.git("status", "--porcelain"),
        project.git("rev-parse", "HEAD"),
        project.git("worktree", "list"),
    )
    checks = 'test "$(cat {tree}/data/table.txt)" = 1 && {tree}/data/run.sh && '
    checks += 'test "$SYNCBOT_UPSTREAM" = {tree} && grep -q clean {tree}/engine/text.py'
    found = result(project, "--", "sh", "-c", checks, ends=("main~3", "main"))
    assert answers(found) == [[bad]]
    assert before == (
        project.git("status", "--porcelain"), project.git("rev-parse", "HEAD"), project.git("worktree", "list")
    )  # fmt: skip


def test_equal_sizes_within_a_second_are_told_apart(project: Project) -> None:
    project.files["engine/value.py"] = "N = 1\n"
    start = project.commit("One")
    for _ in range(4):
        project.noise()
    project.files["engine/value.py"] = "N = 2\n"
    bad = project.commit("Two")
    for _ in range(4):
        project.noise()
    found = result(project, *python("import engine.value as v; assert v.N == 1"), ends=(start, "main"))
    assert answers(found) == [[bad]]


def test_a_merge_is_one_commit_of_the_line(project: Project) -> None:
    project.noise()
    fork = dict(project.files)
    project.git("checkout", "--quiet", "-b", "topic")
    project.change("engine/text.py", "def clean", "def tidy", "Rename (#1)")
    project.noise()
    project.git("checkout", "--quiet", "main")
    project.files = fork
    project.files["engine/more.py"] = ""
    project.commit("On main")
    project.git("merge", "--quiet", "--no-ff", "-m", "Merge topic (#2)", "topic")
    merge = project.git("rev-parse", "HEAD")
    found = result(project, *python(WORKS))
    assert answers(found) == [[merge]]
    assert len(found["answers"][0]["merged"]) == 2


def test_ends_that_are_not_what_they_are_said_to_be(project: Project, history: list[str]) -> None:
    for code, words in (
        ("pass", f"--to {history[-1][:10]} is good"),
        ("raise SystemExit(3)", "is already bad"),
    ):
        done = bisect(project, *python(code))
        assert done.exit_code == 2
        assert words in done.stderr.splitlines()[-1]


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "give either a command"),
        (("--simulate", "--", "true"), "give either a command"),
        (("--", "no-such-command-at-all"), "no-such-command-at-all cannot be started"),
        (("--test", "nowhere.py", "--", "true"), "nowhere.py"),
        (("--lane", "v0.1.0", "--", "true"), "add --simulate"),
        (("--simulate", "--setup", "make"), "--setup and --test belong to a command"),
    ],
)
def test_wrong_use_is_one_line(project: Project, args: tuple[str, ...], words: str) -> None:
    done = bisect(project, *args)
    assert done.exit_code == 2
    assert words in done.stderr.splitlines()[-1]


def started(project: Project, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "syncbot", "bisect", "--from", "v0.1.0", "--to", "main", *args],
        cwd=project.plugin, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def wait_for(file: Path) -> None:
    give_up = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < give_up
        time.sleep(0.02)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_search_goes_on_where_it_stopped(
    project: Project,
    history: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    how: signal.Signals,
) -> None:
    second = tmp_path / "second"
    script = tmp_path / "check.py"
    # The second run says that it has begun and then waits, until it is asked again.
    script.write_text(
        "import os, pathlib, time\n"
        f"first, second = pathlib.Path({str(tmp_path / 'first')!r}), pathlib.Path({str(second)!r})\n"
        "if first.exists() and not second.exists():\n"
        "    begun = second.with_suffix('.begun')\n"
        "    begun.write_text(str(os.getpid()))\n"
        "    begun.rename(second)\n"
        "    time.sleep(600)\n"
        "first.touch()\n" + WORKS.replace("; ", "\n") + "\n"
    )
    command = ("--format", "json", "--", sys.executable, str(script))
    process = started(project, *command)
    wait_for(second)
    process.send_signal(how)
    _, errors = process.communicate(timeout=60)
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert errors.splitlines()[-1] == "syncbot: interrupted"
        assert not Path(f"/proc/{second.read_text()}").exists()
    else:
        os.kill(int(second.read_text()), signal.SIGKILL)
    monkeypatch.chdir(project.plugin)
    found = result(project, *command[2:])
    assert answers(found) == [[history[4]]]
    assert (found["known"], len(found["runs"])) == (1, 3)
    assert result(project, "--restart", *command[2:])["known"] == 0


def test_a_changed_backend_asks_anew(project: Project, history: list[str]) -> None:
    assert result(project, *python(WORKS))["known"] == 0
    assert result(project, *python(WORKS))["known"] == 3
    project.write({"src/plugin/more.py": "MORE = 1\n"})
    assert result(project, *python(WORKS))["known"] == 0
    assert history


@pytest.mark.machine
def test_releases_go_by_their_versions(tmp_path: Path, alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    other = changed(("a + b", "b + a"))
    releases = (("1.0", OLD), ("1.1", OLD), ("1.2", other), ("1.3", other))
    files = [file for version, held in releases for file in toy(version, held, tmp_path)]
    plugin = {
        "pyproject.toml": '[project]\nname = "plugin"\nversion = "1"\ndependencies = ["toy"]\n',
        "plugin/__init__.py": "from toy import core\n",
    }
    with Index(files) as index:
        folder = beside(index, plugin, tmp_path / "plugin", tmp_path / "cache", monkeypatch)
        line = ["bisect", "--upstream", "toy", "--by", "releases", "--from", "1.0", "--to", "1.3"]
        code = python("from toy.core import join; assert join('a', 'b') == 'ab'")
        done = CliRunner().invoke(syncbot.cli.main, [*line, "--backend", str(folder), *code])
    assert done.exit_code == 1, done.output
    assert "bad from: 1.2 2026-01-03\n  1.1 is good: exit code 0" in done.stdout
    assert "  1.2        bad " in done.stdout
    assert "plain halving of 3 releases takes" in done.stdout
    assert not re.search(r"\b[0-9a-f]{10}\b", done.output)
