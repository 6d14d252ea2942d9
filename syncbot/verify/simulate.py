"""The simulated run: a lane's wheel beside the real upstream, in a process of its own."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from syncbot.config import SimulationSettings
from syncbot.errors import EnvironmentFailure
from syncbot.verify.environment import Environment
from syncbot.verify.installer import Installer
from syncbot.verify.process import last_words, run

_RIGHT, _WRONG = 0, 1


@dataclass(frozen=True, slots=True)
class Check:
    """One simulated run: a model of the backend's check module, on one of upstream's model runners.

    ``arguments`` are further ones for the module, such as a fault to put in.
    """

    model: str
    runner: str
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join([self.model, "on", self.runner, *self.arguments])

    @property
    def name(self) -> str:
        """A name for files."""
        return "-".join([self.model, self.runner, *(each.lstrip("-") for each in self.arguments)])


def checks(settings: SimulationSettings) -> tuple[Check, ...]:
    """Return the runs that are configured: every model on each of its runners."""
    return tuple(Check(model, runner) for model, runners in settings.models.items() for runner in runners)


@dataclass(frozen=True, slots=True)
class Subject:
    """What is run: a lane's wheel, the digest of the lane's sources, and the wheels that it reads.

    ``wheels`` maps variables of the check's environment to files.
    """

    lane: str
    wheel: Path
    sources: str
    wheels: Mapping[str, Path]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run said. ``moment`` is when it ran (ISO 8601).

    ``reason`` says why it failed, in one line without places of this machine; empty when it passed.
    ``log`` is the file with all that it printed, None when it passed.
    """

    passed: bool
    reason: str
    log: str | None
    command: str
    moment: str
    sources: str
    result: Mapping[str, object]


def simulate(
    subject: Subject,
    check: Check,
    environment: Environment,
    settings: SimulationSettings,
    installer: Installer,
    cache: Path,
) -> Outcome:
    """Run a check now, and remember the outcome if it passed.

    The lane's own wheel is installed, so that what runs is what users get; but not into the environment,
    which stays as its recipe says. A run that fails, hangs or writes no result is a failed check; the
    outcome names the log in its folder, which is then kept. Raises EnvironmentFailure when the run cannot
    be started.
    """
    # Below the system's temporary folder, for engines put sockets there and a socket's path must be short.
    folder = Path(tempfile.mkdtemp(prefix=f"syncbot-{subject.lane}-"))
    try:
        outcome = _run(subject, check, environment, settings, installer, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if outcome.passed:
        shutil.rmtree(folder, ignore_errors=True)
        _remember(_file(subject, check, environment, settings, cache), outcome)
    return outcome


def _run(
    subject: Subject,
    check: Check,
    environment: Environment,
    settings: SimulationSettings,
    installer: Installer,
    folder: Path,
) -> Outcome:
    site, output, log, work = (folder / name for name in ("site", "result.json", "log", "work"))
    work.mkdir()
    installer.install_aside(environment.python, subject.wheel, site, folder / "install.log")
    command = ["python", "-m", settings.check, "--model", check.model, "--runner", check.runner]
    command += check.arguments
    done = run(
        [str(environment.python), *command[1:], "--output", str(output)],
        log,
        environment=variables(settings, subject, site, work),
        folder=work,
        timeout=settings.timeout,
    )
    result = _read(output)
    reason = _reason(done.code, result, log, settings.timeout)
    for place in (folder, environment.folder):
        reason = reason.replace(f"{place}/", "")
    return Outcome(
        passed=not reason,
        reason=reason,
        log=str(log) if reason else None,
        command=" ".join(command),
        moment=datetime.now(UTC).isoformat(timespec="seconds"),
        sources=subject.sources,
        result=result or {},
    )


def recall(
    subject: Subject, check: Check, environment: Environment, settings: SimulationSettings, cache: Path
) -> Outcome | None:
    """The outcome of the same check on the same sources in the same environment, if it passed before.

    Failures are not recalled: whoever asks again wants to see them happen.
    """
    try:
        kept = json.loads(_file(subject, check, environment, settings, cache).read_text(encoding="utf-8"))
        return Outcome(**kept)
    except (FileNotFoundError, json.JSONDecodeError, TypeError):
        return None


def variables(settings: SimulationSettings, subject: Subject, site: Path, work: Path) -> dict[str, str]:
    """The environment of a run: the caller's without Python's variables, the settings', the lane's wheel
    (installed in ``site``) on PYTHONPATH, and all that is temporary in ``work``."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    inherited.pop("VIRTUAL_ENV", None)
    # What one run leaves in caches must neither help nor hurt the next.
    own = {"TMPDIR": work, "XDG_CACHE_HOME": work / "cache", "XDG_CONFIG_HOME": work / "config"}
    paths = {**own, **subject.wheels, "PYTHONPATH": site}
    return inherited | settings.environment | {name: str(path) for name, path in paths.items()}


def _read(output: Path) -> dict[str, object] | None:
    try:
        result = json.loads(output.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError, UnicodeDecodeError):
        return None
    return result if isinstance(result, dict) else None


def _reason(code: int | None, result: Mapping[str, object] | None, log: Path, timeout: float) -> str:
    if code is None:
        return f"did not end within {timeout:.0f} s"
    if code == _RIGHT:
        return "" if result is not None else "ended well but wrote no result"
    said = last_words(log)
    return said if code == _WRONG else f"exit code {code}: {said}"


def _file(
    subject: Subject, check: Check, environment: Environment, settings: SimulationSettings, cache: Path
) -> Path:
    facts = {
        "sources": subject.sources,
        "environment": environment.digest,
        "check": [settings.check, check.model, check.runner, *check.arguments],
        "variables": sorted(settings.environment.items()),
        "wheels": sorted((name, path.name) for name, path in subject.wheels.items()),
    }
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
    return cache / "simulations" / f"{subject.lane}-{check.name}-{digest[:16]}.json"


def _remember(file: Path, outcome: Outcome) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        unfinished.write_text(json.dumps(asdict(outcome), indent=1) + "\n", encoding="utf-8")
        unfinished.replace(file)
    except OSError as error:
        raise EnvironmentFailure(f"cannot write {file}: {error.strerror}") from error
