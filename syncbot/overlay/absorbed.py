"""Turns somebody's edits in a lane's folder into rewrites and resolutions that make them again."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Literal

from syncbot.api.every_node import children, every_node
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.model import Patch, Rewrite
from syncbot.patching.proposals import fix
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.difference import Difference, difference
from syncbot.patching.rewrites.function_parameter_added import FunctionParameterAdded
from syncbot.patching.source import Source
from syncbot.patching.statement_rules import Lines
from syncbot.patching.three_way.function_merge import Conflict, Merged
from syncbot.patching.three_way.recorded_merge import (
    Originals,
    RecordedMerge,
    Resolution,
    merged_function,
)
from syncbot.patching.three_way.statement_rows import indentation

_MARK = "<<<<<<< ours "


def rewrites_of(
    generated: Mapping[str, str], edited: Mapping[str, str], patches: Sequence[Patch]
) -> list[Rewrite]:
    """Return the rewrites that lead from one state of files to the other: a rule where one does all of what
    is different in a file, tried first as the sketches of ``patches`` have it; else a difference with its
    context."""
    found: list[Rule] = []
    for path, before in generated.items():
        if (after := edited[path]) != before:
            found.append(_rule(path, before, after, patches))
    return [Rewrite(rule=f.rule, arguments=dict(f.arguments)) for f in map(fix, dict.fromkeys(found))]


def _rule(path: str, before: str, after: str, patches: Sequence[Patch]) -> Rule:
    for rule in (*_sketched(patches), *_parameters(path, before, after)):
        if rule.concerns(path) and _makes(rule, path, before, after):
            return rule
    return Difference(file=path, diff=difference(before, after))


def _makes(rule: Rule, path: str, before: str, after: str) -> bool:
    """Whether a rule leads there and back."""
    try:
        there = rule.forward(Source(before, path)) == after
        return there and rule.backward(Source(after, path)) == before
    except (NoMatch, CannotRewrite):
        return False


def _sketched(patches: Sequence[Patch]) -> Iterator[Rule]:
    for patch in patches:
        if patch.status == "needs-author":
            yield from (rewrite.build() for rewrite in patch.sketch)


def _parameters(path: str, before: str, after: str) -> Iterator[Rule]:
    """A parameter that one function has more than before."""
    try:
        old, new = _functions(before), _functions(after)
    except SyntaxError:
        return
    for name in old.keys() & new.keys():
        known = {each.arg for each in every_node(old[name]) if isinstance(each, ast.arg)}
        arguments = new[name]
        plain = [*arguments.posonlyargs, *arguments.args]
        defaults = [None] * (len(plain) - len(arguments.defaults)) + [*arguments.defaults]
        pairs = [
            *zip(plain, defaults, strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]
        for argument, default in pairs:
            if argument.arg not in known:
                text = ast.unparse(default) if default is not None else None
                yield FunctionParameterAdded(file=path, function=name, parameter=argument.arg, default=text)


def _functions(text: str) -> dict[str, ast.arguments]:
    found: dict[str, ast.arguments] = {}
    waiting: list[tuple[str, ast.AST]] = [("", ast.parse(text))]
    while waiting:
        prefix, node = waiting.pop()
        for child in children(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                found[f"{prefix}{child.name}"] = child.args
            elif isinstance(child, ast.ClassDef):
                waiting.append((f"{prefix}{child.name}.", child))
    return found


def resolved(recorded: RecordedMerge, before: str, edited: str, originals: Originals) -> RecordedMerge:
    """Return a merge with what an edited file has in the place of each conflict. Raises CannotRewrite where
    marks are left, NoMatch."""
    if _MARK in edited:
        line = edited[: edited.index(_MARK)].count("\n") + 1
        raise CannotRewrite(f"{recorded.file}:{line}: a conflict is left: write the lines")
    open_merge = recorded.model_copy(update={"resolutions": ()})
    merged, _ = merged_function(open_merge, Source(before, recorded.file), originals)
    lines = Lines(edited, recorded.file)
    span = lines.definition(recorded.within)
    function = [line.removesuffix("\r") for line in edited.split("\n")[span.start : span.end]]
    indent = indentation("\n".join(function))
    resolutions = [
        _resolution(conflict, [line.removeprefix(indent) for line in written])
        for conflict, written in _in_place(merged, function)
    ]
    return recorded.model_copy(update={"resolutions": tuple(resolutions)})


def _in_place(merged: Merged, function: Sequence[str]) -> Iterator[tuple[Conflict, list[str]]]:
    """Each conflict with the edited lines between those before and behind it."""
    known: list[str | Conflict] = [*merged.text.split("\n")]
    for conflict in reversed(merged.conflicts):
        known[conflict.line : conflict.line + len(conflict.ours)] = [conflict]
    matcher = SequenceMatcher(None, known, [*function], autojunk=False)
    for _, first, last, start, end in matcher.get_opcodes():
        inside = [line for line in known[first:last] if isinstance(line, Conflict)]
        for number, conflict in enumerate(inside):
            # Of several at one place, the first gets what is there: the others are then without lines.
            yield conflict, [] if number else list(function[start:end])


def _resolution(conflict: Conflict, written: Sequence[str]) -> Resolution:
    """A side where that is what was written, else the shortest of what changes a side, and of the lines."""
    sides: dict[Literal["ours", "theirs", "base"], Sequence[str]] = {
        "ours": conflict.ours, "theirs": conflict.theirs, "base": conflict.base,
    }  # fmt: skip
    found = [Resolution(conflict=conflict.id, lines="".join(f"{line}\n" for line in written))]
    for name, lines in sides.items():
        if list(lines) == list(written):
            return Resolution(conflict=conflict.id, take=name)
        diff = difference("\n".join(lines), "\n".join(written))
        found.append(Resolution(conflict=conflict.id, take=name, diff=diff))
    return min(found, key=lambda each: len((each.diff or each.lines or "").splitlines()))
