"""The copies of upstream functions in a lane, as patches that bring each up to date."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from syncbot.api.every_node import children, every_node
from syncbot.api.syntax import syntax_tree
from syncbot.contracts.kinds.copies import CopyContract
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.model import Patch, UpstreamChange
from syncbot.patching.source import Source
from syncbot.patching.statement_rules import Lines
from syncbot.patching.three_way.recorded_merge import (
    Originals,
    RecordedMerge,
    merged_function,
    put_into,
)


@dataclass(frozen=True, slots=True)
class MergeOfCopy:
    """A patch with one merge. It needs an author where there are ``conflicts``, and where the merge cannot be
    made at all, for a reason that its notes have."""

    patch: Patch
    conflicts: int = 0


def merges_of(
    copies: Iterable[CopyContract],
    texts: Mapping[str, str],
    upstream: str,
    ends: tuple[str, str],
    originals: Originals,
) -> Iterator[MergeOfCopy]:
    """Yield a patch for each copy whose original changed between two versions of upstream, and not in its
    comments and docstrings alone."""
    seen: set[tuple[str, str]] = set()
    for copy in sorted(copies, key=lambda copy: (copy.place.location.file, copy.place.location.line)):
        place = copy.place.location
        within = _name_at(texts[place.file], place.line)
        if within is None or (place.file, within) in seen:
            continue
        seen.add((place.file, within))
        recorded = RecordedMerge(
            file=place.file, within=within, original=f"{copy.owner}.{copy.name}", base=ends[0], end=ends[1]
        )
        found = _merge(recorded, Source(texts[place.file], place.file), upstream, originals)
        if found is not None:
            yield found


def _merge(
    recorded: RecordedMerge, source: Source, upstream: str, originals: Originals
) -> MergeOfCopy | None:
    patch = Patch(
        id=_id(recorded),
        upstream=UpstreamChange(name=upstream, first_version=recorded.end),
        symbol=recorded.original,
        reason=f"Upstream changed a function of which {recorded.within} is a copy.",
        merges=(recorded,),
    )
    waiting = patch.model_copy(update={"status": "needs-author"})
    try:
        merged, end = merged_function(recorded, source, originals)
        changed = put_into(recorded, source, merged.text, end)
    except (NoMatch, CannotRewrite) as error:
        return MergeOfCopy(waiting.model_copy(update={"notes": f"{error}\n"}))
    if merged.conflicts:
        notes = "The lane's folder has the conflicts with marks: edit it, and run syncbot overlay absorb.\n"
        return MergeOfCopy(waiting.model_copy(update={"notes": notes}), len(merged.conflicts))
    return MergeOfCopy(patch) if _runs(changed) != _runs(source.text) else None


def _runs(text: str) -> str:
    """Return the syntax of a file without its comments and docstrings, to be compared."""
    tree = syntax_tree(text.lstrip("\ufeff").encode())
    for node in every_node(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Module():
                if ast.get_docstring(node, clean=False) is not None:
                    node.body[:1] = [] if node.body[1:] else [ast.Pass()]
    return ast.dump(tree)


def with_marks(source: Source, merges: Iterable[RecordedMerge], originals: Originals) -> str:
    """Return a file whose functions have the marks of conflicts, with the imports that the merges need
    whatever becomes of these. A function that cannot be merged stays as it is."""
    text, marked = source, []
    for recorded in merges:
        try:
            merged, end = merged_function(recorded, source, originals)
        except (NoMatch, CannotRewrite):
            continue  # such as an original that is gone: its patch says so
        marked.append((recorded.within, merged.marked))
        # What nothing gives is for whoever edits the file.
        with suppress(CannotRewrite):
            text = Source(put_into(recorded, text, merged.text, end), source.path)
    rows = text.text.split("\n")
    newline = "\r" if rows[0].endswith("\r") else ""
    known = Lines(text.text, source.path)
    placed = [(known.definition(within), lines) for within, lines in marked]
    for span, lines in sorted(placed, key=lambda each: each[0].start, reverse=True):
        rows[span.start : span.end] = [line + newline for line in lines.split("\n")]
    return "\n".join(rows)


def _id(recorded: RecordedMerge) -> str:
    words = f"{recorded.file.rpartition('/')[2].removesuffix('.py')}-{recorded.within}"
    return f"{re.sub('[+!]', '-', recorded.end)}-merge-{re.sub(r'[^a-z0-9]+', '-', words.lower()).strip('-')}"


def _name_at(text: str, line: int) -> str | None:
    """The dotted name of the function that begins on a line."""
    waiting: list[tuple[str, ast.AST]] = [("", ast.parse(text))]
    while waiting:
        prefix, node = waiting.pop()
        for child in children(node):
            inner = prefix
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{prefix}{child.name}."
                if child.lineno == line and not isinstance(child, ast.ClassDef):
                    return inner.removesuffix(".")
            waiting.append((inner, child))
    return None
