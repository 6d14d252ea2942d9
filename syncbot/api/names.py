"""The names that modules define anywhere, told from their text alone: cheap, and none is missed."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable

from syncbot.api.recently_used import RecentlyUsed
from syncbot.api.remembered_answers import remembered
from syncbot.api.tree import BlobValues, ModuleTree

_IS_DEFINED = rb"(\w+)(?=[ \t]*(?:\(|:|=[^=]|,|\[))"
# One by one: what begins with the same letters everywhere is found faster than one of several.
_DEFINED = [re.compile(head + _IS_DEFINED) for head in (rb"\n[ \t]+", rb"\bdef ", rb"\bself\.", rb"\bcls\.")]
_NAMED_TUPLE = re.compile(rb"\b[nN]amed[tT]uple\((.*?)\)[ \t:)]*(?:#.*)?$", re.MULTILINE | re.DOTALL)


# A backend's files are asked again in each state of it that is thought through.
@remembered(2048)
def defined_names(source: bytes) -> frozenset[str]:
    """Names after ``def``, those that are annotated, assigned or called on ``self`` or in a body, and the
    words of a call that makes a named tuple."""
    lines = b"\n" + source
    found = {name for pattern in _DEFINED for name in pattern.findall(lines)}
    if b"uple(" in source:
        found.update(word for call in _NAMED_TUPLE.findall(source) for word in re.findall(rb"\w+", call))
    return frozenset(name.decode() for name in found)


class NameIndex:
    """The defined names of each blob, kept in memory; ``values`` has them by blob."""

    def __init__(self, values: BlobValues[frozenset[str]]) -> None:
        self._values = values
        self._known = RecentlyUsed[str, tuple[str, ...]](6000)

    def get(self, blob: str, read: Callable[[str], bytes], /) -> tuple[str, ...]:
        """The names of one blob, each once."""
        known = self._known.get(blob)
        if known is None:
            # Most names stand in many blobs: they are kept once.
            known = self._known.put(blob, tuple(map(sys.intern, self._values.get(blob, read))))
        return known


class DefinedNames:
    """The names that modules of one tree define."""

    def __init__(self, tree: ModuleTree, index: NameIndex) -> None:
        self._tree = tree
        self._index = index

    def counted(self, modules: Iterable[str]) -> Counter[str]:
        """How many of some modules define each name."""
        found: Counter[str] = Counter()
        for module in modules:
            found.update(self._tree.derived(module, self._index) or ())
        return found

    def count(self, modules: Iterable[str], name: str) -> int:
        """How many of some modules define one name."""
        return sum(name in (self._tree.derived(module, self._index) or ()) for module in modules)

    def homes(self, modules: Iterable[str], name: str) -> list[str]:
        """Those of some modules that define a name; this counts as a look at them."""
        homes = [m for m in modules if name in (self._tree.derived(m, self._index) or ())]
        self._tree.note(homes)
        return homes
