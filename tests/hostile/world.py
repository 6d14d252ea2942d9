"""An upstream, a backend and a log in which everything that a stranger may choose is hostile."""

from __future__ import annotations

import gc
import importlib
import io
import os
import pty
import select
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from syncbot.package_modules import import_all
from tests.project_texts import hatchling, write

#: Words that would take a terminal, a page, a runner of workflows or GitHub somewhere; no line end, no NUL.
EVIL = (
    "ev\x1b]0;pwn\x07il\x1b[7;31;44m\x08\r\x0b\x9b2J\x1b]8;;http://evil.example\x1b\\l\x1b]52;c;aGk=\x07"
    "\x1bP1$tx\x1b\\\u202e\u2066\u200b\u2060\ufeff\u2028\u0085\U000e0041 ::error::pwned ##[add-path]/pwned "
    "##vso[task.x]y </script><script>pwned()</script><img src=//evil.example/x onerror=pwned()> \"'><b> "
    "[a](javascript:pwned()) ![i](http://evil.example/x.png) <!-- --> @octocat fixes #1 GH-1 "
    "https://evil.example/y | `c` | [red]x[/nothing]"
)
#: A name of a file may have line ends too, but no slash.
NAME = EVIL.replace("/", "%")[:90] + "\n::error::pwned\n"
_OF_COMMANDS = (
    "workflows", "contracts.kinds", "patching.rewrites", "planning.answers", "report.formats",
    "report.upgrade_sections", "triage.kinds", "witness.programs",
)  # fmt: skip
_TEXT = EVIL.replace("\r", "").replace("\u0085", "").replace("\u2028", "")

OLD = {
    "engine/__init__.py": "",
    "engine/old_home.py": "class Part:\n    pass\n",
    "engine/base.py": f"class Base:\n    def run(self, a='''{_TEXT}'''):  # {_TEXT}\n        return 1\n\n\n"
    "def main(x: Base):\n    x.run()\n",
    "engine/log.py": "def gone(a, b):\n    return a\n\n\ndef split() -> tuple[str, str]:\n    return '', ''\n",
}
NEW = {
    "engine/__init__.py": "",
    "engine/home.py": OLD["engine/old_home.py"],
    "engine/base.py": f"class Base:\n    def run(self, a='''b{_TEXT}''', fast='''{_TEXT}'''):\n        return 1\n\n\n"
    "def main(x: Base):\n    x.run(fast=1)\n",
    "engine/log.py": "def split() -> tuple[str, str, str]:\n    return '', '', ''\n",
}
_MINE = """\
from engine.base import Base
from engine.home import Part


class Mine(Base):
    part = Part()

    def run(self, a='', fast=None):
        return 2
"""
_GONE = "from engine.log import gone, split\n\n\ndef f():\n    x, y = split()\n    return gone(x, y)\n"
_TOML = "".join(c if " " <= c <= "~" and c not in '"\\' else f"\\U{ord(c):08x}" for c in EVIL)
BACKEND = {
    ".gitignore": "build/\n",
    "pyproject.toml": f"""\
[tool.syncbot]
backend = "code"
[tool.syncbot.upstreams."engine {_TOML}"]
packages = ["engine"]
git = "../engine"
web = "https://github.com/octocat/engine {_TOML}"

[tool.syncbot.upstreams.engine]
packages = ["engine"]
git = "../engine"
web = "javascript:pwned() {_TOML}"

[tool.syncbot.project]
package = "plugin"

[tool.syncbot.witness]
python = "{sys.executable}"
""",
    "compat_matrix.yaml": f"""\
upstream: "engine {_TOML}"
baseline: v2.0.0
lanes:
  - tag: v2.0.0
    wheel: 2.0.0
    python: ">=3.11"
    stack: {{"torch {_TOML}": "1 {_TOML}"}}
    checks: {{"static {_TOML}": {{status: fail, command: "{_TOML}", date: "{_TOML}", digest: "{_TOML}", details: "{_TOML}"}}}}
    note: "{_TOML}"
  - {{tag: v1.0.0, wheel: 1.0.0, python: ">=3.10,<3.13"}}
""",
    "patches/1.0.0-old.yaml": f"""\
id: 1.0.0-old
upstream: {{name: "engine {_TOML}", pr: 3, first_version: 1.0.0}}
symbol: "engine.base {_TOML}"
reason: "{_TOML}"
status: needs-author
notes: "{_TOML}"
""",
    "code/pyproject.toml": hatchling("plugin", "2.0.0"),
    "code/src/plugin/__init__.py": "",
    "code/src/plugin/mine.py": _MINE,
    "code/src/plugin/gated.py": "if up_is('2.0.0'):\n    pass\n",
    f"code/src/plugin/{NAME}.py": _GONE,
    "code/src/plugin/caf\udce9.py": _GONE,
    f"code/src/plugin/\x1b[31m{'sub'}/caf\udce9/part.py": _GONE,
}
_TOLD = EVIL.replace("\r", "").replace(chr(34), "")
LOG = f"""\
Traceback (most recent call last):
  File "/x/src/plugin/mine.py", line 6, in f{_TOLD}
    return gone(x, y) {_TOLD}
  File "/x/engine/log.py", line 1, in <module>
ImportError: cannot import name 'gone' from 'engine.log' ({_TOLD})
Traceback (most recent call last):
  File "/x/src/plugin/{_TOLD}.py", line 6, in f
    return gone(x, y)
TypeError: Base.run() got an unexpected keyword argument 'fast' {_TOLD}
FAILED tests/test_a.py::test_{_TOLD} - TypeError: f() got an unexpected keyword argument '{_TOLD}'
::error::pwned
##[add-path]/pwned
"""


@dataclass(frozen=True)
class World:
    """A folder with the upstream ``engine``, the backend ``plugin`` and the log ``run.log``."""

    root: Path

    @property
    def plugin(self) -> Path:
        return self.root / "plugin"

    def git(self, folder: Path, *args: str, author: str = "Ada", date: int = 1_769_200_000) -> str:
        roles = {f"GIT_{role}_{what}": who for role in ("AUTHOR", "COMMITTER") for what, who in (("NAME", author), ("EMAIL", "a@example.org"), ("DATE", f"{date} +0000"))}  # fmt: skip
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        done = subprocess.run(
            ["git", "-c", "i18n.commitEncoding=UTF-8", *args],
            cwd=folder, check=True, capture_output=True, env=kept | roles | quiet,
        )  # fmt: skip
        return done.stdout.decode().strip()

    def commit(self, folder: Path, message: str, date: int = 1_769_200_000) -> str:
        self.git(folder, "add", "--all")
        name = EVIL.translate({ord(c): None for c in "<>\n"})
        self.git(
            folder,
            "commit",
            "--quiet",
            "--allow-empty",
            "--cleanup=verbatim",
            "-m",
            message,
            author=name,
            date=date,
        )
        return self.git(folder, "rev-parse", "HEAD")


def make(root: Path) -> World:
    world = World(root)
    engine = root / "engine"
    odd = {f"engine/{NAME}.py": "x = 1\n", "engine/caf\udce9.py": "y = 1\n", f"{NAME}": "text\n"}
    write(engine, OLD | odd)
    world.git(engine, "init", "--quiet", "--initial-branch=main")
    world.commit(engine, f"Begin {EVIL}\n\nBody {EVIL}\n\nfixes #1 {EVIL}", 1_769_100_000)
    world.git(engine, "tag", "v1.0.0")
    world.git(engine, "branch", "evil\u202e\u200b$(pwned)@octocat")
    world.git(engine, "tag", "v1.5.0\u202e\u200b<b>")
    for path in ("engine/old_home.py", f"engine/{NAME}.py"):
        (engine / path).unlink()
    write(engine, NEW | {f"engine/{NAME}2.py": "x = 1\n", "engine/caf\udce9.py": "y: int = 2\n"})
    world.commit(
        engine, f"Move on {EVIL} (#17)\n\n## Purpose\n\n{EVIL}\n\n::error::pwned\n- fixes #1 @octocat"
    )
    world.git(engine, "notes", "add", "-m", EVIL)
    world.git(engine, "tag", "v2.0.0", "-m", EVIL)
    world.plugin.mkdir()
    world.git(world.plugin, "init", "--quiet", "--initial-branch=main")
    world.commit(world.plugin, "Nothing yet")
    write(root / "plugin", BACKEND)
    write(root, {"run.log": LOG})
    world.commit(world.plugin, "Begin")
    remote = root / "remote.git"
    world.git(root, "init", "--quiet", "--bare", "--initial-branch=main", str(remote))
    world.git(world.plugin, "remote", "add", "origin", str(remote))
    world.git(world.plugin, "push", "--quiet", "origin", "main")
    return world


@dataclass(frozen=True)
class Said:
    """The output of a command, byte by byte, and its exit code."""

    code: int
    out: bytes
    err: bytes


@cache
def _import_what_they_need() -> None:
    for package in _OF_COMMANDS:
        import_all(f"syncbot.{package}")
    for module in ("ctypes", "rich.progress", "syncbot.server.tools"):
        importlib.import_module(module)
    # Nobody looks for garbage in what all share, which would copy it.
    gc.freeze()


def run(command: Callable[[], object], folder: Path, *, terminal: bool) -> Said:
    """Run a function in a process of its own and return what it prints, to files or to two terminals."""
    # What commands import when they work: here once, and not in each process.
    _import_what_they_need()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        ends = [pty.openpty(), pty.openpty()] if terminal else []
        child = os.fork()
        if child == 0:
            try:
                targets = [slave for _, slave in ends] or [out.fileno(), err.fileno()]
                for number, target in enumerate(targets, 1):
                    os.dup2(target, number)
                sys.stdout, sys.stderr = (io.TextIOWrapper(io.FileIO(n, "w", closefd=False)) for n in (1, 2))
                os.chdir(folder)
                command()
                os._exit(99)
            except SystemExit as end:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(end.code if isinstance(end.code, int) else 98)
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
                os._exit(97)
        for _, slave in ends:
            os.close(slave)
        read = _drained([master for master, _ in ends])
        _, status = os.waitpid(child, 0)
        if not terminal:
            for file in (out, err):
                file.seek(0)
            read = [out.read(), err.read()]
        return Said(os.waitstatus_to_exitcode(status), *read)


def _drained(masters: Sequence[int]) -> list[bytes]:
    found = dict.fromkeys(masters, b"")
    open_ones = list(masters)
    while open_ones:
        for master in select.select(open_ones, [], [])[0]:
            try:
                part = os.read(master, 1 << 16)
            except OSError:  # The other end is closed.
                part = b""
            found[master] += part
            if not part:
                open_ones.remove(master)
                os.close(master)
    return list(found.values())
