"""Where the class or function that an error names stands in the trees of a range, and what it takes there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncbot.api.signatures import Signature, constructor, function_signatures
from syncbot.api.symbols import Symbol
from syncbot.triage.tree_inquiry import Inquiry, View

# A name that so many definitions have says nothing.
_MOST_HOMES = 8


def classes(inquiry: Inquiry, name: str) -> Iterator[tuple[list[str], float]]:
    """The names a class has or had, and what a change of it says: less, if more classes have the name."""
    yield from _homes(inquiry, name, (f"class {name}(", f"class {name}:"), "class")


def functions(inquiry: Inquiry, name: str, *, methods: bool = False) -> Iterator[tuple[list[str], float]]:
    """Likewise for a function, or with ``methods`` for methods too."""
    yield from _homes(inquiry, name, (f"def {name}(",), "method" if methods else "function")


def resolved(view: View, homes: Sequence[str], kind: str) -> Symbol | None:
    """The first of some names that is there, if it is of a kind."""
    symbols = (view.universe.resolve(home) for home in homes)
    return next((found for found in symbols if found is not None and found.kind == kind), None)


def signatures(view: View, homes: Sequence[str], method: str) -> Sequence[Signature]:
    """Return the signatures of a class's ``method``, or of a function if that is empty; none if unknown."""
    if not method:
        found = resolved(view, homes, "function")
        return function_signatures(found.functions, bound=False) if found is not None else ()
    symbol = resolved(view, homes, "class")
    if symbol is None:
        return ()
    if method in ("__init__", "__new__"):
        made = constructor(view.universe, symbol)
        return made[0] if made is not None else ()
    member = view.universe.member(symbol, method)
    if member is None:
        return ()
    static = any("staticmethod" in f.decorators for f in member.functions)
    return function_signatures(member.functions, bound=not static)


def _homes(inquiry: Inquiry, name: str, texts: Sequence[str], kind: str) -> Iterator[tuple[list[str], float]]:
    before, after = (_defining(view, name, texts, kind) for view in (inquiry.old, inquiry.new))
    gone, come = [n for n in before if n not in after], [n for n in after if n not in before]
    stayed = [[n] for n in after if n in before]
    moved = [[*come, *gone]] if len(come) <= 1 else [[n] for n in come] + [[n] for n in gone]
    groups = [group for group in (*stayed, *moved) if group]
    ours = [n for n in _in_backend(inquiry.new, name, kind) if n not in after]
    groups += [[n] for n in ours]
    if 0 < len(groups) <= _MOST_HOMES:
        strength = 0.9 if len(groups) == 1 else 0.6
        yield from ((group, strength) for group in groups)


def _defining(view: View, name: str, texts: Sequence[str], kind: str) -> list[str]:
    return [found for module in view.mentioning(*texts) for found in _within(view, module, name, kind)]


def _in_backend(view: View, name: str, kind: str) -> list[str]:
    files = [f for f in view.trees.backend.files if not f.is_test and name.encode() in f.text]
    return [found for file in files for found in _within(view, file.module, name, kind)]


def _within(view: View, module: str, name: str, kind: str) -> Iterator[str]:
    table = view.universe.table(module)
    if table is None:
        return
    if kind == "class" and any(c.name == name for c in table.classes):
        yield f"{module}.{name}"
    if kind != "class" and any(f.name == name for f in table.functions):
        yield f"{module}.{name}"
    if kind == "method":
        for owner in table.classes:
            if any(f.name == name for f in owner.functions):
                yield f"{module}.{owner.name}.{name}"
