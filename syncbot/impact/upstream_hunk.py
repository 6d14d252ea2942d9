"""The upstream change behind an impact, as a short diff that a person can check."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Collection, Iterator, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.model import Attribute
from syncbot.api.symbols import Symbol
from syncbot.api.syntax import parse
from syncbot.api.universe import Universe
from syncbot.impact.model import Impact
from syncbot.impact.trees import Trees
from syncbot.upstream.model import Commit

LINES = 40


def upstream_hunk(trees: Trees, impact: Impact, commit: Commit) -> str:
    """The unified diff of an impact's symbol that a commit makes; empty where its own text did not change."""
    return difference(trees, impact.symbol, commit.parents[0], commit.sha) if commit.parents else ""


def difference(trees: Trees, symbol: str, old: str, new: str, words: Collection[str] = ()) -> str:
    """The unified diff of a symbol; of a module, only where one commit lacks it; of a member that only one
    has, what names it in its class. Of a long diff, parts with ``words`` come first. Empty if nothing
    changed."""
    universes = [trees.universe(trees.tree(commit)) for commit in (old, new)]
    found = [universe.resolve(symbol) for universe in universes]
    owner, _, name = symbol.rpartition(".")
    shown = [_shown(each) for each in found]
    only = ""
    if not all(shown):
        owners = [_class(universe, owner) for universe in universes]
        if all(owners) or not any(shown):
            # What has no text of its own, such as the constructor of a dataclass, or no longer: then that of
            # its class, which may show what took its place.
            found, only = owners, name if any(shown) else ""
    if all(each is not None and each.kind == "module" for each in found):
        return ""
    before, after = (_text(universe, each) for universe, each in zip(universes, found, strict=True))
    if before == after:
        return ""
    diff = list(difflib.unified_diff(before, after, symbol, symbol, n=2, lineterm=""))
    if only:
        diff = [*diff[:2], *(line for part in _parts(diff) if _names(part, [only]) for line in part)]
    return "\n".join(_cut(diff, words))


def _class(universe: Universe, name: str) -> Symbol | None:
    found = universe.resolve(name)
    return found if found is not None and found.kind == "class" else None


def _cut(diff: Sequence[str], words: Collection[str]) -> Sequence[str]:
    """At most ``LINES`` of the lines of a diff, and one that counts the others."""
    if len(diff) <= LINES:
        return diff
    parts = sorted(_parts(diff), key=lambda part: not _names(part, words))
    kept = [*diff[:2], *(line for part in parts for line in part)][:LINES]
    return [*kept, f"… {len(diff) - LINES} more lines"]


def _parts(diff: Sequence[str]) -> list[list[str]]:
    """The parts of a diff, each with its line ``@@`` first."""
    parts: list[list[str]] = []
    for line in diff[2:]:
        if line.startswith("@@"):
            parts.append([])
        parts[-1].append(line)
    return parts


def _names(part: Sequence[str], words: Collection[str]) -> bool:
    return any(word in line for line in part[1:] for word in words if word)


def _shown(symbol: Symbol | None) -> bool:
    return symbol is not None and (bool(symbol.nodes) or symbol.kind == "module")


def _text(universe: Universe, symbol: Symbol | None) -> list[str]:
    """The lines of a definition, or of a whole module."""
    tree = universe.tree_of(symbol.module) if symbol is not None else None
    source = tree.source(symbol.module) if tree is not None and symbol is not None else None
    if symbol is None or source is None:
        return []
    lines = source.decode("utf-8", "replace").splitlines()
    if symbol.kind == "module":
        return lines
    return [line for first, last in _spans(symbol, source) for line in lines[first - 1 : last]]


def _spans(symbol: Symbol, source: bytes) -> Iterator[tuple[int, int]]:
    """First and last line of each definition; of a variable, those of the statement that gives it."""
    for node in symbol.nodes:
        yield (node.line, _end(node, source) if isinstance(node, Attribute) else node.end_line)


def _end(attribute: Attribute, source: bytes) -> int:
    try:
        tree = parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return attribute.line
    ends = (
        node.end_lineno or node.lineno
        for node in every_node(tree)
        if isinstance(node, ast.stmt) and node.lineno == attribute.line
    )
    return max(ends, default=attribute.line)
