"""Writing the rules of answers into texts: each once, in an order that lets every one match."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass

from syncbot.api.every_node import every_node
from syncbot.api.newer_syntax import parsed
from syncbot.impact.model import Impact
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import Rule
from syncbot.patching.source import Source
from syncbot.planning.function_facts import parameters
from syncbot.planning.model import Answer, Name
from syncbot.planning.syntax_file import Definition, Routine

# Rules that are written last: before them, the judges still follow the old names.
_MOVES = ("import_moved", "symbol_renamed", "string_renamed")
# Rules that name exact places come before those that look for names.
_PLACED = ("call_changed", "call_arguments_by_keyword", "replace_statement", "add_statement")


@dataclass(frozen=True)
class Applied:
    """The new texts, those without the moves, the files that each answer touched, and why some failed."""

    texts: Mapping[str, str]
    unmoved: Mapping[str, str]
    touched: Mapping[int, frozenset[str]]
    failed: Mapping[int, str]


class RuleWriter:
    """Writes rules into sources; what was written once is known when answers are tried again without some."""

    def __init__(self) -> None:
        self._known: dict[tuple[Rule, str, str], Source | NoMatch | CannotRewrite] = {}

    def written(self, rule: Rule, source: Source) -> Source:
        """The source with a rule in it. Raises NoMatch or CannotRewrite where it does not fit."""
        key = (rule, source.path, source.text)
        if key not in self._known:
            try:
                text = rule.forward(source)
                _compile(text, source.path)
                self._known[key] = source if text == source.text else Source(text, source.path)
            except (NoMatch, CannotRewrite) as error:
                self._known[key] = error
        found = self._known[key]
        if isinstance(found, NoMatch | CannotRewrite):
            raise found
        return found


def apply_answers(
    impacts: Sequence[Impact], answers: Mapping[int, Answer], texts: Mapping[str, str], writer: RuleWriter
) -> Applied:
    """Apply every rule once, those of exact places first and moves last."""
    wanted: dict[Rule, list[int]] = {}
    for number, reply in answers.items():
        for rule in reply.rules:
            wanted.setdefault(rule, []).append(number)
    changed = _Changed(texts, writer)
    touched: dict[int, set[str]] = {number: set() for number in answers}
    failed: dict[int, str] = {}
    unmoved: dict[str, str] | None = None
    for rule in ordered(wanted):
        numbers = wanted[rule]
        if unmoved is None and rule.name in _MOVES:
            unmoved = changed.texts
        files = {place.file for number in numbers for place in impacts[number].locations}
        files |= {getattr(rule, "file", ""), *(file for number in numbers for file in answers[number].files)}
        done, why = changed.write(rule, files)
        for number in numbers:
            touched[number] |= done
            if not done:
                failed[number] = f"the rewrite {rule.name} does not fit: {why or 'nothing to change'}"
    for number, reply in answers.items():
        missed = sorted(set(reply.files) - touched[number])
        if missed:
            failed.setdefault(number, f"the project's own calls in {missed[0]} cannot be rewritten")
    final = changed.texts
    failed.update(_lacking(answers, failed, {**texts, **final}))
    return Applied(
        final,
        final if unmoved is None else unmoved,
        {number: frozenset(paths) for number, paths in touched.items()},
        failed,
    )


class _Changed:
    """Texts that rules are written into, one after the other."""

    def __init__(self, texts: Mapping[str, str], writer: RuleWriter) -> None:
        self._before, self._writer = texts, writer
        self._sources: dict[str, Source] = {}

    @property
    def texts(self) -> dict[str, str]:
        """The texts that differ from what they were."""
        return {path: s.text for path, s in self._sources.items() if s.text != self._before[path]}

    def write(self, rule: Rule, files: Set[str]) -> tuple[set[str], str]:
        """Write a rule into files; the paths where it is now, and why it does not fit another one."""
        done: set[str] = set()
        why = ""
        for path in sorted(files & self._before.keys()):
            source = self._sources.setdefault(path, Source(self._before[path], path))
            if not rule.may_change(path, source.text, True):
                continue
            try:
                after = self._writer.written(rule, source)
            except (NoMatch, CannotRewrite) as error:
                why = why or str(error)
                if isinstance(error, NoMatch) and _done_already(rule, self._before[path], path):
                    done.add(path)
                continue
            if after is not source:
                self._sources[path] = after
                done.add(path)
        return done, why


def _done_already(rule: Rule, text: str, path: str) -> bool:
    """Whether a parameter that a rule adds is there by another rule: the text as it was lacked it."""
    if _parameter(rule) is None:
        return False
    with suppress(NoMatch, CannotRewrite):
        return rule.forward(Source(text, path)) != text
    return False


def ordered(rules: Iterable[Rule]) -> list[Rule]:
    """Rules of exact places first, moves last, those of names before that of the module that had them; a
    parameter after the one that it stands behind."""
    by_name = sorted(rules, key=lambda rule: (rule.name, rule.model_dump_json()))
    added = {key: rule for rule in by_name if (key := _parameter(rule)) is not None}

    def depth(rule: Rule) -> int:
        steps, key = 0, _parameter(rule)
        while key is not None and steps <= len(added):
            after = getattr(added[key], "after", None)
            key = (*key[:2], after) if after is not None and (*key[:2], after) in added else None
            steps += 1
        return steps

    def stage(rule: Rule) -> int:
        return 2 if rule.name in _MOVES else 0 if rule.name in _PLACED else 1

    def within(rule: Rule) -> int:
        return -getattr(rule, "old", "").count(".") if rule.name in _MOVES else 0

    return sorted(by_name, key=lambda rule: (stage(rule), depth(rule), within(rule)))


def _parameter(rule: Rule) -> tuple[str, str, str] | None:
    """The function and the name of the parameter that a rule adds."""
    if rule.name == "function_parameter_added":
        return (getattr(rule, "file", ""), getattr(rule, "function", ""), getattr(rule, "parameter", ""))
    if rule.name == "override_parameter_added":
        return (getattr(rule, "base", ""), getattr(rule, "method", ""), getattr(rule, "parameter", ""))
    return None


def _compile(text: str, path: str) -> None:
    try:
        compile(text.lstrip("\ufeff"), path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise CannotRewrite(f"{path} would no longer compile: {error}") from error


def _lacking(
    answers: Mapping[int, Answer], failed: Mapping[int, str], texts: Mapping[str, str]
) -> dict[int, str]:
    """Answers that use a name which is no parameter in the end."""
    lacking = {}
    for number, reply in answers.items():
        missing = [need for need in reply.needs if need.name not in _parameters(need, texts)]
        if missing and number not in failed:
            lacking[number] = f"{missing[0].within} has no parameter {missing[0].name} to hand on"
    return lacking


def _parameters(need: Name, texts: Mapping[str, str]) -> set[str]:
    nodes: list[ast.AST] = [parsed(texts[need.file].lstrip("\ufeff"))]
    for part in need.within.split("."):
        nodes = [
            child
            for node in nodes
            for child in every_node(node)
            if isinstance(child, Definition) and child.name == part
        ]
    return {name for node in nodes if isinstance(node, Routine) for name in parameters(node)}
