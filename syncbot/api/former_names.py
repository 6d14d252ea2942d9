"""``async`` as a name, which it could be until Python 3.7 (PEP 492): a module, function or argument of older
sources. It is written over by another word of as many letters, and written back in the tree."""

from __future__ import annotations

import ast
import re

from syncbot.api.every_node import every_node

_AS_A_NAME = re.compile(rb"\basync\b(?!\s+(?:def|for|with)\b)")
_WORDS = tuple(word.encode() for word in ("aSync", "asYnc", "asyNc", "asynC"))


def parsed(source: bytes) -> ast.Module | None:
    """The tree of a text that has ``async`` as a name, None for others."""
    word = next((word for word in _WORDS if word not in source), None)
    if word is None or not _AS_A_NAME.search(source):
        return None
    try:
        tree = ast.parse(_AS_A_NAME.sub(word, source))
    except SyntaxError:
        return None
    for node in every_node(tree):
        for field, value in ast.iter_fields(node):
            setattr(node, field, _written_back(value, word.decode()))
    return tree


def _written_back(value: object, word: str) -> object:
    """A field of a node with ``async`` for the word that stands in its place."""
    match value:
        case str():
            return value.replace(word, "async")
        case bytes():
            return value.replace(word.encode(), b"async")
        case [str(), *_]:
            return [_written_back(each, word) for each in value]
    return value
