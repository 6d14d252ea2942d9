"""Run the imports and the tests of a backend on one end, apart from network and files, and keep how each
ends."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from syncbot.api.cache import package_digest
from syncbot.isolation.command import refusal
from syncbot.isolation.processor_time import Limits
from syncbot.isolation.run_command import Finished, last_words, run, tail
from syncbot.running.environment import Installed
from syncbot.running.model import Ending, FileRun, State
from syncbot.running.project_copy import Project, copied, search_path
from syncbot.sealed_values import keep, recall
from syncbot.verify.installer import Installer

_HERE = Path(__file__).parent
_PROBE = "syncbot_pytest_probe"
#: Seconds of processor that one module or one test may use, and of doing nothing at all.
SECONDS, IDLE = 60.0, 30.0
#: What the start of a process, or what a test began and left, may take besides.
_SLACK = 240.0
_LINES = 80
#: Modules that are imported by one process, and then kept.
_AT_ONCE = 25
_IMPORT_MODE = re.compile(r"--import-mode[= ]+(\w+)")
_CONFIGURATIONS = ("pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini")


class _Said(msgspec.Struct, frozen=True):
    """A line that a process noted."""

    clock: float = 0.0
    begun: str = ""
    test: str = ""
    outcome: State | None = None
    text: str = ""
    seconds: float = 0.0
    caught: tuple[str, ...] = ()
    name: str = ""
    lines: dict[str, tuple[int, ...]] = {}
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """Lines of which is told whether they are executed, by file: the project's by their paths in it, others
    by whole paths."""

    lines: Mapping[str, Sequence[int]]

    @property
    def digest(self) -> str:
        """A digest of the lines, on which a result depends."""
        return hashlib.sha256(json.dumps(dict(sorted(self.lines.items()))).encode()).hexdigest()


NOTHING_MEASURED = Measured({})


@dataclass(frozen=True, slots=True)
class Pairing:
    """A project and the upstream that it is run on: its environment, upstream's files that go before the
    installed ones, and the packages that are imported before any module of ours, once for all of them."""

    project: Project
    installed: Installed
    overlay: Path | None
    packages: tuple[str, ...]
    installer: Installer
    cache: Path

    @property
    def digest(self) -> str:
        """A digest of everything that the result of a run depends on."""
        over = self.overlay.name if self.overlay is not None else ""
        code = package_digest("running/*.py")
        text = "\0".join((self.project.digest, self.installed.digest, over, code, f"{SECONDS} {IDLE}"))
        return hashlib.sha256(text.encode()).hexdigest()

    def kept(self, *asked: str) -> Path:
        """The file with the result of one run."""
        name = hashlib.sha256("\0".join(asked).encode()).hexdigest()[:24]
        return self.cache / "running" / "results" / self.digest[:24] / f"{name}.json"


def unguarded() -> tuple[str, ...]:
    """A note that a reader needs where this system keeps nothing apart; none where it does."""
    why = refusal()
    reached = "what ran could reach the network and the files of the user"
    return (f"This system keeps nothing apart ({why}): {reached}.",) if why else ()


def imports(pairing: Pairing, modules: Sequence[str], again: bool = False) -> dict[str, Ending]:
    """Import each module in a process of its own, what modules import of others having been imported before;
    ``again`` asks for a second run. What was run before is read. Raises EnvironmentFailure."""
    found: dict[str, Ending] = {}
    for first in range(0, len(modules), _AT_ONCE):
        several = modules[first : first + _AT_ONCE]
        file = pairing.kept("imports", *several, *(["again"] if again else []))
        known = recall(pairing.cache, file)
        if known is None:
            known = msgspec.json.encode(_imports(pairing, several))
            keep(pairing.cache, file, known)
        found |= msgspec.json.decode(known, type=dict[str, Ending])
    return found


def _imports(pairing: Pairing, modules: Sequence[str]) -> dict[str, Ending]:
    with _folder(pairing) as folder:
        answers = folder / "answers.jsonl"
        task = {
            "seconds": SECONDS,
            "first": list(pairing.packages),
            "modules": list(modules),
            "answers": str(answers),
            "root": str(folder / "project"),
        }
        (folder / "task.json").write_text(json.dumps(task), encoding="utf-8")
        shutil.copyfile(_HERE / "import_server.py", folder / "import_server.py")
        named = ("import_server.py", "task.json")
        command = [str(pairing.installed.python), *(str(folder / name) for name in named)]
        done = _run(pairing, command, folder, answers)
        found = {said.test: Ending(said.outcome, said.text) for said in _lines(answers) if said.outcome}
        # Whoever takes too long with what is imported before is told apart: it is no module's failure.
        missing = Ending("hung" if done.reached else "failed", f"RuntimeError: {done.reached or _how(done)}")
    return {name: found.get(name, missing) for name in modules}


def run_tests(
    pairing: Pairing,
    file: str,
    only: Sequence[str] | None = None,
    measured: Measured = NOTHING_MEASURED,
    again: bool = False,
) -> FileRun:
    """Run one file of tests, of it ``only`` those with some ids. What was run before is read, and a process
    that ends in the middle of a test is followed by one for the rest. It is told which of the ``measured``
    lines are executed; ``again`` asks for a second run, which tells, where nothing is measured, what was
    caught. Raises EnvironmentFailure."""
    chosen = ["all"] if only is None else sorted(only)
    kept = pairing.kept("tests", file, str(again), *chosen, "measured", measured.digest)
    known = recall(pairing.cache, kept)
    if known is None:
        known = msgspec.json.encode(_tests(pairing, file, only, measured, again))
        keep(pairing.cache, kept, known)
    return msgspec.json.decode(known, type=FileRun)


def _tests(
    pairing: Pairing, file: str, only: Sequence[str] | None, measured: Measured, caught: bool
) -> FileRun:
    """Processes, one after the other, until every test has ended in one."""
    endings: dict[str, Ending] = {}
    executed: dict[str, dict[str, tuple[int, ...]]] = {}
    seconds = 0.0
    while True:
        known = len(endings)
        lines = {} if endings else measured.lines
        said, done, text = _process(pairing, file, only, sorted(endings), lines, caught)
        seconds += max((each.clock for each in said), default=0.0)
        executed |= {each.name: each.lines for each in said if each.name}
        endings |= {
            e.test: Ending(e.outcome, e.text, e.seconds, e.caught) for e in said if e.outcome is not None
        }
        if any(each.ended for each in said):
            break
        begun = next((each.begun for each in reversed(said) if each.begun), None)
        state: State = "hung" if done.reached else "failed"
        if begun is not None and begun not in endings:
            endings[begun] = Ending(state, f"RuntimeError: {done.reached or _how(done)}")
        elif not endings:
            endings[file] = Ending(state, text)
        if len(endings) == known or file in endings:
            break
    return FileRun(endings, round(seconds, 2), executed)


def _process(
    pairing: Pairing,
    file: str,
    only: Sequence[str] | None,
    known: Sequence[str],
    lines: Mapping[str, Sequence[int]],
    caught: bool,
) -> tuple[list[_Said], Finished, str]:
    """One process of pytest: what it noted, how it ended, and the end of what it printed."""
    with _folder(pairing) as folder:
        root, answers = folder / "project", folder / "answers.jsonl"
        task = {
            "answers": str(answers),
            "seconds": SECONDS,
            "idle": IDLE,
            "known": list(known),
            "only": None if only is None else sorted(only),
            "root": str(root),
            "measured": lines,
            # What measures lines watches as well, and there is room for one alone.
            "caught": caught and not lines,
        }
        (folder / "task.json").write_text(json.dumps(task), encoding="utf-8")
        (folder / "probe").mkdir()
        shutil.copyfile(_HERE / "pytest_probe.py", folder / "probe" / f"{_PROBE}.py")
        done = _run(pairing, _pytest(pairing, file), folder, answers)
        text = "\n".join(tail(done.log, _LINES)).replace(f"{root}{os.sep}", "")
        return list(_lines(answers)), done, text


def _pytest(pairing: Pairing, file: str) -> list[str]:
    """The command line: the project's configuration without its options, which may ask for plugins that are
    not there, for other processes, or for another report."""
    python = str(pairing.installed.python)
    mode = next(filter(None, (_import_mode(pairing.project.root / name) for name in _CONFIGURATIONS)), None)
    off = ("cacheprovider", "xdist", "randomly", "random_order", "rerunfailures", "sugar", "pytest_cov")
    return [
        *(python, "-m", "pytest", "-p", _PROBE, "-q", "-o", "addopts=", "--rootdir=."),
        *(word for name in off for word in ("-p", f"no:{name}")),
        *([f"--import-mode={mode}"] if mode else []),
        *("--continue-on-collection-errors", "--tb=native", file),
    ]


def _import_mode(file: Path) -> str | None:
    try:
        found = _IMPORT_MODE.search(file.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    return found[1] if found else None


@contextmanager
def _folder(pairing: Pairing) -> Iterator[Path]:
    """A folder with a copy of the project, for one process."""
    with tempfile.TemporaryDirectory(prefix="syncbot-run-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        copied(pairing.project, folder / "project")
        (folder / "home").mkdir()
        yield folder


def _run(pairing: Pairing, command: Sequence[str], folder: Path, answers: Path) -> Finished:
    answers.touch()
    root = folder / "project"
    path = [
        str(folder / "probe"),
        *([str(pairing.overlay)] if pairing.overlay else []),
        *search_path(pairing.project, root),
    ]
    environment = {
        **pairing.installer.of_foreign_code(folder / "home"),
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "SYNCBOT_PROBE": str(folder / "task.json"),
        # No accelerator, and nobody waits for a network that is not there.
        "CUDA_VISIBLE_DEVICES": "",
        "HF_HUB_OFFLINE": "1",
        "COLUMNS": "200",
    }
    return run(
        command,
        folder / "log",
        environment=environment,
        folder=root,
        limits=Limits(SECONDS + _SLACK, IDLE + _SLACK, answers),
        apart_in=folder,
        unchanged=[pairing.cache],
    )


def _how(done: Finished) -> str:
    return f"the process ended with {done.code}: {last_words(done.log)}"


def _lines(answers: Path) -> Iterator[_Said]:
    """Yield the notes of a process; a line that it had no time to end is left out."""
    for line in answers.read_bytes().splitlines():
        try:
            yield msgspec.json.decode(line, type=_Said)
        except msgspec.MsgspecError:
            continue
