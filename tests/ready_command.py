"""The command ``syncbot`` as a program that finds all imported: a Python that starts anew imports for half a
second. A process has imported the modules of commands, and each call runs in a fork of it, with the caller's
arguments, folder, environment and streams.

``python ready_command.py HANDLE MODULE...`` is that process; it listens on the socket ``HANDLE``. ``a.b.*`` are
all modules of a package.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import marshal
import os
import pkgutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

# Only what Python has built in: the program is to start at once.
_PROGRAM = """\
#!{python} -IS
import _socket, marshal, os, sys
with_it = _socket.socket(_socket.AF_UNIX)
with_it.connect({address!r})
asked = marshal.dumps((sys.argv[1:], os.getcwd(), dict(os.environ)))
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
with_it.sendmsg([len(asked).to_bytes(4, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
while asked:
    asked = asked[with_it.send(asked):]
code = with_it.recv(1)
sys.exit(code[0] if code else 1)
"""

_OF_CHECK = (
    "syncbot.__main__",
    "syncbot.cli.check",
    "syncbot.workflows.check",
    "syncbot.contracts.kinds.*",
    "syncbot.report.formats.*",
    "rich.text",
)


@contextmanager
def ready_command(folder: Path, *modules: str) -> Iterator[Path]:
    """A program ``syncbot`` in a folder. What ``check`` needs is imported, and ``modules`` of other commands.
    A signal to the program does not reach the command."""
    folder.mkdir(parents=True, exist_ok=True)
    program, address = folder / "syncbot", str(folder / "s")
    program.write_text(_PROGRAM.format(python=sys.executable, address=address), encoding="utf-8")
    program.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        handle = listener.fileno()
        line = [sys.executable, __file__, str(handle), *_OF_CHECK, *modules]
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
        process = subprocess.Popen(line, pass_fds=[handle], env=environment, stdin=subprocess.DEVNULL)
    try:
        yield program
    finally:
        process.kill()
        process.wait()


def _import(name: str) -> None:
    module = importlib.import_module(name.removesuffix(".*"))
    if name.endswith(".*"):
        for inner in pkgutil.iter_modules(module.__path__, f"{module.__name__}."):
            importlib.import_module(inner.name)


def _serve(listener: socket.socket) -> NoReturn:
    parent = os.getppid()
    listener.settimeout(5)
    # Nobody looks for garbage in what all share, which would copy it.
    gc.freeze()
    while os.getppid() == parent:
        try:
            caller, _ = listener.accept()
        except TimeoutError:
            continue
        if not os.fork():
            listener.close()
            _answer(caller)
        caller.close()
        _forget_the_ended()
    os._exit(0)


def _forget_the_ended() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _answer(caller: socket.socket) -> NoReturn:
    """Wait for the command, and tell its code."""
    head, streams, _, _ = socket.recv_fds(caller, 4, 3)
    asked = caller.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL)
    child = os.fork()
    if not child:
        caller.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        _become(*marshal.loads(asked))
    for stream in streams:
        os.close(stream)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    caller.send(bytes([code if code >= 0 else 128 - code]))
    os._exit(0)


def _become(arguments: list[str], folder: str, environment: dict[str, str]) -> NoReturn:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.stdin, sys.stdout, sys.stderr = open(0, closefd=False), open(1, "w", closefd=False), open(2, "w", closefd=False)  # fmt: skip  # noqa: SIM115
    sys.argv = ["syncbot", *arguments]
    from syncbot.__main__ import run
    from tests.forked_program import leave_after

    # What a Python does at its end, but for taking apart all that was imported.
    leave_after(run, threading._shutdown, atexit._run_exitfuncs)


if __name__ == "__main__":
    # As ``python -m`` has it; its own folder is none of syncbot's.
    sys.path[0] = str(Path(__file__).parents[1])
    for name in sys.argv[2:]:
        _import(name)
    _serve(socket.socket(fileno=int(sys.argv[1])))
