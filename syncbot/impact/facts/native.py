"""Kernels and operators in C++ and CUDA sources, told from their text."""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePosixPath

NATIVE = frozenset(f".{suffix}" for suffix in ("c", "cc", "cpp", "cxx", "cu", "cuh", "h", "hpp", "hip"))

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LAUNCH_BOUNDS = r"(?:__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)\s*)?"
_KERNEL = re.compile(rf"__global__\s+(?:static\s+)?void\s+{_LAUNCH_BOUNDS}(\w+)\s*\(")
_DEF = re.compile(r"\.def\(\s*((?:\"(?:[^\"\\]|\\.)*\"\s*)+)")


def is_native(path: str) -> bool:
    """Whether a path is of a C++ or CUDA source."""
    return PurePosixPath(path).suffix in NATIVE


def kernels(source: bytes) -> dict[str, str]:
    """The ``__global__`` functions of a text, each with a digest of its code, white space aside."""
    text = _COMMENT.sub("", source.decode("utf-8", "replace"))
    found: dict[str, str] = {}
    for match in _KERNEL.finditer(text):
        code = "".join(text[match.start() : _end(text, match.end())].split())
        # Several templates may share a name: all of them together are the kernel.
        known = found.get(match[1], "")
        found[match[1]] = hashlib.sha1(f"{known}{code}".encode(), usedforsecurity=False).hexdigest()
    return found


def schemas(source: bytes) -> dict[str, str]:
    """The operators that a text defines with ``library.def("name(…) -> …")``: name → schema."""
    text = source.decode("utf-8", "replace")
    found: dict[str, str] = {}
    for match in _DEF.finditer(text):
        schema = " ".join("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match[1])).split())
        name, called, _ = schema.partition("(")
        if called and re.fullmatch(r"[\w:.]+", name):
            found[name] = schema
    return found


def _end(text: str, start: int) -> int:
    """The end of the function whose parameters begin at ``start``: its closing brace, or the semicolon."""
    depth, opened = 0, False
    for match in re.finditer(r"[{};]", text[start:]):
        if match[0] == ";" and not opened:
            return start + match.end()
        depth += {"{": 1, "}": -1, ";": 0}[match[0]]
        opened = opened or match[0] == "{"
        if opened and depth == 0:
            return start + match.end()
    return len(text)
