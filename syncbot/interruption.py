"""Ctrl-C and the signals that end a command: its processes end with it, nothing is left over."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

EXIT_CODE = 130
# Seconds in which children may end by themselves, and after which this process waits for nobody.
_GRACE, _LAST = 0.6, 1.3
_SIGNALS: Mapping[int, Callable[[int, FrameType | None], object] | signal.Handlers] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36

_interrupted, _unwound = threading.Event(), threading.Event()


@dataclass(frozen=True)
class _Watcher:
    """Who ends this process after a signal, and the pipe to tell it."""

    thread: threading.Thread
    pipe: int


_watchers: list[_Watcher] = []


@contextmanager
def ending_all() -> Iterator[None]:
    """Let the first signal in the block raise KeyboardInterrupt and end all that this process started. Two
    seconds later this process has ended too, whatever its threads wait for. ``leave`` ends it earlier. A
    signal that somebody else handles or ignores (nohup) stays theirs."""
    ours = threading.current_thread() is threading.main_thread()
    taken = [each for each, usual in _SIGNALS.items() if ours and signal.getsignal(each) is usual]
    with _watched(taken) if taken else nullcontext():
        for number in taken:
            signal.signal(number, _begin)
        # Who loses its parent, as daemons do and children of one that Ctrl-C ended at once, is ended too
        # (Linux).
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)
        said, sys.unraisablehook = sys.unraisablehook, _unheard
        try:
            yield
        finally:
            leave()
            sys.unraisablehook = said
            for number in taken:
                signal.signal(number, _SIGNALS[number])


def _unheard(swallowed: sys.UnraisableHookArgs) -> None:
    """Say nothing of an interruption that came while an object went: all ends a moment later."""
    if not (_interrupted.is_set() and swallowed.exc_type is KeyboardInterrupt):
        sys.__unraisablehook__(swallowed)


def leave() -> None:
    """End this process as soon as its children have, if it was interrupted; otherwise do nothing."""
    # A second signal does not cut the cleaning short.
    if _interrupted.is_set():
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        _unwound.set()
        _watchers[0].thread.join()


def stop_if_interrupted() -> None:
    """Raise KeyboardInterrupt again after a signal: what ran in a callback of the interpreter (an import that
    ends, an object that goes) swallows the first one."""
    if _interrupted.is_set():
        raise KeyboardInterrupt


def end_with_parent() -> None:
    """Let the system end this process when the one that started it is killed, where it can (Linux)."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def descendants() -> list[int]:
    """The processes that this one started, those that these started, and so on."""
    children: dict[int, list[int]] = {}
    for process, parent in _parents():
        children.setdefault(parent, []).append(process)
    found = list(children.get(os.getpid(), ()))
    for process in found:
        found += children.get(process, ())
    return found


@contextmanager
def _watched(signals: Sequence[int]) -> Iterator[None]:
    """Have a thread hear of these signals as well. Python tells the main thread alone, and one that has just
    begun to wait for a lock hears of nothing until it has that."""
    # Where no further pipe or thread can be had, the main thread ends all itself.
    with suppress(OSError, RuntimeError):
        _watchers.append(_started(signals))
    before = signal.set_wakeup_fd(_watchers[0].pipe, warn_on_full_buffer=False) if _watchers else -1
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        while _watchers:
            watcher = _watchers.pop()
            os.close(watcher.pipe)
            watcher.thread.join()


def _started(signals: Sequence[int]) -> _Watcher:
    heard, told = os.pipe()
    os.set_blocking(told, False)
    watcher = _Watcher(threading.Thread(target=_watch, args=(heard, bytes(signals)), daemon=True), told)
    try:
        watcher.thread.start()
    except RuntimeError:
        os.close(heard)
        os.close(told)
        raise
    return watcher


def _watch(heard: int, signals: bytes) -> None:
    """End all when one of the signals is told; return when nothing will be told any more."""
    while told := os.read(heard, 1):
        if told in signals:
            _end()
    os.close(heard)


def _begin(number: int, frame: FrameType | None) -> None:
    if _interrupted.is_set():
        return
    _interrupted.set()
    if not _watchers:
        _unwound.set()
        _end()
    # Somebody else may have had Python tell them of signals.
    with suppress(OSError):
        os.write(_watchers[0].pipe, bytes([number]))
    raise KeyboardInterrupt


def _end() -> None:
    begun, told = time.monotonic(), set[int]()
    while True:
        passed = time.monotonic() - begun
        alive = descendants()
        for process in alive:
            if process not in told or passed > _GRACE:
                told.add(process)
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGTERM if passed <= _GRACE else signal.SIGKILL)
        if passed > _LAST or (_unwound.is_set() and not alive):
            break
        time.sleep(0.02)
    # Threads may still work: what they would have removed goes here.
    with suppress(RuntimeError):
        last = threading.Thread(target=atexit._run_exitfuncs, daemon=True)
        last.start()
        last.join(_LAST - _GRACE)
    with suppress(OSError):
        os.write(2, b"syncbot: interrupted\n")
    os._exit(EXIT_CODE)


def _parents() -> Iterator[tuple[int, int]]:
    """Each living process of the machine with its parent."""
    listed = [entry for entry in os.listdir("/proc") if entry.isdigit()] if os.path.isdir("/proc/1") else []
    for entry in listed:
        with suppress(OSError):
            # The name in parentheses may hold anything.
            state, parent, *_ = Path("/proc", entry, "stat").read_bytes().rpartition(b")")[2].split()
            if state != b"Z":
                yield int(entry), int(parent)
    if not listed:
        import subprocess

        with suppress(OSError):
            rows = subprocess.run(["ps", "-axo", "pid=,ppid="], capture_output=True, text=True, check=False)
            yield from ((int(row.split()[0]), int(row.split()[1])) for row in rows.stdout.splitlines())


def _prctl(option: int, value: int) -> None:
    import ctypes  # where it is needed: it takes long

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
