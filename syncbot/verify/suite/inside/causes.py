"""Describes an exception that stopped a test: only the facts that rules and readers need, and none of its
objects."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import traceback
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

LONGEST_TEXT, LONGEST_MESSAGE = 20_000, 2_000
_MOST_FRAMES = 40
_DUMPED = re.compile(r'  File "(.+)", line (\d+) in (\S+)$')
_DUMP = re.compile(r"(?:Current thread \w+|Stack) \(most recent call first\):")
_PRINTED = re.compile(r"^(\S+\.py):(\d+): (?:in (\S+)|\w+)$", re.MULTILINE)


class Places:
    """How files are named: from the ``root`` of the tests, or from the folder of their distribution."""

    def __init__(self, root: str, folders: Sequence[str]) -> None:
        self.root = os.path.realpath(root)
        self.folders = [os.path.join(self.root, folder) for folder in folders]

    def shown(self, text: str) -> str:
        """A text without the folders of this run: the same the next time."""
        return text.replace(f"{self.root}/", "").replace(f"{sys.prefix}/", "")

    def file(self, path: str) -> str:
        """The name of a file."""
        whole = os.path.realpath(path) if os.path.isabs(path) else path
        return self.shown(whole).rpartition("/site-packages/")[2]

    def is_of_tests(self, path: str) -> bool:
        """Whether a file is one of tests."""
        return any(os.path.realpath(path).startswith(f"{folder}/") for folder in self.folders)


def printed(text: str, places: Places) -> dict[str, Any]:
    """Return the facts about an exception that was only printed, in pytest's format."""
    errors = [line[1:].strip() for line in text.splitlines() if re.match(r"E\s+\w", line)]
    last = errors[-1] if errors else (text.strip().splitlines() or [""])[-1]
    kind, _, message = last.partition(": ")
    frames = [
        [places.file(match[1]), int(match[2]), match[3] or "<module>", ""]
        for match in _PRINTED.finditer(text)
    ]
    told = {"type": kind.strip(), "message": places.shown(message.strip()), "frames": frames[-_MOST_FRAMES:]}
    return {**told, "text": places.shown(text)[-LONGEST_TEXT:]}


def raised(error: BaseException, trace: types.TracebackType | None, places: Places) -> dict[str, Any]:
    """Return the facts about an exception. It may be of any class: nothing here fails because of one."""
    frames: list[list[Any]] = []
    for each in traceback.extract_tb(trace)[-_MOST_FRAMES:]:
        known = sys.version_info >= (3, 11)
        columns = [each.end_lineno, each.colno, each.end_colno] if known else []
        frames.append([places.file(each.filename), each.lineno, each.name, each.line or "", *columns])
    kind = type(error)
    plain = kind.__module__ in ("builtins", "__main__")
    told: dict[str, Any] = {
        "type": kind.__qualname__ if plain else f"{kind.__module__}.{kind.__qualname__}",
        "message": places.shown(_message(error)),
        "frames": frames,
        "text": places.shown(_text(error, trace))[-LONGEST_TEXT:],
    }
    with contextlib.suppress(Exception):
        told |= _asked(error, places)
    return told


def _message(error: BaseException) -> str:
    try:
        return str(error)[:LONGEST_MESSAGE]
    except Exception as wrong:
        return f"(no message: {type(wrong).__name__})"


def _text(error: BaseException, trace: types.TracebackType | None) -> str:
    try:
        return "".join(traceback.format_exception(type(error), error, trace))
    except Exception as wrong:
        return f"{type(error).__name__}: (no text: {type(wrong).__name__})"


def _asked(error: BaseException, places: Places) -> dict[str, Any]:
    """Of an attribute that is missing: its name, and what was asked for it."""
    if not isinstance(error, AttributeError) or error.name is None:
        return {}
    asked = error.obj
    kind = asked if isinstance(asked, type) else type(asked)
    # Of a mock this is the class that it stands for.
    spec = getattr(asked, "__dict__", {}).get("_spec_class")
    classes = [f"{each.__module__}.{each.__qualname__}" for each in (spec or kind).__mro__[:-1]]
    nature = _nature(asked, kind, spec, places)
    told = {"nature": nature, "name": error.name, "classes": classes, "is_class": isinstance(asked, type)}
    return {"asked": told}


def _nature(asked: object, kind: type, spec: object, places: Places) -> str:
    if spec is not None:
        return "mock"
    if isinstance(asked, types.ModuleType):
        return "module"
    if kind is types.SimpleNamespace:
        return "namespace"
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return "test" if file and places.is_of_tests(file) else "object"


def dumped(text: str, places: Places) -> list[list[Any]]:
    """The frames of the last traceback that faulthandler printed, the innermost last; none without one."""
    parts = _DUMP.split(text)
    found = []
    for line in parts[-1].splitlines()[1:] if len(parts) > 1 else ():
        match = _DUMPED.match(line)
        if match is None:
            break
        found.append([places.file(match[1]), int(match[2]), match[3], ""])
    return found[_MOST_FRAMES - 1 :: -1]


def is_whole(text: str) -> bool:
    """Whether a text ends with a whole traceback of faulthandler: that of the start of the program."""
    lines = text.splitlines()
    return bool(lines) and (lines[-1].endswith(" in <module>") or lines[-1] == "  ...")


def last_words(log: str) -> str:
    """The end of a file, empty without one."""
    try:
        return Path(log).read_bytes()[-LONGEST_TEXT:].decode(errors="replace")
    except OSError:
        return ""
