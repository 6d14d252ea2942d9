"""A fault at every write of the commands that write: killed there, or refused by the disk.

usage: python benchmarks/faults.py [--stride N] [--stride-of COMMAND=N]... [--mode MODE]... [COMMAND]...

The command runs in a process whose calls are counted: making a file, each ``write`` of one, ``fsync``,
``rename``, the exchange of two paths, ``unlink``, ``mkdir``, ``rmdir``, ``link``, ``symlink``, ``chmod``,
``truncate``, and the start of every process but git commands that only read (what that process writes counts
as one point with its start). Requests over HTTP are points before they are sent and before their answer is
read, for ``kill`` alone. SQLite writes in C and is not counted. One run for each call and mode:

- ``kill``: the process ends by signal 9 instead of making the call; of a ``write`` half is made before.
- ``full``: from that call on, all that takes room fails with ENOSPC.
- ``broken``: that call fails with EIO.

After it every file that somebody wrote is as before, or every one is as an undisturbed run leaves it, unless
a journal stands there; every other file is the one or the other. An error is one line and an exit code. Then
the command runs undisturbed. Files, references and trees of git have to be those of a run that nothing
disturbed.

Exit code 1 where one of this does not hold.
"""

from __future__ import annotations

import argparse
import dataclasses
import errno
import http.client
import io
import os
import re
import shutil
import signal
import socketserver
import stat
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

MODES = ("kill", "full", "broken")
_ROOM = frozenset({"open", "write", "mkdir", "symlink", "link", "start"})
_READING = frozenset({"cat-file", "rev-parse", "ls-tree", "ls-files", "log", "show", "status", "diff-tree",
                      "for-each-ref", "rev-list", "diff", "blame", "merge-base", "var"})  # fmt: skip


@dataclass
class Shim:
    """Counts calls that write, and lets the one with this number (from 1) be a fault."""

    number: int = 0
    mode: str = ""
    calls: list[str] = field(default_factory=list)

    def point(self, kind: str, half: Callable[[], object] = lambda: None) -> None:
        """Before a call."""
        self.calls.append(kind)
        at = len(self.calls)
        if self.mode == "kill" and at == self.number:
            half()
            os.kill(os.getpid(), signal.SIGKILL)
        if self.mode == "full" and at >= self.number > 0 and kind in _ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self.mode == "broken" and at == self.number and kind not in ("pipe", "request", "answer"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    def install(self) -> None:
        """Patch the calls of this process, for good."""
        from syncbot import atomic

        shim = self
        for name in ("mkdir", "rmdir", "unlink", "remove", "rename", "replace", "link", "symlink", "fsync",
                     "chmod", "fchmod", "truncate", "ftruncate"):  # fmt: skip
            setattr(os, name, shim._counted(name, getattr(os, name)))
        atomic.exchange = shim._counted("exchange", atomic.exchange)
        real_open, make_open, plain_write = os.open, io.open, os.write

        def os_open(path: Any, flags: int, *rest: Any, **named: Any) -> int:
            if flags & os.O_CREAT:
                shim.point("open")
            return real_open(path, flags, *rest, **named)

        def os_write(handle: int, data: Any) -> int:
            if handle > 2:
                shim.point("write", lambda: plain_write(handle, bytes(data)[: len(data) // 2]))
            return plain_write(handle, data)

        class Counted(io.FileIO):
            def write(self, data: Any) -> int:
                kind = "pipe" if stat.S_ISFIFO(os.fstat(self.fileno()).st_mode) else "write"
                shim.point(kind, lambda: super(Counted, self).write(bytes(data)[: len(data) // 2]))
                return super().write(data) or 0

        def counted_open(
            file: Any, mode: str = "r", buffering: int = -1, encoding: Any = None, errors: Any = None,
            newline: Any = None, closefd: bool = True, opener: Any = None,
        ) -> Any:  # fmt: skip
            if not set(mode) & set("wax+") or (isinstance(file, int) and file <= 2):
                return make_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
            if not isinstance(file, int):
                shim.point("open")
            raw = Counted(file, mode.replace("t", "").replace("b", "") + "b", closefd, opener)
            if buffering == 0:
                return raw
            buffer = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
            return buffer if "b" in mode else io.TextIOWrapper(buffer, encoding, errors, newline)

        os.open, os.write = os_open, os_write
        io.open = counted_open
        __builtins__.open = counted_open
        init = subprocess.Popen.__init__

        def started(process: Any, command: Any, *rest: Any, **named: Any) -> None:
            words = [str(word) for word in command] if isinstance(command, list | tuple) else [str(command)]
            verbs = [
                w for before, w in zip(["", *words], words, strict=False) if before != "-c" and w[:1] != "-"
            ]
            if not (verbs[:1] == ["git"] and len(verbs) > 1 and verbs[1] in _READING):
                shim.point("start")
            init(process, command, *rest, **named)

        subprocess.Popen.__init__ = started  # type: ignore[method-assign, assignment]
        connection = http.client.HTTPConnection
        send, receive = connection.endheaders, connection.getresponse

        def request(client: Any, *given: Any, **named: Any) -> None:
            shim.point("request")
            send(client, *given, **named)

        def answer(client: Any) -> Any:
            # The server does what it is asked to meanwhile.
            shim.point("answer", lambda: time.sleep(0.1))
            return receive(client)

        connection.endheaders, connection.getresponse = request, answer  # type: ignore[assignment]

    def _counted(self, kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            self.point(kind)
            return real(*given, **named)

        return call


@dataclass
class Scenario:
    """A command, where it runs, what somebody wrote there, and whether files grow line by line."""

    work: Path
    arguments: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    authored: Callable[[str], bool] = lambda path: True
    grows: bool = False
    settled: Callable[[bytes], bytes] = lambda content: content
    reset: Callable[[], object] = lambda: None
    outcome: Callable[[], object] = lambda: None


@dataclass
class Run:
    """How a command ended, and the calls it made."""

    code: int
    errors: str
    calls: list[str]


def run(scenario: Scenario, shim: Shim) -> Run:
    """The command in a process of its own, with a fault."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder)
        child = os.fork()
        if not child:
            code = 99
            try:
                for number, name in ((1, "out"), (2, "err")):
                    handle = os.open(told / name, os.O_WRONLY | os.O_CREAT)
                    os.dup2(handle, number)
                log = os.open(told / "calls", os.O_WRONLY | os.O_CREAT)
                plain = os.write
                os.environ.update(scenario.environment, TMPDIR=str(told))
                tempfile.tempdir = None
                shim.install()
                from syncbot.cli import main

                try:
                    main(scenario.arguments)
                except SystemExit as end:
                    code = end.code if isinstance(end.code, int) else 0
                sys.stdout.flush()
                plain(log, "\n".join(shim.calls).encode())
            except BaseException:
                import traceback

                plain(2, traceback.format_exc().encode())
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        calls = (told / "calls").read_text().split() if (told / "calls").exists() else []
        errors = (told / "err").read_text() if (told / "err").exists() else ""
        return Run(os.waitstatus_to_exitcode(status), errors, calls)


def files(scenario: Scenario) -> dict[str, bytes]:
    """Return the files that a command may touch, git's own and caches left out."""
    work = scenario.work
    found = {}
    for folder, names, leaves in os.walk(work):
        names[:] = [
            n for n in names if n != ".git" and not n.endswith(".git") and n not in ("cache", "objects")
        ]
        for leaf in leaves:
            path = Path(folder, leaf)
            found[path.relative_to(work).as_posix()] = scenario.settled(path.read_bytes())
    return found


def repositories(work: Path) -> dict[str, str]:
    """References of the git repositories below a folder, with their trees. Raises where git finds damage."""
    found = {}
    for config in sorted(work.rglob("HEAD")):
        if not (config.parent / "objects").is_dir():
            continue
        git = ["git", f"--git-dir={config.parent}"]
        _sound(git)
        show = [*git, "for-each-ref", "--format=%(refname) %(tree)"]
        found[str(config.parent)] = subprocess.run(show, check=True, capture_output=True, text=True).stdout
    return found


def _sound(git: list[str]) -> None:
    """Raises where anything that a reference leads to is damaged. What an interrupted fast-import leaves
    behind it, and nothing leads to, is git's own affair: a broken commit may be among it."""
    listed = subprocess.run(
        [*git, "rev-list", "--objects", "--all"], check=True, capture_output=True, text=True
    )
    found = subprocess.run(
        [*git, "fsck", "--no-dangling", "--no-progress"], check=False, capture_output=True, text=True
    )
    reached = set(listed.stdout.split())
    for line in (found.stdout + found.stderr).splitlines():
        about = re.match(r"(?:error|warning) in \w+ (\w+):", line)
        if not line.startswith("notice:") and (about is None or about[1] in reached):
            raise subprocess.CalledProcessError(found.returncode, found.args, stderr=line)


@dataclass
class Tally:
    """How a command's points fared."""

    points: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    wrong: list[str] = field(default_factory=list)


def try_all(scenario: Scenario, template: Path, modes: tuple[str, ...], stride: int) -> Tally:
    """Every point of a command, or each one that ``stride`` hits: others in each mode."""

    def fresh() -> None:
        shutil.rmtree(scenario.work, ignore_errors=True)
        shutil.copytree(template, scenario.work, symlinks=True)
        scenario.reset()

    def state() -> tuple[dict[str, bytes], dict[str, str], object]:
        return files(scenario), repositories(scenario.work), scenario.outcome()

    fresh()
    before = files(scenario)
    undisturbed = run(scenario, Shim())
    after = state()
    tally = Tally(len(undisturbed.calls), Counter(undisturbed.calls))
    if undisturbed.code not in (0, 1):
        tally.wrong.append(f"undisturbed: {undisturbed.code} {undisturbed.errors}")
        return tally
    for place, mode in enumerate(modes):
        first = 1 + place * min(stride, tally.points) // len(modes)
        for number in range(first, tally.points + 1, stride):
            fresh()
            tally.runs += 1
            done = run(scenario, Shim(number, mode))
            where = f"{mode} at {number} ({undisturbed.calls[number - 1]})"
            torn = _torn(scenario, files(scenario), before, after[0])
            tally.wrong += [f"{where}: {text}" for text in torn]
            if mode != "kill" and done.code not in (0, 1):
                lines = done.errors.strip().splitlines()
                if done.code not in (2, 3) or len(lines) != 1 or not lines[0].startswith("syncbot: "):
                    tally.wrong.append(f"{where}: exit code {done.code}, {done.errors[-1500:]!r}")
            # What was finished all the same needs no further run, and some commands refuse one.
            finished = done.code == undisturbed.code and files(scenario) == after[0]
            if not finished and (again := run(scenario, Shim())).code not in (0, 1, 2):
                tally.wrong.append(f"{where}: the next run ends with {again.code}: {again.errors[-300:]!r}")
                continue
            try:
                now = state()
            except subprocess.CalledProcessError as error:
                tally.wrong.append(f"{where}: {error.cmd}: {error.stderr!r}")
                continue
            tally.wrong += [f"{where}: after the next run {text}" for text in _differences(now, after)]
    return tally


def _torn(
    scenario: Scenario, now: Mapping[str, bytes], before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> Iterator[str]:
    journal = any(path.endswith("manifest.json") for path in now) or any(
        scenario.work.rglob(".git/.syncbot-apply/manifest.json")
    )
    hidden = {path for path in now if any(part.startswith(".") for part in path.split("/"))}
    for path in now.keys() - hidden:
        sides = (before.get(path), after.get(path))
        known = {line for side in sides if side is not None for line in side.splitlines(keepends=True)}
        if now[path] not in sides and not (scenario.grows and known.issuperset(now[path].splitlines(True))):
            yield f"{path} is torn"
    if journal:
        return
    told = [{p: text for p, text in each.items() if scenario.authored(p)} for each in (now, before, after)]
    shown = {p: text for p, text in told[0].items() if p not in hidden or p in before or p in after}
    if shown not in told[1:]:
        mixed = [p for p in told[1] | told[2] if told[1].get(p) != told[2].get(p)]
        yield f"old and new are mixed among {mixed}"


def _differences(now: tuple[Any, ...], after: tuple[Any, ...]) -> Iterator[str]:
    for path in sorted(now[0].keys() | after[0].keys()):
        if now[0].get(path) != after[0].get(path):
            yield f"{path} is {'left over' if path not in after[0] else 'another one'}"
    if now[1:] != after[1:]:
        yield f"{now[1:]} is not {after[1:]}"


def _made(fixture: Any, *given: Any) -> Any:
    """Return the value that a fixture of the tests makes."""
    return fixture._get_wrapped_function()(*given)


def _lane_project(root: Path) -> Any:
    """A project with two lanes, and its upstream."""
    from lanes.conftest import project_in, releases

    with tempfile.TemporaryDirectory() as folder:
        return project_in(root, releases(Path(folder)))


@contextmanager
def _lanes(root: Path, patch: Any) -> Iterator[Scenario]:
    made = _lane_project(root)
    yield Scenario(root, ["apply", "--backend", str(made.root)], authored=lambda path: "/build/" not in path)


@contextmanager
def _baseline(root: Path, patch: Any) -> Iterator[Scenario]:
    from lanes.conftest import git, write

    made = _lane_project(root)
    write(made.root, {".gitignore": "build/\n"})
    assert made.run("apply")[0] == 0
    git(made.root, "init", "-q", "-b", "main")
    git(made.root, "add", "-A")
    git(made.root, "commit", "-qm", "State")
    arguments = ["baseline", "move", "v1.0.0", "--allow-dirty", "--backend", str(made.root)]
    yield Scenario(root, arguments, authored=lambda path: "/build/" not in path)


def _followed(root: Path) -> Any:
    """A backend, and the engine that it follows."""
    from cli.conftest import begin, project_in

    with tempfile.TemporaryDirectory() as folder:
        return project_in(root, begin(Path(folder)))


def _moved(root: Path) -> Any:
    from cli.test_migrate import moved

    return _made(moved, _followed(root))


@contextmanager
def _migrate(root: Path, patch: Any) -> Iterator[Scenario]:
    made = _moved(root)
    asked = ["--from", "v0.1.0", "--engine", "contracts", "--allow-dirty", "--backend", str(made.plugin)]
    yield Scenario(root, ["migrate", *asked])


@contextmanager
def _gate(root: Path, patch: Any) -> Iterator[Scenario]:
    from cli.test_migrate import GATES

    made = _moved(root)
    asked = ["--from", "v0.1.0", "--keep", "0.1.0", "--engine", "contracts", "--allow-dirty"]
    yield Scenario(root, ["gate", *asked, *GATES, "--backend", str(made.plugin)])


@contextmanager
def _ungate(root: Path, patch: Any) -> Iterator[Scenario]:
    from cli.test_migrate import GATES

    made = _moved(root)
    asked = ["--from", "v0.1.0", "--keep", "0.1.0", "--engine", "contracts", "--allow-dirty", *GATES]
    assert made.run("gate", *asked).exit_code == 1
    yield Scenario(root, ["ungate", "0.1.0", "--allow-dirty", *GATES[:2], "--backend", str(made.plugin)])


@contextmanager
def _site(root: Path, patch: Any) -> Iterator[Scenario]:
    from cli.test_site import broken

    made = _made(broken, _followed(root))
    report = ["--from", "v0.1.0", "--engine", "contracts", "--format", "json", "--output"]
    assert made.run("check", *report, str(root / "reports/a.json")).exit_code == 1
    site = ["site", "--reports", str(root / "reports"), "--output", str(root / "site"), "--backend"]
    assert made.run(*site[:-1]).exit_code == 0
    made.run("check", *report, str(root / "reports/b.json"))
    yield Scenario(root, [*site, str(made.plugin)])


@contextmanager
def _check(root: Path, patch: Any) -> Iterator[Scenario]:
    from cli.test_site import broken

    made = _made(broken, _followed(root))
    asked = [
        "--from",
        "v0.1.0",
        "--engine",
        "contracts",
        "--format",
        "markdown",
        "--output",
        str(root / "report.md"),
    ]
    yield Scenario(root, ["check", *asked, "--backend", str(made.plugin)])


@contextmanager
def _verify(root: Path, patch: Any) -> Iterator[Scenario]:
    made = _lane_project(root)
    assert made.run("apply")[0] == 0
    # Each piece of evidence is kept as soon as it is there, with the time.
    yield Scenario(
        root, ["verify", "--static", "--backend", str(made.root)], authored=lambda path: False, grows=True,
        settled=lambda content: re.sub(rb'("date": ")[^"]*', rb"\1", content),
    )  # fmt: skip


@contextmanager
def _published(root: Path, patch: Any, arguments: list[str]) -> Iterator[Scenario]:
    from publish.github_server import TOKEN, State, serving
    from publish.project import make

    made = make(root)
    made.apply()
    (root / "report.md").write_text("# A day\n\nNothing broke.\n")
    # Who is killed while the server reads resets the connection.
    patch.setattr(socketserver.BaseServer, "handle_error", lambda *_: None)
    with serving(State()) as state:
        state.repository = made.remote

        def reset() -> None:
            for each in dataclasses.fields(State):
                if each.default_factory is not dataclasses.MISSING:
                    setattr(state, each.name, each.default_factory())

        def outcome() -> object:
            return (
                [(issue["title"], issue["body"], issue["state"]) for issue in state.issues],
                [comment["body"] for comment in state.comments],
            )

        environment = {"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": state.url}
        environment["GITHUB_REPOSITORY"] = state.name
        asked = ["publish", *arguments, "--backend", str(made.plugin)]
        yield Scenario(root, asked, environment, reset=reset, outcome=outcome)


@contextmanager
def _publish_pr(root: Path, patch: Any) -> Iterator[Scenario]:
    with _published(root, patch, ["pr"]) as scenario:
        yield scenario


@contextmanager
def _publish_report(root: Path, patch: Any) -> Iterator[Scenario]:
    with _published(root, patch, ["report", str(root / "report.md")]) as scenario:
        yield scenario


@contextmanager
def _import(root: Path, patch: Any) -> Iterator[Scenario]:
    from upstream.package_index import File, Index, tar

    versions = ("0.1.0", "0.2.0", "0.3.0")
    files = [
        File(
            f"toy-{version}.tar.gz",
            tar({
                f"toy-{version}/toy/__init__.py": b"",
                f"toy-{version}/toy/core.py": f"def run(a, b={number}):\n    return a\n".encode() * 50,
            }),
            uploaded=f"2026-0{number}-02T03:04:05.678901Z",
        )
        for number, version in enumerate(versions, 1)
    ]  # fmt: skip
    with Index(files) as index:
        from cli.conftest import _write

        _write(root / "plugin", {
            "pyproject.toml": '[tool.syncbot.upstreams.toy]\npackages = ["toy"]\nrelease = "toy"\n',
            "src/plugin/__init__.py": "from toy.core import run\n\nrun(1, b=2)\n",
        })  # fmt: skip
        asked = [
            "--from",
            "0.1.0",
            "--to",
            "0.3.0",
            "--engine",
            "contracts",
            "--backend",
            str(root / "plugin"),
        ]
        yield Scenario(root, ["check", *asked], {"PIP_INDEX_URL": index.url})


COMMANDS: dict[str, Callable[[Path, Any], Any]] = {
    "apply": _lanes, "baseline": _baseline, "migrate": _migrate, "gate": _gate, "ungate": _ungate,
    "site": _site, "check": _check, "verify": _verify, "publish-pr": _publish_pr,
    "publish-report": _publish_report, "import": _import,
}  # fmt: skip


def tried(name: str, modes: tuple[str, ...], stride: int) -> Tally:
    """All points of a command."""
    import pytest

    with tempfile.TemporaryDirectory(prefix="faults-") as folder, pytest.MonkeyPatch.context() as patch:
        # Links resolved: paths are part of keys.
        root = Path(folder).resolve() / "work"
        root.mkdir()
        patch.setenv("SYNCBOT_CACHE", str(root / "cache"))
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        patch.setattr(sys, "dont_write_bytecode", True)
        for role in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{role}_NAME", "Robot")
            patch.setenv(f"GIT_{role}_EMAIL", "robot@example.org")
        with COMMANDS[name](root, patch) as scenario:
            patch.chdir("/")
            template = Path(folder).resolve() / "template"
            shutil.copytree(root, template, symlinks=True)
            return try_all(scenario, template, modes, stride)


def _import_all() -> None:
    """Import what a command imports as it goes, once for all processes, which then share it."""
    import gc
    import pkgutil
    from importlib import import_module

    import libcst  # noqa: F401  the rewrites import it late

    import syncbot

    for module in pkgutil.walk_packages(syncbot.__path__, "syncbot."):
        # These two begin to run where they are imported.
        if module.name not in ("syncbot.__main__", "syncbot.running.pytest_probe"):
            import_module(module.name)
    gc.freeze()


def main() -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(prog="faults.py", description="A fault at every write.")
    parser.add_argument("commands", nargs="*", choices=[*COMMANDS, []], metavar="COMMAND")
    parser.add_argument("--stride", type=int, default=1, help="every N-th point only")
    parser.add_argument(
        "--stride-of", action="append", default=[], help="of one command", metavar="COMMAND=N"
    )
    parser.add_argument("--mode", action="append", choices=MODES)
    options = parser.parse_args()
    strides = {name: int(number) for name, _, number in (each.partition("=") for each in options.stride_of)}
    _import_all()
    good = True
    for name in options.commands or COMMANDS:
        tally = tried(name, tuple(options.mode or MODES), strides.get(name, options.stride))
        kinds = ", ".join(f"{count} {kind}" for kind, count in tally.kinds.most_common())
        print(
            f"{name}: {tally.points} points ({kinds}); {tally.runs} faults, {len(tally.wrong)} wrong",
            flush=True,
        )
        for wrong in tally.wrong:
            print(f"  {wrong}", flush=True)
        good &= not tally.wrong
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
