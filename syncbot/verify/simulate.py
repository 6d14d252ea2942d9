"""The simulated run: a lane's wheel beside the real upstream, in a process of its own."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from syncbot.errors import EnvironmentFailure
from syncbot.verify.environment import Environment
from syncbot.verify.installer import Installer
from syncbot.verify.process import last_words, run, tail
from syncbot.verify.settings import SimulationSettings

_RIGHT, _WRONG = 0, 1
_AN_ERROR = re.compile(r"\b(?:\w+\.)*[A-Z]\w*(?:Error|Exception)(?::.*)?$")


@dataclass(frozen=True, slots=True)
class Check:
    """One simulated run: a model of the backend's check module, on one of upstream's model runners."""

    model: str
    runner: str

    def __str__(self) -> str:
        return f"{self.model} on {self.runner}"


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
    """What a run said. ``reason`` is empty when it passed; ``moment`` is when it ran (ISO 8601)."""

    passed: bool
    reason: str
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
    which stays as its recipe says. A run that fails, hangs or writes no result is a failed check; its
    output is kept in the log that the reason names. Raises EnvironmentFailure when the run cannot be started.
    """
    log = cache / "logs" / f"simulate-{subject.lane}-{check.model}-{check.runner}.log"
    log.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="syncbot-") as folder:
        site, output = Path(folder) / "site", Path(folder) / "result.json"
        installer.install_aside(environment.python, subject.wheel, site, log)
        command = _command(settings, check)
        done = run(
            [str(environment.python), *command[1:], "--output", str(output)],
            log,
            environment=_variables(settings, subject, site, Path(folder)),
            folder=Path(folder),
            timeout=settings.timeout,
        )
        result = _read(output)
    reason = _reason(done.code, result, log, settings.timeout)
    outcome = Outcome(
        passed=not reason,
        reason=reason,
        command=" ".join(command),
        moment=datetime.now(UTC).isoformat(timespec="seconds"),
        sources=subject.sources,
        result=result or {},
    )
    if outcome.passed:
        _remember(_file(subject, check, environment, settings, cache), outcome)
    return outcome


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


def _command(settings: SimulationSettings, check: Check) -> list[str]:
    return ["python", "-m", settings.check, "--model", check.model, "--runner", check.runner]


def _variables(settings: SimulationSettings, subject: Subject, site: Path, folder: Path) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    inherited.pop("VIRTUAL_ENV", None)
    # What a run leaves in caches must not help or hurt the next one.
    homes = {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_CONFIG_HOME": str(folder / "config")}
    wheels = {name: str(path) for name, path in subject.wheels.items()}
    return inherited | homes | settings.environment | wheels | {"PYTHONPATH": str(site)}


def _read(output: Path) -> dict[str, object] | None:
    try:
        result = json.loads(output.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError, UnicodeDecodeError):
        return None
    return result if isinstance(result, dict) else None


def _reason(code: int | None, result: Mapping[str, object] | None, log: Path, timeout: float) -> str:
    if code == _RIGHT and result is not None:
        return ""
    if code is None:
        return f"did not end within {timeout:.0f} s ({log})"
    if code == _RIGHT:
        return f"ended well but wrote no result ({log})"
    told = str(result["reason"]) if result and result.get("reason") else _last_error(log)
    return f"{' '.join(told.split())} ({log})" if code == _WRONG else f"exit code {code}: {told} ({log})"


def _last_error(log: Path) -> str:
    found = [match.group() for line in tail(log, 400) if (match := _AN_ERROR.search(line.strip()))]
    return found[-1] if found else last_words(log)


def _file(
    subject: Subject, check: Check, environment: Environment, settings: SimulationSettings, cache: Path
) -> Path:
    facts = {
        "sources": subject.sources,
        "environment": environment.digest,
        "check": [settings.check, check.model, check.runner],
        "variables": sorted(settings.environment.items()),
        "wheels": sorted((name, path.name) for name, path in subject.wheels.items()),
    }
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
    return cache / "simulations" / f"{subject.lane}-{check.model}-{check.runner}-{digest[:16]}.json"


def _remember(file: Path, outcome: Outcome) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        unfinished.write_text(json.dumps(asdict(outcome), indent=1) + "\n", encoding="utf-8")
        unfinished.replace(file)
    except OSError as error:
        raise EnvironmentFailure(f"cannot write {file}: {error.strerror}") from error
