"""Which modules of a lane import beside its upstream, on the simulated device."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from syncbot.errors import EnvironmentFailure
from syncbot.isolation.run_command import last_words, run
from syncbot.sealed_values import keep, recall
from syncbot.verify.simulate import PreparedRun, installed_aside

#: An import may wait for a compiler; thousands of modules take minutes on a small machine.
_PATIENCE = 3600.0


@dataclass(frozen=True, slots=True)
class Imports:
    """The modules of a lane, each with the first line of its error, or None; when, and by which command.
    ``executed`` are the functions that they depend on, by file, ``depends`` is the digest of these."""

    modules: Mapping[str, str | None]
    moment: str
    command: str
    executed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    depends: str = ""

    @property
    def working(self) -> frozenset[str]:
        """The modules that import."""
        return frozenset(name for name, error in self.modules.items() if error is None)

    def lost(self, before: Imports) -> dict[str, str]:
        """The modules that imported before and do not now, with the error; one that is gone is no loss."""
        return {
            name: error for name, error in sorted(self.modules.items()) if error and name in before.working
        }


def imports(stand: PreparedRun, module: str, packages: Sequence[str], force: bool = False) -> Imports:
    """Import every module of packages in the lane's environment, unless that is known and what it executed is
    the same now. Raises EnvironmentFailure where nothing was written."""
    file = _file(stand, module, packages)
    known = None if force else _recalled(stand, file)
    if known is not None:
        return known
    folder = Path(tempfile.mkdtemp(prefix=f"syncbot-{stand.subject.lane}-"))
    try:
        found = _run(stand, module, packages, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    keep(stand.cache, file, json.dumps(asdict(found)).encode())
    return found


def _recalled(stand: PreparedRun, file: Path) -> Imports | None:
    kept = recall(stand.cache, file)
    if kept is None:
        return None
    found = Imports(**json.loads(kept))
    return found if found.depends == stand.subject.present.of_sources(found.executed) else None


def _run(stand: PreparedRun, module: str, packages: Sequence[str], folder: Path) -> Imports:
    site, output, log, work = (folder / name for name in ("site", "result.json", "log", "work"))
    work.mkdir()
    installed_aside(stand, site, folder / "install.log")
    named = [word for package in packages for word in ("--package", package)]
    done = run(
        [str(stand.environment.python), "-m", module, *named, "--output", str(output)],
        log,
        environment=stand.variables(site, work),
        folder=work,
        timeout=_PATIENCE,
        apart_in=folder,
        unchanged=[stand.cache],
    )
    try:
        told = json.loads(output.read_text(encoding="utf-8"))
        modules, ran = told["modules"], told["executed"]
    except (OSError, ValueError, KeyError) as error:
        raise EnvironmentFailure(
            f"{stand.subject.lane}: {module} wrote no result (code {done.code}): {last_words(log)}"
        ) from error
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    executed = {file: tuple(filter(None, names)) for file, names in ran.items()}
    depends = stand.subject.present.of_sources(executed)
    return Imports(modules, moment, " ".join(["python", "-m", module, *named]), executed, depends)


def _file(stand: PreparedRun, module: str, packages: Sequence[str]) -> Path:
    subject, settings = stand.subject, stand.settings
    facts = [
        *(subject.present.published, stand.environment.digest, module, list(packages)),
        *(sorted({**subject.told, **settings.environment}.items()), sorted(subject.read.items())),
        sorted((name, path.name) for name, path in subject.wheels.items()),
    ]
    digest = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    return stand.cache / "imports" / f"{subject.lane}-{digest[:16]}.json"
