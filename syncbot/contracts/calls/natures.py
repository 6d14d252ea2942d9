"""Built-in types by what can be done with them: those of one kind may replace each other."""

from __future__ import annotations

NATURES = {
    **dict.fromkeys(("int", "float", "bool", "complex"), "a number"),
    **dict.fromkeys(("str", "bytes"), "a text"),
    **dict.fromkeys(("list", "tuple"), "a series"),
    **dict.fromkeys(("set", "frozenset"), "a set"),
    "dict": "a dictionary",
}
