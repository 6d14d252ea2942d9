"""Which impacts are rewritten: answered, applied, proven; what the proof refuses is taken back."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from syncbot.contracts.guards import type_checking
from syncbot.contracts.kinds.imports import ImportContract
from syncbot.contracts.sources import Backend
from syncbot.impact.model import Impact, Verdict
from syncbot.impact.trees import Trees
from syncbot.migrate import judged_proof
from syncbot.migrate.answers import Answer, Author, Name, answer
from syncbot.migrate.judged_proof import Checker, Judge, Look
from syncbot.migrate.planning_context import World
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import Rule
from syncbot.patching.source import Source

# Rules that are written last: before them, the judges still follow the old names.
_MOVES = ("import_moved", "symbol_renamed", "string_renamed")
# Rules that name exact places come before those that look for names.
_PLACED = ("call_changed", "call_arguments_by_keyword", "replace_statement", "add_statement")


@dataclass(frozen=True, slots=True)
class Rewritten:
    """An impact and the rewrites that mend it; none where those for other impacts do so by the way. ``notes``
    say what the rewrites leave to an author."""

    impact: Impact
    rules: tuple[Rule, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unwritten:
    """An impact that needs an author, and why."""

    impact: Impact
    why: str


@dataclass(frozen=True)
class Migration:
    """What a migration does: the new texts by path, what they mend, what is left, and both looks."""

    rewritten: tuple[Rewritten, ...]
    unwritten: tuple[Unwritten, ...]
    changes: Mapping[str, str]
    before: Look
    after: Look


@dataclass(frozen=True)
class _Applied:
    texts: Mapping[str, str]
    unmoved: Mapping[str, str]
    touched: Mapping[int, frozenset[str]]
    failed: Mapping[int, str]


def migrate(
    trees: Trees, old: str, new: str, impacts: Iterable[Impact], checker: Checker | None = None
) -> Migration:
    """Return the rewrites that surely mend what breaks between two upstream commits, already proven, and
    those of imports that only type checkers read.

    ``checker`` asks the type checkers, whose own findings nobody else can prove; without one they are
    rewritten on their word. A file that does not compile afterwards, an impact that is still found and
    anything that newly breaks takes back the rewrites that touched it.
    """
    world = World(trees, old, new)
    broken = [i for i in impacts if i.verdict is Verdict.BREAKS or _for_type_checkers(i, world)]
    replies = [_reply(impact, world) for impact in broken]
    reasons = {n: reply.why for n, reply in enumerate(replies) if isinstance(reply, Author)}
    answers = {n: reply for n, reply in enumerate(replies) if isinstance(reply, Answer)}
    touched = {place.file for n in answers for place in broken[n].locations}
    touched |= {getattr(rule, "file", "") for reply in answers.values() for rule in reply.rules}
    touched |= {file for reply in answers.values() for file in reply.files}
    judge = Judge(trees, old, new, touched, checker)
    # Type checkers are asked where only they saw something that is rewritten.
    typed = any("contracts" not in broken[n].engines for n in answers)
    before = judge.look({}, {}, typed)
    texts = dict(_texts(trees.backend))
    while True:
        done = _apply(broken, answers, texts)
        reasons.update(done.failed)
        if not done.failed:
            after = judge.look(done.texts, done.unmoved, typed) if done.texts else before
            refused = _refused(broken, answers, done, before, after)
            if not refused:
                break
            reasons.update(refused)
        answers = {n: a for n, a in answers.items() if n not in reasons}
    along = {n for n in reasons if _mended_along(broken[n], before, after)}
    return Migration(
        tuple(_rewritten(broken[n], answers.get(n)) for n in sorted({*answers, *along})),
        tuple(
            Unwritten(broken[n], reasons[n])
            for n in sorted(reasons.keys() - along)
            if broken[n].verdict is Verdict.BREAKS
        ),
        done.texts,
        before,
        after,
    )


def _reply(impact: Impact, world: World) -> Answer | Author:
    """The answer to an impact; to one that breaks nothing, only where an import moves."""
    reply = answer(impact, world)
    moves = isinstance(reply, Answer) and all(rule.name == "import_moved" for rule in reply.rules)
    return reply if moves or impact.verdict is Verdict.BREAKS else Author("nothing breaks without it")


def _for_type_checkers(impact: Impact, world: World) -> bool:
    """Whether an impact is about imports that only type checkers read: nothing breaks, and they move too."""
    found = [world.contracts.get(place, ()) for place in impact.locations]
    return impact.verdict is Verdict.AT_RISK and all(
        any(isinstance(c, ImportContract) and type_checking(c.place.guards) for c in contracts)
        for contracts in found
    )


def _rewritten(impact: Impact, reply: Answer | None) -> Rewritten:
    return Rewritten(impact, () if reply is None else reply.rules, () if reply is None else reply.notes)


def _texts(backend: Backend) -> Iterator[tuple[str, str]]:
    """The files that can be written back byte for byte."""
    for file in backend.files:
        with suppress(UnicodeDecodeError):
            yield file.path, file.text.decode("utf-8")


def _apply(impacts: Sequence[Impact], answers: Mapping[int, Answer], texts: Mapping[str, str]) -> _Applied:
    """Apply every rule once, those of exact places first and moves last."""
    wanted: dict[Rule, list[int]] = {}
    for number, reply in answers.items():
        for rule in reply.rules:
            wanted.setdefault(rule, []).append(number)
    sources: dict[str, Source] = {}
    touched: dict[int, set[str]] = {number: set() for number in answers}
    failed: dict[int, str] = {}
    unmoved: dict[str, str] | None = None
    for rule in _ordered(wanted):
        numbers = wanted[rule]
        if unmoved is None and rule.name in _MOVES:
            unmoved = {path: s.text for path, s in sources.items() if s.text != texts[path]}
        files = {place.file for number in numbers for place in impacts[number].locations}
        files |= {file for file in (getattr(rule, "file", None),) if file is not None}
        files |= {file for number in numbers for file in answers[number].files}
        why, changed, done = "", set(), set()
        for path in sorted(files & texts.keys()):
            source = sources.setdefault(path, Source(texts[path], path))
            if any(needle not in source.text for needle in rule.needles(True)) or not rule.concerns(path):
                continue
            try:
                text = rule.forward(source)
                _compile(text, path)
            except (NoMatch, CannotRewrite) as error:
                why = why or str(error)
                if isinstance(error, NoMatch) and _done_already(rule, texts[path], path):
                    done.add(path)
                continue
            if text != source.text:
                sources[path] = Source(text, path)
                changed.add(path)
        for number in numbers:
            touched[number] |= changed | done
            if not changed and not done:
                failed[number] = f"the rewrite {rule.name} does not fit: {why or 'nothing to change'}"
    for number, reply in answers.items():
        missed = sorted(set(reply.files) - touched[number])
        if missed:
            failed.setdefault(number, f"the backend's own calls in {missed[0]} cannot be rewritten")
    final = {path: s.text for path, s in sources.items() if s.text != texts[path]}
    failed.update(_lacking(answers, failed, {**texts, **final}))
    return _Applied(
        final,
        final if unmoved is None else unmoved,
        {number: frozenset(paths) for number, paths in touched.items()},
        failed,
    )


def _done_already(rule: Rule, text: str, path: str) -> bool:
    """Whether a parameter that a rule adds is there by another rule: the text as it was lacked it."""
    if _parameter(rule) is None:
        return False
    with suppress(NoMatch, CannotRewrite):
        return rule.forward(Source(text, path)) != text
    return False


def _ordered(rules: Iterable[Rule]) -> list[Rule]:
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
    nodes: list[ast.AST] = [ast.parse(texts[need.file].lstrip("\ufeff"))]
    for part in need.within.split("."):
        nodes = [
            child
            for node in nodes
            for child in ast.walk(node)
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and child.name == part
        ]
    names = set()
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = node.args
            every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
            names |= {argument.arg for argument in every}
    return names


def _refused(
    impacts: Sequence[Impact], answers: Mapping[int, Answer], done: _Applied, before: Look, after: Look
) -> dict[int, str]:
    """The answers that the proof takes back, each with the reason."""
    refused = {
        number: "the static check still finds it after the rewrite"
        for number in answers
        if judged_proof.remaining(impacts[number], after)
    }
    for file, symbol, words in judged_proof.worse(before, after):
        near = [n for n in answers if file in done.touched[n] or file in _files(impacts[n])]
        same = [n for n in near if symbol and _related(impacts[n].symbol, symbol)]
        for number in same or near or _named(words, answers) or answers:
            refused.setdefault(number, f"the rewrite would newly break {file}: {words}")
    fresh = after.typed - before.typed
    for _, file in sorted(fresh):
        for number in answers:
            if file in done.touched[number] and "contracts" not in impacts[number].engines:
                refused.setdefault(number, f"a type checker finds something new in {file} after the rewrite")
    return refused


def _files(impact: Impact) -> set[str]:
    return {place.file for place in impact.locations}


def _named(words: str, answers: Mapping[int, Answer]) -> list[int]:
    """The answers whose rules are about a parameter that a problem elsewhere names."""
    said = set(words.split())
    return [
        number
        for number, reply in answers.items()
        if any(getattr(rule, "parameter", None) in said for rule in reply.rules)
    ]


def _mended_along(impact: Impact, before: Look, after: Look) -> bool:
    """Whether the rewrites for other impacts have mended this one too."""
    return judged_proof.remaining(impact, before) and not judged_proof.remaining(impact, after)


def _related(one: str, other: str) -> bool:
    """Whether two dotted names mean the same class or module."""
    return one == other or one.rpartition(".")[0] == other.rpartition(".")[0]
