"""A copy of a function after what its original went through: statements are merged, layout stays."""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

from syncbot.patching.errors import CannotRewrite
from syncbot.patching.three_way.changed_stretches import stretches
from syncbot.patching.three_way.statement_rows import Row, indentation, lost, rows_of

_DEFINITION = re.compile(r"^(\s*(?:async\s+)?def\s+)(\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A place where a person has to say what comes: the lines of each side, dedented. ``id`` is a digest of
    what they say. ``names`` are those that one side uses and the other one sets in another way; without any,
    both changed the same statements. ``line`` is where it stands in the merged text, from 0. One is
    ``settled`` where only docstrings differ: the copy's stays, unless a resolution says otherwise."""

    id: str
    base: tuple[str, ...]
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    names: tuple[str, ...]
    line: int
    settled: bool = False

    def marked(self, indent: str, old: str, new: str) -> list[str]:
        """The lines with the marks that git makes, under the names of the original's versions."""
        said = f" (both use {', '.join(self.names)})" if self.names else ""
        ours, base, theirs = (indented(side, indent) for side in (self.ours, self.base, self.theirs))
        return [
            f"<<<<<<< ours {self.id}{said}", *ours,
            f"||||||| {old}", *base, "=======", *theirs, f">>>>>>> {new}",
        ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Merged:
    """The text after a merge, at the indentation of the copy, and what nobody has resolved: there the text
    has the copy's lines. ``used`` are the resolutions that it took; ``marked`` is the text with marks;
    ``docstrings`` are the settled conflicts."""

    text: str
    conflicts: tuple[Conflict, ...]
    used: frozenset[str]
    marked: str
    docstrings: tuple[Conflict, ...] = ()


#: Rows of the text, and the conflict that they are in.
_Piece: TypeAlias = tuple[Sequence[Row], Conflict | None]
#: The pieces of a merge, from the rows of the original as it was, of the copy, and of the original as it is.
_Division: TypeAlias = Callable[[Sequence[Row], Sequence[Row], Sequence[Row]], Iterator[_Piece]]


def merge(
    base: str,
    new: str,
    copy: str,
    resolutions: Mapping[str, Sequence[str]] = MappingProxyType({}),
    versions: tuple[str, str] = ("base", "new"),
) -> Merged:
    """Return the copy with what became of its original since ``base``. ``resolutions`` are dedented lines by
    the id of a conflict. A copy that has all of it already stays. Where the statements merge, but the whole
    is no function or would take the same change twice, all of it is one conflict. Raises CannotRewrite for
    what is no function."""
    done = _merged(base, new, copy, resolutions, versions)
    if not done.conflicts and not done.used and done.text not in (copy, new):
        again = _merged(base, new, done.text, {}, versions)
        if not _is_function(done.text) or not (again.conflicts or again.text == done.text):
            return _merged(base, new, copy, resolutions, versions, _as_one)
    if done.conflicts:
        before = _merged(new, base, copy, {}, versions)
        if not before.conflicts and before.text != copy:
            again = _merged(base, new, before.text, {}, versions)
            if not again.conflicts and again.text == copy:
                return again
    return done


def _merged(
    base: str,
    new: str,
    copy: str,
    resolutions: Mapping[str, Sequence[str]],
    versions: tuple[str, str],
    divided: _Division | None = None,
) -> Merged:
    name, indent = _name(copy), indentation(copy)
    was = rows_of(_named(base, name), f"the original of {versions[0]}")
    now = rows_of(_named(new, name), f"the original of {versions[1]}")
    text: list[str] = []
    marked: list[str] = []
    conflicts: list[Conflict] = []
    used: set[str] = set()
    for rows, conflict in _numbered((divided or _pieces)(was, rows_of(copy, "the copy"), now)):
        lines = shown = [line for row in rows for line in row.lines(indent)]
        if conflict is not None and conflict.id in resolutions:
            used.add(conflict.id)
            lines = shown = indented(resolutions[conflict.id], indent)
        elif conflict is not None:
            conflicts.append(replace(conflict, line=len(text)))
            shown = lines if conflict.settled else conflict.marked(indent, *versions)
        text += lines
        marked += shown
    settled, left = (tuple(c for c in conflicts if c.settled is each) for each in (True, False))
    return Merged("\n".join(text), left, frozenset(used), "\n".join(marked), settled)


def _numbered(pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """The pieces; of conflicts that say the same, the second has another id, and so on."""
    seen: Counter[str] = Counter()
    for rows, conflict in pieces:
        if conflict is not None:
            seen[conflict.id] += 1
            if seen[conflict.id] > 1:
                conflict = replace(conflict, id=f"{conflict.id}-{seen[conflict.id]}")
        yield rows, conflict


def _pieces(base: Sequence[Row], ours: Sequence[Row], theirs: Sequence[Row]) -> Iterator[_Piece]:
    by_them, by_us = lost(base, theirs), lost(base, ours)
    for stretch in stretches(*([row.key for row in rows] for rows in (base, ours, theirs))):
        was, mine, now = base[stretch.base], ours[stretch.ours], theirs[stretch.theirs]
        if not stretch.by_us and not stretch.by_them:
            yield list(map(_laid_out, was, mine, now)), None
        elif [row.key for row in mine] == [row.key for row in now]:
            yield mine, None
        elif stretch.by_us and stretch.by_them:
            yield mine, _conflict(was, mine, now, set())
        else:
            changed, gone = (mine, by_them) if stretch.by_us else (now, by_us)
            # A name that stood there before means what its maker makes it mean.
            names = (_read(changed) - _read(was)) & gone
            if names:
                yield mine, _conflict(was, mine, now, names)
            else:
                yield _with_comments(was, mine, changed), None


def _as_one(base: Sequence[Row], ours: Sequence[Row], theirs: Sequence[Row]) -> Iterator[_Piece]:
    yield ours, _conflict(base, ours, theirs, set())


def _is_function(text: str) -> bool:
    """Whether a text at any indentation is one: it is none where each side took a part of a block away."""
    try:
        ast.parse(f"if 1:\n{text}" if indentation(text) else text)
    except SyntaxError:
        return False
    return True


def _read(rows: Sequence[Row]) -> set[str]:
    return {name for row in rows for name in row.reads}


def _laid_out(was: Row, mine: Row, now: Row) -> Row:
    """A row that says the same everywhere: as the original has it now, if the copy had it as it was."""
    above = now.above if mine.above == was.above else mine.above
    return replace(now if mine.code == was.code else mine, above=above)


def _with_comments(was: Sequence[Row], mine: Sequence[Row], changed: Sequence[Row]) -> Sequence[Row]:
    """Changed rows below the comment that the copy alone has there."""
    if not (was and mine and changed) or mine[0].above == was[0].above:
        return changed
    return [replace(changed[0], above=mine[0].above), *changed[1:]]


def _conflict(was: Sequence[Row], mine: Sequence[Row], now: Sequence[Row], names: set[str]) -> Conflict:
    said = "\0".join(f"{side}{depth} {text}" for side, rows in enumerate((was, mine, now)) for row in rows
                     for depth, text in (row.key,))  # fmt: skip
    digest = hashlib.sha256(said.encode()).hexdigest()[:8]
    sides = [tuple(line for row in rows for line in row.lines("")) for rows in (was, mine, now)]
    statements = {tuple(row.key for row in rows if not row.docstring) for rows in (was, mine, now)}
    return Conflict(digest, sides[0], sides[1], sides[2], tuple(sorted(names)), 0, len(statements) == 1)


def indented(lines: Iterable[str], indent: str) -> list[str]:
    """Return lines at an indentation; empty ones stay empty."""
    return [indent + line if line else "" for line in lines]


def _name(function: str) -> str:
    found = _DEFINITION.search(function)
    if found is None:
        raise CannotRewrite("the copy is no function")
    return found[2]


def _named(function: str, name: str) -> str:
    """The function under another name."""
    return _DEFINITION.sub(lambda found: found[1] + name, function, count=1)
