"""Tuples of two shapes, an element each a word: what is gone, what is new."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any, Literal, TypeAlias

from pydantic import ValidationInfo, field_validator

from syncbot.patching import comma_lists
from syncbot.patching import lazy_libcst as cst
from syncbot.patching.argument_types import Name
from syncbot.patching.errors import CannotRewrite
from syncbot.patching.node_text import same_code

Shape: TypeAlias = tuple[Name, ...]


def checked_shapes() -> Any:
    """Return a pydantic validator of the fields ``old`` and ``new``: of two lengths, each word once."""

    def check(value: Shape, info: ValidationInfo) -> Shape:
        if len(value) < 2 or len(set(value)) != len(value):
            raise ValueError("at least two elements, each with a word of its own")
        if info.field_name == "new" and len(value) == len(info.data.get("old", ())):
            raise ValueError("old and new have to differ in length, or nobody could tell which is which")
        return value

    return field_validator("old", "new")(check)


def reshaped(found: cst.Tuple | cst.List, old: Shape, new: Shape, filler: str, refusal: str) -> list[Any]:
    """The elements in the new shape: ``filler`` is what is new, and has to be what is gone. Raises
    CannotRewrite, saying ``refusal``."""
    items: list[Any] = list(found.elements)
    for kind, at, word in _matched(old, new):
        if kind == "new":
            element = cst.Element(cst.parse_expression(filler))
            items = comma_lists.insert(items, at, element, cst.SimpleWhitespace(""))
        elif same_code(items[at].value, filler):
            items = comma_lists.remove(items, at)
        else:
            raise CannotRewrite(refusal.format(word))
    return items


def _matched(old: Shape, new: Shape) -> Iterator[tuple[Literal["gone", "new"], int, str]]:
    """Yield the edits, from the last element to the first: remove the one at a position, or insert one."""
    for kind, i1, i2, j1, j2 in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if kind != "equal":
            for at in reversed(range(i1, i2)):
                yield "gone", at, old[at]
            for word in reversed(new[j1:j2]):
                yield "new", i1, word
