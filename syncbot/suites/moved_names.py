"""Names of upstream that a file of tests asks for and that stand elsewhere in the lane's upstream."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from syncbot.api.symbols import Symbol
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.import_moved import ImportMoved
from syncbot.patching.rewrites.string_renamed import StringRenamed
from syncbot.suites.failing_code import parsed
from syncbot.suites.lane_sources import LaneSources

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


def moves(text: bytes, release: LaneSources, lane: LaneSources) -> list[Rule]:
    """Return the rewrites of what a file imports from upstream, or names in strings as mocks do, that
    upstream has at one other place now. What upstream has no more is left out."""
    tree = parsed(text)
    asked = dict.fromkeys(_asked(tree)) if tree is not None else {}
    found: dict[Rule, None] = {}
    for dotted in asked:
        old = _leading(dotted, release) if release.is_upstream(dotted) else None
        new = home(old, release, lane) if old is not None else None
        if old is not None and new is not None:
            found[ImportMoved(old=old.name, new=new)] = None
            found[StringRenamed(old=old.name, new=new)] = None
    return list(found)


def home(old: Symbol, release: LaneSources, lane: LaneSources) -> str | None:
    """The one place where upstream has a definition of the same name now that it had not; None where it still
    has the old one, or none or several new ones."""
    if lane.universe.resolve(old.name) is not None:
        return None
    if old.kind == "module":
        last = old.name.rpartition(".")[2]
        names = [
            name
            for tree in lane.universe.trees
            for name in tree.modules
            if name.rpartition(".")[2] == last and lane.is_upstream(name)
        ]
    else:
        names = [each.name for each in lane.named(old.qualname) if each.kind == old.kind]
    fresh = [name for name in names if lane.is_upstream(name) and release.universe.resolve(name) is None]
    return fresh[0] if len(fresh) == 1 else None


def _asked(tree: ast.Module) -> Iterator[str]:
    """The dotted names that a module imports, and those that its strings are."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _DOTTED.fullmatch(node.value):
            yield node.value


def _leading(dotted: str, release: LaneSources) -> Symbol | None:
    """The module, or what stands at the top of one, that a dotted name begins with at the release."""
    parts = dotted.split(".")
    for length in range(2, len(parts) + 1):
        found = release.universe.resolve(".".join(parts[:length]))
        if found is None:
            return None
        if found.kind != "module":
            return found if found.name == ".".join(parts[:length]) else None
    return release.universe.resolve(dotted)
