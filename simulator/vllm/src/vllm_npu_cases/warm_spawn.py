"""Python processes that multiprocessing spawns, forked from one that has imported vLLM.

A spawned process begins without any state of its parent: it is told by pickles alone what to do. That is so here, too:
its image is that of the process in which every case begins, which imported vLLM, loaded no plugin's layers and never
used a device (the device refuses its use in the fork of a process that did). What is saved are the seconds of imports.
"""

import ctypes
import json
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing import util
from typing import Any

_MARK = "--multiprocessing-fork"
#: Of prctl(2).
_DEATH_SIGNAL, _SUBREAPER = 1, 36
_LONGEST = 1 << 20
_MOST_FILES = 64


def begin() -> None:
    """Let processes that this one spawns be forked from its present state. Call it before anything is done that a
    spawned process must not see."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    owner = os.getpid()
    if os.fork() == 0:
        ours.close()
        _prctl(_DEATH_SIGNAL, signal.SIGKILL)
        _serve(theirs)
    theirs.close()
    # Whoever spawns waits for what was spawned: it becomes this process's child when the one between has ended.
    _prctl(_SUBREAPER, 1)
    plainly = util.spawnv_passfds

    def warmly(path: Any, arguments: Sequence[Any], files: Sequence[int]) -> int:
        # Not the process that keeps track of shared memory, nor what a fork of this process spawns.
        if os.getpid() != owner or _MARK not in map(os.fsdecode, arguments):
            return plainly(path, arguments, files)
        return _ask(ours, [os.fsdecode(each) for each in arguments], files)

    util.spawnv_passfds = warmly


def _ask(server: socket.socket, arguments: Sequence[str], files: Sequence[int]) -> int:
    """Return the process that was forked with these arguments, this process's variables and folder, and open files of
    the same numbers."""
    numbers = [*dict.fromkeys((0, 1, 2, *files))]
    told = {"arguments": arguments, "variables": dict(os.environ), "folder": os.getcwd(), "files": numbers}
    socket.send_fds(server, [json.dumps(told).encode()], numbers)
    return int(server.recv(_LONGEST))


def _serve(requests: socket.socket) -> None:
    """Fork a process for each request until nobody can ask any more; never returns."""
    while True:
        told, files, _, _ = socket.recv_fds(requests, _LONGEST, _MOST_FILES)
        if not told:
            os._exit(0)
        child = _orphan(partial(_become, json.loads(told), files, requests))
        for each in files:
            os.close(each)
        requests.send(str(child).encode())


def _orphan(work: Callable[[], object]) -> int:
    """Return the process that does the work, a child of none here: the one between has ended."""
    reading, writing = os.pipe()
    between = os.fork()
    if between == 0:
        os.close(reading)
        child = os.fork()
        if child == 0:
            os.close(writing)
            work()
        os.write(writing, str(child).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(between, 0)
    with open(reading, encoding="ascii") as told:
        return int(told.read())


def _become(told: dict[str, Any], files: Sequence[int], requests: socket.socket) -> None:
    """Be the process that was asked for; never returns."""
    code = 1
    try:
        requests.close()
        _renumber(dict(zip(told["files"], files, strict=True)))
        os.environ.clear()
        os.environ.update(told["variables"])
        os.chdir(told["folder"])
        arguments = told["arguments"]
        sys.argv = ["-c", *arguments[arguments.index(_MARK) :]]
        code = _status(arguments[arguments.index("-c") + 1])
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _renumber(files: dict[int, int]) -> None:
    """Give open files the numbers that they had where they came from."""
    free = max([*files, *files.values()]) + 1
    aside = {number: os.dup2(file, free + place) for place, (number, file) in enumerate(files.items())}
    for file in files.values():
        os.close(file)
    for number, file in aside.items():
        os.dup2(file, number)
        os.close(file)


def _status(program: str) -> int:
    """Return the exit code of a program."""
    try:
        exec(program, {"__name__": "__main__"})
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    return 0


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
