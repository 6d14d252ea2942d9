from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from syncbot.config import SimulationSettings
from syncbot.verify.environment import Environment
from syncbot.verify.installer import Installer
from syncbot.verify.simulate import Check, Outcome, Subject, recall, simulate

# Behaves as told by --model, and counts its runs in a file.
CHECK = """
import argparse, json, os, sys, time
from importlib import metadata
from pathlib import Path

parser = argparse.ArgumentParser()
for name in ("--model", "--runner", "--output", "--control"):
    parser.add_argument(name)
given = parser.parse_args()
with open(os.environ["COUNTER"], "a") as counter:
    counter.write("run\\n")
if given.model == "hangs":
    time.sleep(60)
if given.model == "crashes":
    raise TypeError("an unexpected keyword argument 'spec'")
if given.model == "elsewhere":
    raise FileNotFoundError(f"{os.getcwd()}/missing.txt, {sys.prefix}/lib/site.py")
if given.model == "usage":
    sys.exit(2)
if given.model != "silent":
    Path(given.output).write_text(json.dumps({
        "runner": given.runner,
        "entry_points": [point.name for point in metadata.entry_points(group="tiny.plugins")],
        "data": Path(os.environ["DATA_WHEEL"]).name,
        "kind": os.environ["KIND"],
        "temporary": os.environ["TMPDIR"],
        "path": os.environ["PYTHONPATH"],
    }))
if given.model == "differs" or given.control:
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
    """Runs the check with a model that names how it behaves."""
    environment = Environment(Path(sys.prefix), "environment-1", ())
    cache = tmp_path / "cache"

    def run(model: str, *arguments: str, timeout: float = 60.0) -> Outcome:
        chosen = settings(model, timeout)
        check = Check(model, "v1", arguments)
        return simulate(subject, check, environment, chosen, Installer.of_this_machine(cache), cache)

    return run


def settings(model: str, timeout: float = 60.0) -> SimulationSettings:
    return SimulationSettings(
        check="tinybackend.check",
        models={model: ("v1",)},
        environment={"KIND": "simulated"},
        timeout=timeout,
    )


def test_a_run_that_is_right_passes_with_what_it_wrote(look: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = look("right")
    assert (outcome.passed, outcome.reason) == (True, "")
    assert outcome.command == "python -m tinybackend.check --model right --runner v1"
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
    ("model", "reason"),
    [
        ("differs", "differs: token 3 is 7, not 9"),
        ("crashes", "TypeError: an unexpected keyword argument 'spec'"),
        ("silent", "ended well but wrote no result"),
        ("usage", "exit code 2: "),
    ],
)
def test_a_run_that_is_wrong_fails_with_its_reason_and_log(
    model: str, reason: str, look: Callable[..., Outcome]
) -> None:
    outcome = look(model)
    assert not outcome.passed
    assert outcome.reason.startswith(reason)
    assert outcome.log is not None
    assert f"--model {model}" in Path(outcome.log).read_text()


def test_reasons_name_no_places_of_this_machine(look: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = look("elsewhere")
    assert outcome.reason == "FileNotFoundError: work/missing.txt, lib/site.py"


def test_a_run_that_hangs_fails_in_time(look: Callable[..., Outcome]) -> None:
    outcome = look("hangs", timeout=2.0)
    assert not outcome.passed
    assert outcome.reason.startswith("did not end within 2 s")


def test_arguments_reach_the_check(look: Callable[..., Outcome]) -> None:
    outcome = look("right", "--control", "scale")
    assert not outcome.passed
    assert outcome.command.endswith("--model right --runner v1 --control scale")


def test_only_what_passed_unchanged_is_recalled(
    look: Callable[..., Outcome], subject: Subject, tmp_path: Path
) -> None:
    environment, cache = Environment(Path(sys.prefix), "environment-1", ()), tmp_path / "cache"
    check, chosen = Check("right", "v1"), settings("right")
    assert recall(subject, check, environment, chosen, cache) is None
    outcome = look("right")
    assert recall(subject, check, environment, chosen, cache) == outcome
    for other in (
        recall(replace(subject, sources="sources-2"), check, environment, chosen, cache),
        recall(replace(subject, wheels={}), check, environment, chosen, cache),
        recall(subject, Check("right", "v2"), environment, chosen, cache),
        recall(subject, check, replace(environment, digest="environment-2"), chosen, cache),
        recall(subject, check, environment, chosen.model_copy(update={"environment": {}}), cache),
    ):
        assert other is None
    look("differs")
    assert recall(subject, Check("differs", "v1"), environment, chosen, cache) is None


def test_a_damaged_memory_is_no_memory(
    look: Callable[..., Outcome], subject: Subject, tmp_path: Path
) -> None:
    environment, cache = Environment(Path(sys.prefix), "environment-1", ()), tmp_path / "cache"
    look("right")
    (file,) = (cache / "simulations").iterdir()
    file.write_text("{")
    assert recall(subject, Check("right", "v1"), environment, settings("right"), cache) is None
