"""A copy of an upstream function follows its original: what a patch file has of that, and what is done."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, Self

from packaging.version import Version
from pydantic import Field, PrivateAttr, model_validator

from syncbot.api.every_node import children, every_node
from syncbot.patching.argument_types import Dotted, ReleaseVersion, SourcePath, Symbol
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.free_names import free_names, with_imports
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.difference import changed
from syncbot.patching.source import Source
from syncbot.patching.statement_rules import Lines
from syncbot.patching.three_way.function_merge import Conflict, Merged, merge
from syncbot.patching.three_way.statement_rows import reads
from syncbot.patching.yaml_documents import Document

_KNOWN = frozenset(dir(builtins)) | {"__name__", "__file__"}


@dataclass(frozen=True, slots=True)
class Imported:
    """The statement that gives a name, and whether it is for type checkers alone."""

    statement: str
    typing_only: bool


@dataclass(frozen=True, slots=True)
class OriginalText:
    """The text of an upstream function in one version, and what gives the names of its module."""

    text: str
    imports: Mapping[str, Imported]


class Originals(Protocol):
    """Knows upstream's functions."""

    def original(self, symbol: str, version: str) -> OriginalText:
        """Return a function. Raises NoMatch where that version has none of the name."""


class Resolution(Document):
    """The replacement of one conflict: the lines of one side, as they are or changed, or others."""

    conflict: str = Field(description="the id of the conflict, as its mark tells it")
    take: Literal["ours", "theirs", "base"] | None = None
    diff: str | None = Field(default=None, description="hunks that change the side taken")
    lines: str | None = Field(default=None, description="what stands there, dedented")

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if (self.take is None) == (self.lines is None):
            raise ValueError("a resolution takes one side, or has lines")
        if self.diff is not None and self.take is None:
            raise ValueError("a diff changes a side: take one")
        return self

    def of(self, conflict: Conflict) -> Sequence[str]:
        """Return the lines for that conflict. Raises NoMatch, CannotRewrite where the diff does not fit."""
        if self.take is not None:
            sides = {"ours": conflict.ours, "theirs": conflict.theirs, "base": conflict.base}
            side = sides[self.take]
            return side if self.diff is None else changed(side, self.diff, f"conflict {self.conflict}")
        return (self.lines or "").removesuffix("\n").split("\n") if self.lines else ()


class RecordedMerge(Document):
    """A function of the backend that was copied from an upstream one, and gets what changed in that from
    version ``base`` to version ``end``. The merge is made anew each time: here stands what no merge knows."""

    file: SourcePath
    within: Dotted = Field(description="the copy, as Class.method")
    original: Symbol = Field(description="upstream's function, dotted")
    now: Symbol | None = Field(default=None, description="its name at the end, where that is another one")
    base: ReleaseVersion = Field(description="the version that the copy follows")
    end: ReleaseVersion = Field(description="the version that it shall follow")
    resolutions: tuple[Resolution, ...] = ()

    def texts(self, originals: Originals) -> tuple[OriginalText, OriginalText]:
        """Return the original at both ends. Raises NoMatch."""
        return originals.original(self.original, self.base), originals.original(
            self.now or self.original, self.end
        )


class MergedCopy(Rule):
    """One merge of a patch, as it is applied."""

    name = "merge"
    recorded: RecordedMerge
    _originals: Originals | None = PrivateAttr(default=None)

    def decided_by(self) -> str | None:
        """Return the merge, and upstream's functions."""
        if self._originals is None:
            return None
        try:
            return f"{super().decided_by()} {self.recorded.texts(self._originals)}"
        except (NoMatch, CannotRewrite):
            return None  # applied, it says so

    def needles(self, forward: bool) -> tuple[str, ...]:
        """The file holds the name of the copy."""
        return (f"def {self.recorded.within.rpartition('.')[2]}",)

    def concerns(self, path: str) -> bool:
        """Only the one file."""
        return path == self.recorded.file

    def forward(self, source: Source) -> str:
        """Follow upstream to a newer version."""
        return self._applied(source, Version(self.recorded.base) < Version(self.recorded.end), "newer")

    def backward(self, source: Source) -> str:
        """Go back to an older version."""
        return self._applied(source, Version(self.recorded.base) > Version(self.recorded.end), "older")

    def mirror(self) -> Rule:
        """None: what a merge leaves out nobody can put back."""
        raise CannotRewrite(f"a merge from {self.recorded.base} to {self.recorded.end} has no way back")

    def _applied(self, source: Source, right: bool, wanted: str) -> str:
        recorded = self.recorded
        if not right:
            raise CannotRewrite(
                f"{source.path}: the merge leads from {recorded.base} to {recorded.end}, "
                f"and this lane is {wanted} than the baseline: record another one for it"
            )
        if self._originals is None:
            raise CannotRewrite(f"{source.path}: a merge needs upstream's own texts, which are not read here")
        done, end = merged_function(recorded, source, self._originals)
        unused = [r.conflict for r in recorded.resolutions if r.conflict not in done.used]
        if done.conflicts:
            first = done.conflicts[0]
            raise CannotRewrite(
                f"{source.path}: {recorded.within} has {len(done.conflicts)} conflicts with {recorded.end} "
                f"that nobody resolved: the first is {first.id}"
            )
        if unused:
            raise CannotRewrite(f"{source.path}: {recorded.within} has no conflict {unused[0]}")
        return put_into(recorded, source, done.text, end)


def bound(recorded: RecordedMerge, originals: Originals | None) -> MergedCopy:
    """Return the rule of a merge, which looks up originals there."""
    rule = MergedCopy(recorded=recorded)
    rule._originals = originals
    return rule


def merged_function(
    recorded: RecordedMerge, source: Source, originals: Originals
) -> tuple[Merged, OriginalText]:
    """Return the function after the merge, with its indentation, and the original at the end. Raises NoMatch,
    CannotRewrite."""
    lines = Lines(source.text, source.path)
    span = lines.definition(recorded.within)
    base, end = recorded.texts(originals)
    copy = "\n".join(source.text.split("\n")[span.start : span.end]).replace("\r", "")
    versions = (recorded.base, recorded.end)
    done = merge(base.text, end.text, copy, versions=versions)
    by_id = {resolution.conflict: resolution for resolution in recorded.resolutions}
    known = {c.id: by_id[c.id].of(c) for c in (*done.conflicts, *done.docstrings) if c.id in by_id}
    return (merge(base.text, end.text, copy, known, versions) if known else done), end


def put_into(recorded: RecordedMerge, source: Source, function: str, end: OriginalText) -> str:
    """Return the file with another text of the function, and the imports that this needs. Raises NoMatch, and
    CannotRewrite where the function would read what nothing gives."""
    span = Lines(source.text, source.path).definition(recorded.within)
    rows = source.text.split("\n")
    newline = "\r" if rows[0].endswith("\r") else ""
    before = "\n".join(rows[span.start : span.end])
    rows[span.start : span.end] = [line + newline for line in function.split("\n")]
    new = _free(function) - _free(before) - _KNOWN - _top_level(source.text)
    missing = sorted(new - end.imports.keys())
    if missing:
        raise CannotRewrite(
            f"{source.path}: after the merge {recorded.within} would read {missing[0]}, which nothing gives"
        )
    needed = [end.imports[name] for name in sorted(new)]
    if late := sorted(name for name in new & _running(function) if end.imports[name].typing_only):
        raise CannotRewrite(
            f"{source.path}: {late[0]} is imported for type checkers alone, but the merge runs it"
        )
    plain, typing = (
        {f"{each.statement}{newline}" for each in needed if each.typing_only is only}
        for only in (False, True)
    )
    return with_imports("\n".join(rows), plain, typing)


def _alone(function: str) -> str:
    """A method's text as a module: its indentation stays, since strings may have lines without."""
    return f"if 1:\n{function}" if function[:1].isspace() else function


def _free(function: str) -> set[str]:
    try:
        return free_names(_alone(function))
    except SyntaxError as error:
        raise CannotRewrite(f"the function is no Python: {error.msg}") from error


def _running(function: str) -> frozenset[str]:
    """The names that a function reads when it runs: those of annotations are left out."""
    tree = ast.parse(_alone(function))
    for node in every_node(tree):
        if isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
    return reads(tree)


def _top_level(text: str) -> set[str]:
    """The names that a module binds outside of functions and classes."""
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(text.lstrip("\ufeff"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        else:
            waiting += children(node)
    return found
