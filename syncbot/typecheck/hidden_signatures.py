"""Decorators that hide a signature from a type checker are blanked out of its copies. A function whose
decorator has no known types is ``Any``, and nothing that uses it is checked. Most decorators keep the
signature, so that each becomes a comment, line for line, but for those of the standard library and those that
make something else of a function."""

from __future__ import annotations

import re

_LINE = re.compile(
    rb"^([ \t]*)@([\w.]+)[ \t]*(?:\([^\n()]*(?:\([^()\n]*\)[^()\n]*)*\))?[ \t]*(?:#[^\n]*)?\r?\n"
    rb"(?=(?:[ \t]*(?:[@#][^\n]*)?\r?\n)*[ \t]*(?:async[ \t]+)?def )",
    re.MULTILINE,
)
# Words by which decorators that change the nature of a function are called, in any package.
_KEPT = re.compile(
    rb"property|method|setter|getter|deleter|overload|abstract|manager|final|override|dataclass|deprecated"
    rb"|cache|dispatch|wraps|no_type_check|validator|serializer|field|computed|fixture|parametrize|jit|autotune"
    rb"|heuristics|register|implements?|command|option|argument|group|hook|task|route|singleton",
    re.IGNORECASE,
)


def blank_decorators(source: bytes) -> bytes:
    """``source`` with signature-keeping decorators of functions turned into comments, line by line."""
    if b"@" not in source:
        return source
    return _LINE.sub(lambda line: line[0] if _KEPT.search(line[2]) else line[1] + b"#\n", source)
