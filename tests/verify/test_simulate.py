from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from syncbot.config import SimulationSettings
from syncbot.lanes.dependence import Present, Sources
from syncbot.verify.environment import Environment
from syncbot.verify.installer import Installer
from syncbot.verify.simulate import (
    Check,
    Outcome,
    PreparedRun,
    Subject,
    batches,
    recall,
    simulate_all,
)

pytestmark = pytest.mark.machine

# Behaves as told by --case, and counts its runs in a file.
CHECK = """
import argparse, json, os, sys, time
from importlib import metadata
from pathlib import Path

parser = argparse.ArgumentParser()
for name in ("--case", "--runner", "--output", "--control"):
    parser.add_argument(name)
given = parser.parse_args()
with open(os.environ["COUNTER"], "a") as counter:
    counter.write("run\\n")
if given.case == "hangs":
    time.sleep(60)
if given.case == "crashes":
    raise TypeError("an unexpected keyword argument 'spec'")
if given.case == "elsewhere":
    raise FileNotFoundError(f"{os.getcwd()}/missing.txt, {sys.prefix}/lib/site.py")
if given.case == "usage":
    sys.exit(2)
if given.case != "silent":
    Path(given.output).write_text(json.dumps({
        "runner": given.runner,
        "entry_points": [point.name for point in metadata.entry_points(group="tiny.plugins")],
        "data": Path(os.environ["DATA_WHEEL"]).name,
        "kind": os.environ["KIND"],
        "temporary": os.environ["TMPDIR"],
        "path": os.environ["PYTHONPATH"],
    }))
if given.case == "differs" or given.control:
    print("differs: token 3 is 7, not 9")
    sys.exit(1)
"""


@pytest.fixture
def subject(tmp_path: Path, offer: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Subject:
    monkeypatch.setenv("COUNTER", str(tmp_path / "runs"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    points = "[tiny.plugins]\nascending = tinybackend:register\n"
    wheel = offer(tmp_path, "tinybackend", "1", {"tinybackend/check.py": CHECK}, points)
    return Subject("v1.5", wheel, "sources-1", {"DATA_WHEEL": tmp_path / "data-1.whl"})


@pytest.fixture
def look(subject: Subject, tmp_path: Path, index: Path) -> Callable[..., Outcome]:
    """Runs the check with a case that names how it behaves."""
    environment = Environment(Path(sys.prefix), "environment-1", ())
    cache = tmp_path / "cache"

    def run(case: str, *arguments: str, idle: float = 60.0) -> Outcome:
        chosen = settings(case, idle)
        check = Check(case, "v1", arguments)
        stand = PreparedRun(subject, environment, chosen, Installer.of_this_machine(cache), cache)
        return simulate_all(stand, (check,))[check]

    return run


def settings(case: str, idle: float = 60.0) -> SimulationSettings:
    return SimulationSettings(
        check="tinybackend.check",
        cases={case: ("v1",)},
        environment={"KIND": "simulated"},
        inherit=("COUNTER",),
        idle=idle,
    )


def test_a_run_that_is_right_passes_with_what_it_wrote(look: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = look("right")
    assert (outcome.passed, outcome.reason) == (True, "")
    assert outcome.command == "python -m tinybackend.check --case right --runner v1"
    assert outcome.sources == "sources-1"
    # The wheel's entry points are found, as in an installation; nothing is left behind.
    assert outcome.result["entry_points"] == ["ascending"]
    assert outcome.result["data"] == "data-1.whl"
    assert outcome.result["kind"] == "simulated"
    assert not list(tmp_path.glob("syncbot-*"))


def test_the_caller_s_python_path_does_not_leak_in(
    look: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    assert "/somewhere" not in str(look("right").result["path"])


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("differs", "differs: token 3 is 7, not 9"),
        ("crashes", "TypeError: an unexpected keyword argument 'spec'"),
        ("silent", "exited with 0 but wrote no result"),
        ("usage", "exit code 2: "),
    ],
)
def test_a_run_that_is_wrong_fails_with_its_reason_and_log(
    case: str, reason: str, look: Callable[..., Outcome]
) -> None:
    outcome = look(case)
    assert not outcome.passed
    assert outcome.reason.startswith(reason)
    assert outcome.log is not None
    assert f"--case {case}" in Path(outcome.log).read_text()


def test_reasons_name_no_places_of_this_machine(look: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = look("elsewhere")
    assert outcome.reason == "FileNotFoundError: work/missing.txt, lib/site.py"


def test_a_run_that_hangs_is_undecided(look: Callable[..., Outcome]) -> None:
    outcome = look("hangs", idle=2.0)
    assert (outcome.status, outcome.reason) == ("unknown", "used no processor time for 2 s")
    assert look("differs").status == "fail"


def test_arguments_reach_the_check(look: Callable[..., Outcome]) -> None:
    outcome = look("right", "--control", "scale")
    assert not outcome.passed
    assert outcome.command.endswith("--case right --runner v1 --control scale")


BATCH = """
import json, sys
from pathlib import Path
cases = [word for name, word in zip(sys.argv, sys.argv[1:]) if name == "--case"]
said = [{"case": case, "failure": None if case == "right" else f"{case} differs"} for case in cases]
Path(sys.argv[-1]).write_text(json.dumps([each for each in said if each["case"] != "lost"]))
sys.exit(1)
"""


def test_several_cases_in_one_process_are_judged_one_by_one(
    subject: Subject, tmp_path: Path, offer: Callable[..., Path]
) -> None:
    (tmp_path / "batch").mkdir()
    wheel = offer(tmp_path / "batch", "tinybackend", "2", {"tinybackend/check.py": BATCH}, "")
    environment, cache = Environment(Path(sys.prefix), "environment-1", ()), tmp_path / "cache"
    chosen = settings("right").model_copy(update={"together": 3})
    stand = PreparedRun(
        replace(subject, wheel=wheel), environment, chosen, Installer.of_this_machine(cache), cache
    )
    batch = [Check(case, "v1") for case in ("right", "wrong", "lost")]
    outcomes = simulate_all(stand, batch)
    assert [outcome.passed for outcome in outcomes.values()] == [True, False, False]
    assert outcomes[batch[1]].reason == "wrong differs"
    assert outcomes[batch[0]].command == "python -m tinybackend.check --case right --runner v1"
    assert recall(stand.subject, batch[0], environment.digest, chosen, cache) == outcomes[batch[0]]
    assert recall(stand.subject, batch[1], environment.digest, chosen, cache) is None


HANGS = """
import json, sys, time
from pathlib import Path
cases = [word for name, word in zip(sys.argv, sys.argv[1:]) if name == "--case"]
said = []
for case in cases:
    if case == "hangs":
        time.sleep(600)
    said.append({"case": case, "failure": None})
    Path(sys.argv[-1]).write_text(json.dumps(said if len(cases) > 1 else said[0]))
"""


def test_what_hangs_takes_no_other_case_along(
    subject: Subject, tmp_path: Path, offer: Callable[..., Path]
) -> None:
    (tmp_path / "batch").mkdir()
    wheel = offer(tmp_path / "batch", "tinybackend", "2", {"tinybackend/check.py": HANGS}, "")
    environment, cache = Environment(Path(sys.prefix), "environment-1", ()), tmp_path / "cache"
    chosen = settings("right", idle=2.0).model_copy(update={"together": 4})
    installer = Installer.of_this_machine(cache)
    stand = PreparedRun(replace(subject, wheel=wheel), environment, chosen, installer, cache)
    batch = [Check(case, "v1") for case in ("before", "hangs", "after", "last")]
    outcomes = simulate_all(stand, batch)
    assert [(check.case, outcome.status) for check, outcome in outcomes.items()] == [
        *(("before", "pass"), ("hangs", "unknown"), ("after", "pass"), ("last", "pass")),
    ]


def rows(wanted: list[Check], together: int) -> list[list[str]]:
    return [[str(check) for check in row] for row in batches(wanted, together)]


def test_checks_share_a_process_with_those_on_the_same_runners() -> None:
    wanted = [Check(case, runner) for case in "abc" for runner in ("v1", "v2")]
    assert rows(wanted, 4) == [["a on v1", "a on v2", "b on v1", "b on v2"], ["c on v1", "c on v2"]]
    assert rows(wanted, 3) == [["a on v1", "a on v2"], ["b on v1", "b on v2"], ["c on v1", "c on v2"]]
    assert rows(wanted[1:], 4) == [["a on v2"], ["b on v1", "b on v2", "c on v1", "c on v2"]]
    assert rows([*wanted[:2], Check("c", "v1", ("--faults",))], 4) == [
        ["a on v1", "a on v2"],
        ["c on v1 --faults"],
    ]


def test_without_together_each_check_has_a_process_of_its_own() -> None:
    wanted = [Check(case, runner) for case in "ab" for runner in ("v1", "v2")]
    assert rows(wanted, 1) == [["a on v1"], ["b on v1"], ["a on v2"], ["b on v2"]]


RUNNERS = """
import json, sys
from itertools import product
from pathlib import Path
given = {name: [w for n, w in zip(sys.argv, sys.argv[1:]) if n == name] for name in ("--case", "--runner")}
said = [{"case": c, "runner": r, "failure": None if r == "v1" else f"{c} differs"} for c, r in product(*given.values())]
Path(sys.argv[-1]).write_text(json.dumps(said))
sys.exit(1)
"""


def test_one_process_answers_for_each_runner(
    subject: Subject, tmp_path: Path, offer: Callable[..., Path]
) -> None:
    (tmp_path / "batch").mkdir()
    wheel = offer(tmp_path / "batch", "tinybackend", "2", {"tinybackend/check.py": RUNNERS}, "")
    environment, cache = Environment(Path(sys.prefix), "environment-1", ()), tmp_path / "cache"
    installer = Installer.of_this_machine(cache)
    stand = PreparedRun(replace(subject, wheel=wheel), environment, settings("a"), installer, cache)
    outcomes = simulate_all(stand, [Check(case, runner) for case in "ab" for runner in ("v1", "v2")])
    assert [(str(check), outcome.reason) for check, outcome in outcomes.items()] == [
        *(("a on v1", ""), ("a on v2", "a differs"), ("b on v1", ""), ("b on v2", "b differs")),
    ]
    assert [outcome.command for outcome in outcomes.values()][1].endswith("--case a --runner v2")


def test_only_what_passed_unchanged_is_recalled(
    look: Callable[..., Outcome], subject: Subject, tmp_path: Path
) -> None:
    environment, cache = Environment(Path(sys.prefix), "environment-1", ()), tmp_path / "cache"
    check, chosen = Check("right", "v1"), settings("right")
    assert recall(subject, check, environment.digest, chosen, cache) is None
    outcome = look("right")
    assert recall(subject, check, environment.digest, chosen, cache) == outcome
    changed = Present(Sources({"tinybackend/more.py": b"x = 1\n"}))
    for other in (
        recall(replace(subject, present=changed), check, environment.digest, chosen, cache),
        recall(replace(subject, wheels={}), check, environment.digest, chosen, cache),
        recall(subject, Check("right", "v2"), environment.digest, chosen, cache),
        recall(subject, check, "environment-2", chosen, cache),
        recall(subject, check, environment.digest, chosen.model_copy(update={"environment": {}}), cache),
    ):
        assert other is None
    look("differs")
    assert recall(subject, Check("differs", "v1"), environment.digest, chosen, cache) is None


def test_a_damaged_memory_is_no_memory(
    look: Callable[..., Outcome], subject: Subject, tmp_path: Path
) -> None:
    environment, cache = Environment(Path(sys.prefix), "environment-1", ()), tmp_path / "cache"
    look("right")
    (file,) = (cache / "simulations").iterdir()
    file.write_text("{")
    assert recall(subject, Check("right", "v1"), environment.digest, settings("right"), cache) is None
