"""Run a suite on the sources of a lane: what is not known of each of its files, on as many processes as there
are processors. A file is known while all that its tests executed is the same."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from syncbot.atomic import write_folder
from syncbot.config import SuiteSettings
from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.isolation.processor_time import Limits
from syncbot.isolation.run_command import last_words, run
from syncbot.lanes import backend_files
from syncbot.lanes.code_units import units
from syncbot.sealed_values import keep, recall
from syncbot.upstream.model import Meter, no_meter, step
from syncbot.upstream.process_lock import held
from syncbot.verify.simulate import PreparedRun, installed_aside
from syncbot.verify.suite.outcomes import FileOutcome, SuiteOutcome, digest_of, noted
from syncbot.verify.suite.tools import Tools

_INSIDE = Path(__file__).with_name("inside")
_START = "from syncbot.verify.suite.inside.program import main\n\nmain()\n"
#: The program looks at each test itself: this is for what it imports before.
_PATIENCE = 10
_ENDLESS = 1e9


@dataclass(frozen=True, slots=True)
class Suite:
    """The tests of a release on the sources of a lane: all ``files`` of its source distribution with the
    lane's in their places, and the ``packages`` among them."""

    settings: SuiteSettings
    files: Mapping[str, bytes]
    packages: tuple[str, ...]

    def test_files(self, only: Sequence[str] = ()) -> list[str]:
        """The files of tests, below ``only`` if it names any. Raises UsageError where there are none."""
        wanted = only or self.settings.folders
        found = [
            path
            for path in sorted(self.files)
            if _is_test(PurePosixPath(path).name)
            and any(_is_below(path, folder) for folder in self.settings.folders)
            and any(_is_below(path, place.rstrip("/")) for place in wanted)
        ]
        if not found:
            raise UsageError(
                f"there are no tests below {', '.join(wanted)}: name a folder or a file of tests"
            )
        return found

    @property
    def around(self) -> dict[str, bytes]:
        """The files that are none of the packages: tests, and what they may read."""
        return {
            path: text for path, text in self.files.items() if path.partition("/")[0] not in self.packages
        }


def _is_test(name: str) -> bool:
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """A suite where it can be run: beside a lane's environment, with pytest."""

    stand: PreparedRun
    suite: Suite
    tools: Tools

    @property
    def digest(self) -> str:
        """The digest of all that a test may depend on, but for the lane's own sources and what stands
        beside."""
        stand, settings = self.stand, self.suite.settings
        return digest_of(
            [
                *(
                    # What its comments and docstrings say, no outcome depends on.
                    {path: dict(units(text).digests) for path, text in program_files().items()},
                    stand.environment.digest,
                    list(self.tools.installed),
                ),
                backend_files.digest(self.suite.around),
                sorted({**stand.subject.told, **stand.settings.environment}.items()),
                settings.model_dump(mode="json", exclude={"classes"}),
            ]
        )

    def outcome(self, only: Sequence[str] = (), force: bool = False, meter: Meter = no_meter) -> SuiteOutcome:
        """Return the outcome of each test; a test with a known outcome runs again only if it is forced. An
        interrupted run continues where it stopped. Raises UsageError, EnvironmentFailure."""
        asked = self.suite.test_files(only)
        base = self.digest
        kept = {} if force else {file: self._known(base, file) for file in asked}
        known = {file: found for file, found in kept.items() if found is not None}
        left = [file for file in asked if file not in known]
        if left:
            with step(meter, f"{self.stand.subject.lane}: {len(left)} of {len(asked)} files of tests"):
                known |= self._run(base, left, force)
        executed = [each.executed for each in known.values()]
        whole = {
            path: [name for each in executed for name in each.get(path, ())] for path in _paths(executed)
        }
        digest = self.stand.subject.present.digest(whole, base)
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        files = {file: known[file] for file in asked}
        return SuiteOutcome(digest, files, moment, len(asked) - len(left))

    def _known(self, base: str, file: str) -> FileOutcome | None:
        """Return the known outcome of a file of tests; None if something that it executed has changed."""
        cache = self.stand.cache
        content = recall(cache, self._kept(base, file))
        if content is None:
            return None
        depends, _, text = zlib.decompress(content).decode("utf-8", "surrogatepass").partition("\n")
        found = noted(text.splitlines())
        return found if self._depends(base, found) == depends else None

    def _depends(self, base: str, found: FileOutcome) -> str:
        return self.stand.subject.present.digest(found.executed, base)

    def _kept(self, base: str, file: str) -> Path:
        return self.stand.cache / "tests" / base[:16] / f"{quote(file, safe='')}.z"

    def _run(self, base: str, left: Sequence[str], force: bool) -> dict[str, FileOutcome]:
        """Run files of tests; what was done before an interruption is kept."""
        stand = self.stand
        present = stand.subject.present.digest(None, base)
        raw = stand.cache / "test_runs" / f"{stand.subject.lane}-{digest_of([base, present])[:16]}"
        raw.parent.mkdir(parents=True, exist_ok=True)
        with held(raw.with_name(f"{raw.name}.lock")):
            if force:
                shutil.rmtree(raw, ignore_errors=True)
            for name in ("results", "logs"):
                (raw / name).mkdir(parents=True, exist_ok=True)
            try:
                self._run_program(raw, left)
            finally:
                found = {file: done for file in left if (done := self._noted(base, raw, file)) is not None}
            if len(found) < len(left):
                missing = next(file for file in left if file not in found)
                raise EnvironmentFailure(
                    f"{stand.subject.lane}: the tests ended before {missing} was done: "
                    f"{last_words(raw / 'log')} ({raw / 'log'})"
                )
            shutil.rmtree(raw, ignore_errors=True)
        return found

    def _noted(self, base: str, raw: Path, file: str) -> FileOutcome | None:
        """Return the outcome that the program wrote for a file, and keep it; None if the file is not done."""
        try:
            text = (raw / "results" / f"{quote(file, safe='')}.jsonl").read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        found = noted(text.splitlines())
        if not found.done:
            return None
        content = f"{self._depends(base, found)}\n{text}".encode("utf-8", "surrogatepass")
        keep(self.stand.cache, self._kept(base, file), zlib.compress(content))
        return found

    def _run_program(self, raw: Path, left: Sequence[str]) -> None:
        stand, settings = self.stand, self.suite.settings
        # Below the system's temporary folder, for a socket's path must be short.
        folder = Path(tempfile.mkdtemp(prefix=f"syncbot-{stand.subject.lane}-"))
        try:
            tree, site, work = folder / "tree", folder / "site", folder / "work"
            work.mkdir()
            installed_aside(stand, site, folder / "install.log")
            write_folder(tree, self.suite.files)
            write_folder(folder / "program", program_files())
            size = {file: len(self.suite.files[file]) for file in left}
            task = {
                "root": str(tree),
                # What takes long begins first.
                "files": sorted(left, key=lambda file: (-size[file], file)),
                "folders": list(settings.folders),
                "results": str(raw / "results"),
                "logs": str(raw / "logs"),
                "processes": len(os.sched_getaffinity(0)),
                "prepare": settings.prepare,
                "preload": list(settings.preload),
                "recorded": sorted({*self.suite.packages, *_packages(stand.subject.beside.wheels)}),
                "seconds": settings.timeout,
                "idle": settings.idle,
                "arguments": list(settings.arguments),
            }
            (folder / "task.json").write_text(json.dumps(task), encoding="utf-8")
            path = os.pathsep.join(map(str, (tree, site, self.tools.folder)))
            given = {**stand.variables(site, work), **settings.environment, "PYTHONPATH": path}
            run(
                [
                    str(stand.environment.python),
                    str(folder / "program" / "start.py"),
                    str(folder / "task.json"),
                ],
                raw / "log",
                environment=given,
                folder=work,
                limits=Limits(_ENDLESS, settings.idle * _PATIENCE, raw / "results"),
                apart_in=raw,
                unchanged=[stand.cache],
            )
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def program_files() -> dict[str, bytes]:
    """The files of what runs there: these modules alone, in packages of their own."""
    package = "/".join(_INSIDE.parts[-4:])
    found = {f"{package}/{file.name}": file.read_bytes() for file in sorted(_INSIDE.glob("*.py"))}
    around = {f"{'/'.join(_INSIDE.parts[-4:end])}/__init__.py": b"" for end in (-3, -2, -1)}
    return {**around, **found, "start.py": _START.encode()}


def _paths(executed: Iterable[Mapping[str, object]]) -> list[str]:
    return sorted({path for each in executed for path in each})


def _packages(wheels: Iterable[Path]) -> set[str]:
    """The packages in wheels."""
    found = set()
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            names = {name.partition("/")[0] for name in archive.namelist() if name.endswith(".py")}
        found |= {name for name in names if name.isidentifier()}
    return found
