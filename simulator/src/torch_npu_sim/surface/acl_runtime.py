"""The simulated part of ``acl.rt``, CANN's Python interface."""

import ctypes


def memcpy(dst: int, dest_max: int, src: int, count: int, kind: int) -> int:
    """Copy bytes between two addresses, of host or device; return 0, the interface's success."""
    ctypes.memmove(dst, src, count)
    return 0
