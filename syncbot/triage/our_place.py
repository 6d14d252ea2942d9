"""The line of the plugin that an error is about, and the rewrite of just that line."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.remembered_answers import remembered
from syncbot.api.syntax import syntax_tree
from syncbot.contracts.sources import Backend
from syncbot.impact.model import Fix, Impact, Location
from syncbot.triage.log_paths import Place
from syncbot.triage.matching_impacts import is_about
from syncbot.triage.model import Symptom

_CONSTRUCTORS = ("__init__", "__new__")


def our_place(
    backend: Backend, symptom: Symptom | None, places: Sequence[Place], impacts: Sequence[Impact]
) -> Location | None:
    """Return the plugin's line that an error is about: where its own code failed, its own class or function
    that the error names, the innermost in the traceback, or the first of an impact that is about what the
    error names. None where none is known. ``impacts`` are the first suspect's, the likeliest first."""
    named = list(_definitions(backend, symptom)) if symptom is not None else []
    about = [i for i in impacts if symptom is not None and is_about(i, symptom)]
    inside = (at for i in about for at in i.locations if any(_is_inside(at, each) for each in named))
    failed_in_ours = bool(places) and places[-1].ours
    candidates = [
        next(inside, None),
        _in_traceback(places, impacts) if failed_in_ours else None,
        named[0][0] if named else None,
        _in_traceback(places, impacts),
        next(_calls(backend, symptom), None) if symptom is not None else None,
        next((at for impact in (*about, *impacts) for at in impact.locations), None),
    ]
    return next((each for each in candidates if each is not None), None)


def _in_traceback(places: Sequence[Place], impacts: Sequence[Impact]) -> Location | None:
    """The plugin's innermost line in a traceback, as an impact of the same statement has it."""
    innermost = next((place for place in reversed(places) if place.ours), None)
    if innermost is None:
        return None
    lines = {innermost.frame.line}
    if innermost.statement is not None:
        lines.add(innermost.statement.lineno)
    there = (at for i in impacts for at in i.locations if at.file == innermost.path and at.line in lines)
    return next(there, Location(innermost.path, innermost.frame.line))


def mend_of(place: Location | None, impacts: Sequence[Impact]) -> Fix | None:
    """Return the rewrite of the impact that stands at a place; none is promised for another line."""
    if place is None:
        return None
    here = (i for i in impacts if any((at.file, at.line) == (place.file, place.line) for at in i.locations))
    return next((impact.fix for impact in here if impact.fix is not None), None)


def _calls(backend: Backend, symptom: Symptom) -> Iterator[Location]:
    """Where the plugin passes a keyword to what did not take it, by the name in the error."""
    parts = symptom.subject.replace(".<locals>", "").split(".")
    name = parts[-2] if parts[-1] in _CONSTRUCTORS and len(parts) > 1 else parts[-1]
    if symptom.kind != "unexpected-keyword" or not name:
        return
    for file in backend.files:
        if not file.is_test and name in file.words:
            yield from (Location(file.path, line) for line in _passing(file.text, name, symptom.names))


@remembered(64)
def _passing(text: bytes, name: str, keywords: tuple[str, ...]) -> tuple[int, ...]:
    """The lines of the calls of a name that pass one of some keywords."""
    try:
        tree = syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    calls = (node for node in every_node(tree) if isinstance(node, ast.Call))
    return tuple(
        call.lineno
        for call in calls
        if name in (getattr(call.func, "attr", ""), getattr(call.func, "id", ""))
        and any(keyword.arg in keywords for keyword in call.keywords)
    )


def _is_inside(at: Location, defined: tuple[Location, int]) -> bool:
    first, last = defined
    return at.file == first.file and first.line <= at.line <= last


def _definitions(backend: Backend, symptom: Symptom) -> Iterator[tuple[Location, int]]:
    """Where the plugin defines the class or function that an error names, and where that ends: the method of
    the class if there is one."""
    parts = symptom.subject.replace(".<locals>", "").split(".")
    if not parts[0] or symptom.of_module or symptom.kind in ("no-module", "cannot-import", "operator"):
        return
    owner, method = (parts[-2], parts[-1]) if len(parts) > 1 else (parts[-1], "")
    if symptom.kind == "abstract-class":
        owner, method = parts[-1], ""
    for file in backend.files:
        if not file.is_test and owner in file.words:
            found = _lines(file.text, owner, method)
            if found is not None:
                yield Location(file.path, found[0]), found[1]


@remembered(64)
def _lines(text: bytes, owner: str, method: str) -> tuple[int, int] | None:
    """The lines of a class's method, else of the class or function itself; None where there is no such."""
    try:
        tree = syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name == owner:
            inner = node.body if isinstance(node, ast.ClassDef) else []
            for each in inner:
                if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and each.name == method:
                    return each.lineno, each.end_lineno or each.lineno
            # A constructor that the class inherits is not what takes something.
            return node.lineno, node.end_lineno or node.lineno
    return None
