"""How texts use a name: as a method that is handed on, as a base, as an attribute, in a string, or imported
as another one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncbot.api.remembered_answers import remembered
from syncbot.api.tree import ModuleTree

_IMPORTED = re.compile(rb"^[ \t]*from\s+[\w.]+\s+import\s+(?:\([^)]*\)|[^\n(]*)", re.MULTILINE)
_EXPORTED = re.compile(rb"^__all__\s*\+?=\s*[\[(][^\])]*[\])]", re.MULTILINE)


@remembered(8192)
def classes_deriving(source: bytes, class_: str) -> int:
    """How many classes of a text name one among their bases."""
    derived = re.compile(rb"^[ \t]*class\s+\w+\([^)]*\b%s\b" % class_.encode(), re.MULTILINE)
    return len(derived.findall(source))


@remembered(8192)
def hands_on(source: bytes, method: str) -> bool:
    """Whether a text has the name of a method otherwise than called; what is imported so is no method."""
    rest = _IMPORTED.sub(b"", source) if b"import " in source else source
    return re.search(rb"\b%s\b(?!\s*\()" % method.encode(), rest) is not None


@remembered(8192)
def asks_for(source: bytes, name: str) -> bool:
    """Whether a text has a name behind a point that is no import's, or in a string outside ``__all__``."""
    source, word = _EXPORTED.sub(b"", source), re.escape(name.encode())
    asked = rb"\.%(n)s\b(?! import\b)|[\"'][\w.:]*\b%(n)s[\"']" % {b"n": word}
    return re.search(asked, source) is not None


def imported_as(tree: ModuleTree, name: str) -> Iterator[tuple[str, str]]:
    """The modules of a tree that import something of a name under another one, each with that one."""
    for module in tree.mentioning(tree.modules, f"{name} as "):
        for other in _renaming(tree.source(module) or b"", name):
            yield module, other


@remembered(2048)
def _renaming(source: bytes, name: str) -> tuple[str, ...]:
    renamed = re.compile(rb"\b%s\s+as\s+(\w+)" % re.escape(name.encode()))
    found = {other for statement in _IMPORTED.findall(source) for other in renamed.findall(statement)}
    return tuple(sorted(other.decode() for other in found if other.decode() != name))
