"""Who calls an upstream function in the new upstream, found in the texts alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from syncbot.api.expressions import expression
from syncbot.api.signatures import Arguments

_DEFINES = re.compile(rb"^([ \t]*)(?:async[ \t]+def|def|class)[ \t]+(\w+)")
_RECEIVER = re.compile(rb"([\w.]*)$")
_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Caller:
    """A call: the module, the scope around it, what stands before the name, and the arguments."""

    module: str
    scope: str
    receiver: str
    arguments: Arguments


class Callers:
    """The calls in some sources. ``texts`` gives them by module."""

    def __init__(self, texts: Callable[[], Mapping[str, bytes]]) -> None:
        self._texts = texts
        self._known: dict[str, tuple[Caller, ...]] = {}

    def of(self, function: str) -> tuple[Caller, ...]:
        """All calls ``….function(…)`` and ``function(…)`` but those of ``super()``."""
        if function not in self._known:
            self._known[function] = tuple(self._found(function))
        return self._known[function]

    def _found(self, function: str) -> Iterator[Caller]:
        needle = f"{function}(".encode()
        word = re.compile(rb"(?<!\w)%s" % re.escape(needle))
        for module, text in self._texts().items():
            if needle not in text:
                continue
            for match in word.finditer(text):
                before = text[max(0, match.start() - 200) : match.start()].rpartition(b"\n")[2]
                if re.search(rb"\b(?:def|class)\s+$", before) or before.endswith(b"super()."):
                    continue
                if b"#" in before:
                    continue
                arguments = _arguments(text, match.end())
                if arguments is not None:
                    receiver = _RECEIVER.search(before.removesuffix(b".")) if before.endswith(b".") else None
                    written = receiver[1].decode() if receiver is not None else ""
                    if before.endswith(b".") and not written:
                        written = "?"
                    yield Caller(module, _scope(text, match.start()), written, arguments)


def _arguments(text: bytes, start: int) -> Arguments | None:
    """The arguments of the call whose bracket opens before ``start``; None for what is no call."""
    depth = 1
    for at in range(start, min(len(text), start + _LONGEST)):
        letter = text[at : at + 1]
        depth += (letter in b"([{") - (letter in b")]}")
        if depth == 0:
            call = _parsed(text[start:at])
            if call is not None:
                return call
            # The bracket stands in a string.
            depth = 1
    return None


def _parsed(arguments: bytes) -> Arguments | None:
    call = expression(f"f({arguments.decode('utf-8', 'replace')}\n)")
    return Arguments.of(call) if isinstance(call, ast.Call) else None


def _scope(text: bytes, at: int) -> str:
    """The functions and classes around a place, by how the lines before it are indented."""
    lines = text[:at].split(b"\n")
    depth = len(lines[-1]) - len(lines[-1].lstrip())
    names: list[str] = []
    for line in reversed(lines[:-1]):
        if depth == 0:
            break
        found = _DEFINES.match(line)
        if found is not None and len(found[1]) < depth:
            names.append(found[2].decode())
            depth = len(found[1])
    return ".".join(reversed(names))
