"""The simulated run: a lane's wheel beside the real upstream, in a process of its own."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from syncbot.config import SimulationSettings
from syncbot.isolation.processor_time import Limits
from syncbot.isolation.run_command import Finished, last_words, run
from syncbot.isolation.variables import few
from syncbot.lanes.dependence import WHOLE, Present
from syncbot.sealed_values import keep
from syncbot.sealed_values import recall as known
from syncbot.verify.environment import Environment
from syncbot.verify.installer import Installer

_RIGHT, _WRONG = 0, 1
_RESULT, _LOG = "result.json", "log"
#: Python imports a module of this name, wherever it finds one, before anything else.
_STARTED_WITH = "sitecustomize.py"


@dataclass(frozen=True, slots=True)
class Check:
    """A case of the backend's check module on one of upstream's model runners, with further ``arguments``."""

    case: str
    runner: str
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join([self.case, "on", self.runner, *self.arguments])

    @property
    def name(self) -> str:
        """A name for files."""
        return "-".join([self.case, self.runner, *(each.lstrip("-") for each in self.arguments)])


def checks(settings: SimulationSettings) -> tuple[Check, ...]:
    """Return the runs that are configured: every case on each of its runners."""
    return tuple(Check(case, runner) for case, runners in settings.cases.items() for runner in runners)


@dataclass(frozen=True, slots=True)
class Beside:
    """Wheels of the project's own that are installed beside a lane's, and the digest of what they are made
    of."""

    wheels: tuple[Path, ...] = ()
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """A lane's wheel, its sources' digest, the wheels that it reads, by environment variable, and those that
    are installed beside it. ``read`` are variables that name something in what is installed, by its path,
    ``told`` those that say what the lane's own stack is. ``present`` is what its checks may depend on."""

    lane: str
    wheel: Path
    sources: str
    wheels: Mapping[str, Path]
    beside: Beside = Beside()
    read: Mapping[str, str] = field(default_factory=dict)
    told: Mapping[str, str] = field(default_factory=dict)
    present: Present = field(default_factory=Present)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run and its time (ISO 8601); for a failure, the ``reason`` in one line and the ``log``.
    A run that was ended at a limit is ``undecided``. ``executed`` are the functions that it depends on, by
    file, None if the run did not report them; ``depends`` is the digest of the sources that it depends on."""

    passed: bool
    reason: str
    log: str | None
    command: str
    moment: str
    sources: str
    result: Mapping[str, object]
    executed: Mapping[str, Sequence[str]] | None = None
    depends: str = ""
    undecided: bool = False

    @property
    def status(self) -> Literal["pass", "fail", "unknown"]:
        """The status that may be claimed for the check."""
        return "pass" if self.passed else "unknown" if self.undecided else "fail"


@dataclass(frozen=True, slots=True)
class Observer:
    """A watcher of a run: the text of a module that every process of it starts with, and its variables."""

    text: bytes
    variables: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """Where checks are run: a lane's subject in its environment, with folders that were ``made_once`` for all
    runs, by the variable that names each."""

    subject: Subject
    environment: Environment
    settings: SimulationSettings
    installer: Installer
    cache: Path
    made_once: Mapping[str, str] = field(default_factory=dict)

    def variables(self, site: Path, work: Path) -> dict[str, str]:
        """The environment of a run, with the wheels in ``site`` and temporary files in ``work``."""
        return {**variables(self.settings, self.subject, site, work), **self.made_once}


def batches(wanted: Iterable[Check], together: int) -> Iterator[tuple[Check, ...]]:
    """Yield the checks in rows of at most ``together`` that may share a process: cases that are asked on the
    same runners, with the same arguments."""
    of_cases: dict[tuple[tuple[str, ...], str], list[Check]] = {}
    for check in wanted:
        of_cases.setdefault((check.arguments, check.case), []).append(check)
    rows: dict[tuple[tuple[str, ...], tuple[str, ...]], list[list[Check]]] = {}
    for (arguments, _), runs in of_cases.items():
        for asked in [runs] if len(runs) <= together else [[check] for check in runs]:
            rows.setdefault((arguments, tuple(check.runner for check in asked)), []).append(asked)
    for (_, runners), row in rows.items():
        cases = together // len(runners)
        for start in range(0, len(row), cases):
            yield tuple(check for asked in row[start : start + cases] for check in asked)


def simulate_all(stand: PreparedRun, batch: Sequence[Check]) -> dict[Check, Outcome]:
    """Run checks in one process, and remember those that passed. The lane's wheel stands beside the
    environment. A run that fails or writes no result is a failed check. Where the process reached a limit,
    the first check that was not done runs alone, the others together again: one that reaches a limit alone is
    undecided. Raises EnvironmentFailure when it cannot be started."""
    outcomes: dict[Check, Outcome] = {}
    waiting = [tuple(batch)]
    while waiting:
        group = waiting.pop(0)
        found = _in_one_process(stand, group)
        outcomes |= found
        undecided = tuple(check for check in group if found[check].undecided)
        if len(group) > 1:
            waiting += [undecided[:1], *batches(undecided[1:], len(group))] if undecided else []
    return {check: outcomes[check] for check in batch}


def _in_one_process(stand: PreparedRun, batch: Sequence[Check]) -> dict[Check, Outcome]:
    # Below the system's temporary folder, for engines put sockets there and a socket's path must be short.
    folder = Path(tempfile.mkdtemp(prefix=f"syncbot-{stand.subject.lane}-"))
    try:
        done = _run(stand, batch, folder)
    except BaseException:
        # What had passed until then is known the next time.
        _remember_passed(stand, _outcomes(stand, batch, folder, None))
        shutil.rmtree(folder, ignore_errors=True)
        raise
    outcomes = _outcomes(stand, batch, folder, done)
    _remember_passed(stand, outcomes)
    if all(outcome.passed for outcome in outcomes.values()):
        shutil.rmtree(folder, ignore_errors=True)
    return outcomes


def _remember_passed(stand: PreparedRun, outcomes: Mapping[Check, Outcome]) -> None:
    for check, outcome in outcomes.items():
        if outcome.passed:
            remember(stand.subject, check, outcome, stand.environment.digest, stand.settings, stand.cache)


def observed(stand: PreparedRun, check: Check, folder: Path, observer: Observer) -> Outcome:
    """Run a check in ``folder`` while the observer watches; nothing is remembered. Raises EnvironmentFailure
    when it cannot be started."""
    return _outcomes(stand, (check,), folder, _run(stand, (check,), folder, observer))[check]


def _run(
    stand: PreparedRun, batch: Sequence[Check], folder: Path, observer: Observer | None = None
) -> Finished:
    """How the checks' process ended; results stand in ``folder``."""
    settings, python = stand.settings, stand.environment.python
    site, work = folder / "site", folder / "work"
    work.mkdir()
    installed_aside(stand, site, folder / "install.log")
    given = stand.variables(site, work)
    if observer is not None:
        (site / _STARTED_WITH).write_bytes(observer.text)
        given |= observer.variables
    cases = [word for case in dict.fromkeys(check.case for check in batch) for word in ("--case", case)]
    runners = dict.fromkeys(check.runner for check in batch)
    asked = [*cases, *(word for runner in runners for word in ("--runner", runner)), *batch[0].arguments]
    output = ["--output", str(folder / _RESULT)]
    return run(
        [str(python), "-m", settings.check, *asked, *output],
        folder / _LOG,
        environment=given,
        folder=work,
        limits=Limits(settings.timeout, settings.idle, folder / _RESULT),
        apart_in=folder,
        unchanged=[stand.cache],
    )


def _outcomes(
    stand: PreparedRun, batch: Sequence[Check], folder: Path, done: Finished | None
) -> dict[Check, Outcome]:
    """Return each check's outcome, read now from ``folder``; ``done`` is how the process ended, if it did."""
    settings, log = stand.settings, folder / _LOG
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    outcomes = {}
    for check, (reason, result) in _results(batch, done, folder / _RESULT, log).items():
        present = stand.subject.present
        executed = _with_made(settings, _told((result or {}).get("executed")))
        for place in (folder, stand.environment.folder):
            reason = reason.replace(f"{place}/", "")
        outcomes[check] = Outcome(
            passed=not reason,
            reason=reason,
            log=str(log) if reason else None,
            command=_command(settings, check),
            moment=moment,
            sources=stand.subject.sources,
            result=result or {},
            executed=executed,
            depends=present.of_sources(executed),
            undecided=done is not None and done.reached == reason,
        )
    return outcomes


def _told(found: object) -> dict[str, tuple[str, ...]] | None:
    """Return the functions that a run says it executed, by file, without imports; None if it says none."""
    if not isinstance(found, Mapping):
        return None
    return {str(file): tuple(sorted(str(name) for name in names if name)) for file, names in found.items()}


def _with_made(
    settings: SimulationSettings, executed: Mapping[str, Sequence[str]] | None
) -> Mapping[str, Sequence[str]] | None:
    """Return the functions with the modules that made something once: they ran for it, though not in it."""
    made = {
        source for each in settings.made_once.values() for source in each.sources if source.endswith(".py")
    }
    return None if executed is None else {**executed, **dict.fromkeys(sorted(made), (WHOLE,))}


def _command(settings: SimulationSettings, check: Check) -> str:
    asked = ["--case", check.case, "--runner", check.runner, *check.arguments]
    return " ".join(["python", "-m", settings.check, *asked])


def installed_aside(stand: PreparedRun, site: Path, log: Path) -> None:
    """Install the lane's wheel and those beside it into a folder. Raises EnvironmentFailure."""
    wheels = (stand.subject.wheel, *stand.subject.beside.wheels)
    stand.installer.install_aside(stand.environment.python, wheels, site, log)


def _results(
    batch: Sequence[Check], done: Finished | None, output: Path, log: Path
) -> dict[Check, tuple[str, Mapping[str, object] | None]]:
    """Why each check failed, empty for those that passed, and what was written of it."""
    written = _read(output)
    if len(batch) == 1:
        result = written if isinstance(written, dict) else None
        return {batch[0]: (_reason(done, result, log), result)}
    objects = written if isinstance(written, list) else []
    only = batch[0].runner if len({check.runner for check in batch}) == 1 else None
    known = {
        (str(each.get("case")), str(only or each.get("runner"))): each
        for each in objects
        if isinstance(each, dict)
    }
    results: dict[Check, tuple[str, Mapping[str, object] | None]] = {}
    for check in batch:
        result = known.get((check.case, check.runner))
        if result is None:
            results[check] = (_reason(done, None, log), None)
        else:
            results[check] = (str(result.get("failure") or ""), result)
    return results


def recall(
    subject: Subject, check: Check, environment: str, settings: SimulationSettings, cache: Path
) -> Outcome | None:
    """The outcome of a check that passed in the same environment, where what it executed is the same now;
    failures run again."""
    kept = known(cache, _file(subject, check, environment, settings, cache))
    try:
        outcome = Outcome(**json.loads(kept)) if kept is not None else None
    except (ValueError, TypeError):
        return None
    if outcome is None or outcome.depends != subject.present.of_sources(outcome.executed):
        return None
    return outcome


def variables(settings: SimulationSettings, subject: Subject, site: Path, work: Path) -> dict[str, str]:
    """A run's environment: the caller's without Python's variables, the settings', the lane's wheel (in
    ``site``) on PYTHONPATH, temporary files in ``work``."""
    # What one run leaves in caches must neither help nor hurt the next.
    inherited = few(os.environ, work / "home", settings.inherit)
    (work / "home").mkdir(exist_ok=True)
    own = {"TMPDIR": work, "XDG_CACHE_HOME": work / "cache", "XDG_CONFIG_HOME": work / "config"}
    read = {name: site / path for name, path in subject.read.items()}
    paths = {**own, **subject.wheels, **read, "PYTHONPATH": site}
    return (
        inherited
        | {**subject.told, **settings.environment}
        | {name: str(path) for name, path in paths.items()}
    )


def _read(output: Path) -> object:
    with suppress(FileNotFoundError, json.JSONDecodeError, UnicodeDecodeError):
        written: object = json.loads(output.read_text(encoding="utf-8"))
        return written
    return None


def _reason(done: Finished | None, result: Mapping[str, object] | None, log: Path) -> str:
    if done is None or done.code is None:
        return (done and done.reached) or "was interrupted"
    if done.code == _RIGHT:
        return "" if result is not None else "exited with 0 but wrote no result"
    said = last_words(log)
    return said if done.code == _WRONG else f"exit code {done.code}: {said}"


def _file(
    subject: Subject, check: Check, environment: str, settings: SimulationSettings, cache: Path
) -> Path:
    digest = run_digest(subject, check, environment, settings)
    return cache / "simulations" / f"{subject.lane}-{check.name}-{digest[:16]}.json"


def run_digest(subject: Subject, check: Check, environment: str, settings: SimulationSettings) -> str:
    """A digest of what a run depends on, but for what it executes."""
    facts = {
        "published": subject.present.published,
        "environment": environment,
        "check": [settings.check, check.case, check.runner, *check.arguments],
        "variables": sorted({**subject.told, **settings.environment}.items()),
        "wheels": sorted((name, path.name) for name, path in subject.wheels.items()),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def remember(
    subject: Subject,
    check: Check,
    outcome: Outcome,
    environment: str,
    settings: SimulationSettings,
    cache: Path,
) -> None:
    """Keep the outcome of a check that passed for ``recall``. Raises EnvironmentFailure."""
    file = _file(subject, check, environment, settings, cache)
    keep(cache, file, f"{json.dumps(asdict(outcome), indent=1)}\n".encode())
