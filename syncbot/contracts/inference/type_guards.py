"""Functions that tell of what class their argument is, where they say yes (PEP 647, PEP 742)."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable

from syncbot.api.model import Function

_TOLD = re.compile(r"\bType(?:Is|Guard)\[([A-Za-z_][\w.]*)\]")


def may_tell(function: str) -> bool:
    """Whether a function of that dotted name may be one: those that everybody has are none."""
    return function != "" and not hasattr(builtins, function)


def class_told(functions: Iterable[Function]) -> str | None:
    """The class, as written in the function's module, of what one of some overloads says yes to."""
    found = (_TOLD.search(function.annotation or "") for function in functions)
    return next((told[1] for told in found if told is not None), None)
