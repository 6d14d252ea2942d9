"""Sentences about single facts: what changes, from what to what, with similar facts in one sentence."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from syncbot.impact.facts.collect import module_name
from syncbot.impact.facts.model import Change
from syncbot.report.catalogue import Words
from syncbot.report.phrases import Line, line, listed, literal

_FILES, _NAMES, _LINES = 2, 3, 6
_CUT = 120
# Of entries and variables only the names are told, so that more have room.
_ENTRIES_NAMED = 12

# One sentence for all changes of a kind, in this order.
_TOGETHER = (
    *("class-added", "function-added", "method-added", "class-removed", "function-removed"),
    *("method-removed", "export-removed", "kernel-added", "kernel-changed", "kernel-removed"),
    *("operator-added", "operator-removed", "registration-added", "registration-removed"),
    *("assignment-removed", "body"),
)

# One sentence for each change.
SINGLE = (
    *("symbol-moved", "symbol-renamed", "bases", "decorators"),
    *(
        f"{what}-{how}"
        for what in ("field", "attribute", "variable")
        for how in ("added", "value", "removed")
    ),
    *(f"{what}-{how}" for what in ("environment", "option") for how in ("added", "changed", "removed")),
    *("operator-changed", "registry-added", "registry-changed", "registry-removed", "registration-changed"),
    *(f"requirement-{how}" for how in ("added", "changed", "removed")),
)

_ENTRIES = ("registry-added", "registry-removed")

NAMED = ("environment-removed", "option-removed")

_VALUED = ("field", "attribute", "variable", "environment", "option")

_INHERITED = ("field-removed", "attribute-removed")

PARTS = (
    *("removed", "absorbed", "required", "now-required", "keyword-only"),
    *("optional", "default", "reordered"),
)

#: Every kind of change that has a sentence of its own, for the catalogues.
KINDS = (*_TOGETHER, *SINGLE, "module-added", "module-removed", "module-moved", "signature")


def without_doubles(changes: Sequence[Change]) -> list[Change]:
    """Without variables that a module names once more, for type checkers: environment variables it reads."""
    names = {c.symbol for c in changes if c.kind.startswith("environment-")}
    return [
        c for c in changes if not (c.kind.startswith("variable-") and c.symbol.rpartition(".")[2] in names)
    ]


def modules(changes: Sequence[Change], words: Words) -> Iterator[Line]:
    """New, removed and moved modules, with what they define."""
    for kind in ("module-added", "module-removed", "module-moved"):
        defines = "which_defined" if kind == "module-removed" else "which_defines"
        found = [c for c in changes if c.kind == kind]
        for change in found[:_NAMES]:
            names = listed([literal(name) for _, name in change.parts], words, _NAMES)
            text = _sentence(change, words)
            yield line(text + words("gap") + words(defines, names=names) if names else text)
        yield from rest(len(found) - _NAMES, words)


def signatures(changes: Sequence[Change], words: Words) -> Iterator[Line]:
    """Functions whose parameters change in the same way share a sentence."""
    alike: dict[tuple[str | None, str | None], list[Change]] = {}
    for change in changes:
        alike.setdefault((change.before, change.after), []).append(change)
    groups = sorted(alike.items(), key=lambda group: -len(group[1]))
    for (before, after), group in groups[:_LINES]:
        names = by_file(group, words)
        if is_long(group[0]):
            yield line(words("fact_parameters", names=names, what=parameters(group[0].parts, words)))
        else:
            values = {"before": literal(before or ""), "after": literal(after or "")}
            yield line(words("fact_signature", names=names, **values))
    yield from rest(len(groups) - _LINES, words)


def is_long(signature: Change) -> bool:
    """Whether a signature is told by its parameters that changed."""
    return max(len(signature.before or ""), len(signature.after or "")) > _CUT


def together(changes: Sequence[Change], words: Words) -> Iterator[Line]:
    """The kinds of changes that share one sentence, names by file."""
    for kind in _TOGETHER:
        found = [c for c in changes if c.kind == kind]
        for kept in (False, True):
            some = [c for c in found if c.kept is kept]
            if some:
                # Of bodies there are many, and a name says where to look.
                names = _named(some, words) if kind == "body" else by_file(some, words)
                text = words(f"fact_{kind}", names=names)
                yield line(text + words("gap") + words("still_there") if kept else text)
    inherited = [c for c in changes if c.kept and c.kind in _INHERITED]
    if inherited:
        yield line(words("inherited", names=by_file(inherited, words)))


def each(changes: Sequence[Change], kinds: Iterable[str], words: Words) -> Iterator[Line]:
    """Changes of these kinds, a sentence each; entries and names that are many, together."""
    for kind in kinds:
        found = [c for c in changes if c.kind == kind and not (c.kept and kind in _INHERITED)]
        if kind in _ENTRIES:
            yield from _tables(found, kind, words)
            found = [c for c in found if _table(c) not in _many(found)]
        if kind in NAMED and len(found) > 2:
            names = [literal(change.symbol) for change in found]
            yield line(words(f"fact_{kind}-many", names=listed(names, words, _ENTRIES_NAMED)))
            continue
        for change in found[:_LINES]:
            text = _sentence(change, words)
            yield line(text + words("gap") + words("still_there") if change.kept else text)
        yield from rest(len(found) - _LINES, words)


def _tables(changes: Sequence[Change], kind: str, words: Words) -> Iterator[Line]:
    """Tables that gain or lose several entries, each in one sentence."""
    many = _many(changes)
    for table in many[:_LINES]:
        symbols = [c.symbol for c in changes if _table(c) == table]
        entries = [literal(symbol.partition("[")[2].removesuffix("]")) for symbol in symbols]
        names = listed(entries, words, _ENTRIES_NAMED)
        yield line(words(f"fact_{kind}-many", symbol=literal(table), names=names))
    yield from rest(len(many) - _LINES, words)


def _many(changes: Iterable[Change]) -> list[str]:
    counts = Counter(_table(change) for change in changes)
    return [table for table, count in counts.items() if count > 2]


def _table(change: Change) -> str:
    return change.symbol.partition("[")[0]


def _sentence(change: Change, words: Words) -> str:
    if change.kind == "bases":
        return _bases(change, words)
    without = words("no_value")
    what, how = change.kind.partition("-")[::2]
    key = f"fact_{change.kind}"
    if what in _VALUED:
        values = (change.before or "", change.after or "")
        bare = not (change.after if how == "added" else change.before)
        if how in ("added", "removed") and bare and f"{key}-bare" in words.entries:
            key += "-bare"
        # Both would be cut before they differ, or one of them is a wall of text.
        if how == "value" and max(map(len, values)) > _CUT:
            key += "-long"
    return words(
        key,
        symbol=literal(change.symbol),
        file=literal(change.file),
        before=literal(change.before) if change.before else without,
        after=literal(change.after) if change.after else without,
    )


def _bases(change: Change, words: Words) -> str:
    """Return the bases that a class gains and loses; both lists if more changed, such as their order."""
    before, after = (_listed_bases(text) for text in (change.before, change.after))
    added = [literal(base) for base in after if base not in before]
    removed = [literal(base) for base in before if base not in after]
    kept = [base for base in before if base in after] == [base for base in after if base in before]
    if not kept or not (added or removed):
        old, new = literal(change.before or "object"), literal(change.after or "object")
        return words("fact_bases", symbol=literal(change.symbol), before=old, after=new)
    groups = (("added", added), ("removed", removed))
    said = [words(f"base_{how}", names=listed(names, words)) for how, names in groups if names]
    return words("fact_bases-changed", symbol=literal(change.symbol), what="; ".join(said))


def _listed_bases(text: str | None) -> list[str]:
    """The bases in the parentheses of a class, as its source has them."""
    try:
        call = ast.parse(f"f({text or ''})", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return [text or ""]
    assert isinstance(call, ast.Call)
    return [ast.unparse(node) for node in (*call.args, *call.keywords)]


def rest(count: int, words: Words) -> Iterator[Line]:
    """How many more there are, if any."""
    if count > 0:
        yield line(words.count("more_alike", count))


def by_file(changes: Sequence[Change], words: Words) -> str:
    """Names as their modules have them, with the file that they are in."""
    files: dict[str, list[str]] = {}
    for change in changes:
        files.setdefault(change.file, []).append(literal(short(change)))
    shown = [
        words("in_file", names=listed(names, words, _NAMES), file=literal(file))
        for file, names in list(files.items())[:_FILES]
    ]
    rest = sum(len(names) for names in list(files.values())[_FILES:])
    return "; ".join(shown) + (f" {words.count('more', rest)}" if rest else "")


def _named(changes: Sequence[Change], words: Words) -> str:
    return listed([literal(short(change)) for change in changes], words, _NAMES)


def short(change: Change) -> str:
    """The name as its module has it."""
    return change.symbol.removeprefix(f"{module_name(change.file)}.")


def parameters(parts: Iterable[tuple[str, str]], words: Words) -> str:
    """Return the changes to the parameters of a function."""
    found: dict[str, list[str]] = {}
    for what, name in parts:
        found.setdefault(what, []).append(literal(name))
    said = (words(f"parameter_{what}", names=listed(found[what], words)) for what in PARTS if what in found)
    return "; ".join(said)
