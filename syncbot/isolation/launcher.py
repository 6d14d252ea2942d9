"""Become a program that reaches no network and writes only where it may. Linux only; started as a script.

``python -I -S launcher.py {"read_only": [...], "hidden": [...], "writable": [...]} COMMAND...`` puts itself
into namespaces of its own, which every user may make where the system permits it, and then starts the
command. It ends as the command does, with all that this has started, and with code 126 where the system
permits no namespaces. What it asks of the kernel is in user_namespaces(7), mount(2), capabilities(7) and
prctl(2).
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import sys

REFUSED = 126

_NEW_USER, _NEW_MOUNTS, _NEW_NETWORK = 0x10000000, 0x00020000, 0x40000000
_READ_ONLY, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 1, 32, 4096, 16384, 1 << 18
_FLAGS_GET, _FLAGS_SET, _UP = 0x8913, 0x8914, 1
_END_WITH_PARENT, _ADOPT_ORPHANS = 1, 36
_DROP_CAPABILITY, _NO_NEW_PRIVILEGES, _LAST_CAPABILITY = 24, 38, 63
#: Flags of a mount that one in a namespace inside may not lose (statvfs → mount): nosuid, nodev, noexec.
_KEPT_FLAGS = {2: 2, 4: 4, 8: 8}

_libc = ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def _mount(source: str | None, target: str, kind: str | None, flags: int) -> None:
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind)]
    _call("mount", *words, ctypes.c_ulong(flags), None)


def _bind(folder: str, flags: int) -> None:
    """Mount a folder on itself, with other flags."""
    _mount(folder, folder, None, _BIND | _RECURSIVE)
    has = os.statvfs(folder).f_flag
    kept = sum(mount for seen, mount in _KEPT_FLAGS.items() if has & seen)
    _mount(None, folder, None, _REMOUNT | _BIND | flags | kept)


def _hide(path: str) -> None:
    """Put something empty in the place of a file or folder."""
    if os.path.isdir(path):
        _mount("none", path, "tmpfs", _READ_ONLY)
    else:
        _mount("/dev/null", path, None, _BIND)


def _loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        request = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(end, _FLAGS_GET, request))[1]
        fcntl.ioctl(end, _FLAGS_SET, struct.pack("16sH14x", b"lo", flags | _UP))


def _enter(read_only: list[str], hidden: list[str], writable: list[str]) -> None:
    user, group, here = os.getuid(), os.getgid(), os.getcwd()
    _call("unshare", _NEW_USER | _NEW_MOUNTS | _NEW_NETWORK)
    for file, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{file}", "w") as ours:
            ours.write(text)
    _mount(None, "/", None, _RECURSIVE | _PRIVATE)
    for folder in read_only:
        _bind(folder, _READ_ONLY)
    for path in hidden:
        _hide(path)
    for folder in writable:
        _bind(folder, 0)
    _loopback_up()
    # The folder that this process is in is still the one below the mounts.
    os.chdir(here)
    # What follows may mount nothing, not even as root of the namespace.
    for capability in range(_LAST_CAPABILITY):
        _libc.prctl(_DROP_CAPABILITY, capability, 0, 0, 0)
    _call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def main() -> None:
    """Enter the namespaces, run the command, and end what is left of it."""
    folders, command = json.loads(sys.argv[1]), sys.argv[2:]
    try:
        _enter(**folders)
    except (OSError, AttributeError) as error:
        print(error, file=sys.stderr)
        sys.exit(REFUSED)
    _call("prctl", _ADOPT_ORPHANS, 1, 0, 0, 0)
    child = os.fork()
    if not child:
        _libc.prctl(_END_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        try:
            os.execvp(command[0], command)
        except OSError as error:
            print(f"{command[0]}: {error.strerror}", file=sys.stderr, flush=True)
            os._exit(127)
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Whoever ends this process has the command end first, and hears how it did.
        signal.signal(each, lambda number, frame: os.kill(child, number))
    status = _wait_for(child)
    _end_orphans()
    if status < 0:
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


def _wait_for(child: int) -> int:
    """The exit code of the child. Orphans that end before it are taken leave of at once: to whoever looks
    whether they are gone, they would be there until then."""
    while True:
        ended, status = os.wait()
        if ended == child:
            return os.waitstatus_to_exitcode(status)


def _end_orphans() -> None:
    """End the children that this process has now: whoever loses its parent becomes one."""
    left = _children()
    while left:
        for each in left:
            os.kill(each, signal.SIGKILL)
            os.waitpid(each, 0)
        left = _children()


def _children() -> list[int]:
    """The children of this process; none where the kernel does not list them."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as children:
            return [int(word) for word in children.read().split()]
    except OSError:
        return []


if __name__ == "__main__":
    main()
