"""Which impacts are rewritten: answered, applied, proven; what the proof refuses is taken back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass

from syncbot.api.statement_parts import type_checking
from syncbot.contracts.kinds.imports import ImportContract
from syncbot.contracts.sources import Backend
from syncbot.impact.model import Impact, Verdict
from syncbot.impact.trees import Trees
from syncbot.patching.registry import Rule
from syncbot.planning import judged_proof
from syncbot.planning.answer_registry import answer
from syncbot.planning.backend_states import Reliance, reliance
from syncbot.planning.judged_proof import Checker, Judge, Look
from syncbot.planning.model import Answer, Author
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.proven_answers import Prover


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
class Plan:
    """The plan of a migration: new texts by path, the impacts they fix, those that are left, both looks."""

    rewritten: tuple[Rewritten, ...]
    unwritten: tuple[Unwritten, ...]
    changes: Mapping[str, str]
    before: Look
    after: Look


def plan(
    trees: Trees,
    old: str,
    new: str,
    impacts: Iterable[Impact],
    checker: Checker | None = None,
) -> Plan:
    """Return the rewrites that surely mend what breaks between two upstream commits, already proven, and
    those of imports that only type checkers read.

    ``checker`` asks the type checkers, whose own findings nobody else can prove; without one they are
    rewritten on their word. A file that does not compile afterwards, an impact that is still found and
    anything that newly breaks takes back the rewrites that touched it. There is no limit of time: the same
    question has the same answer, whoever asks it.
    """
    answered = _answered(PlanningContext(trees, old, new), impacts)
    return _proven(*answered, dict(_texts(trees.backend)), Judge(trees, old, new, checker))


def _answered(
    context: PlanningContext, impacts: Iterable[Impact]
) -> tuple[list[Impact], list[Answer | Author], list[Set[Reliance]]]:
    """The impacts that are to be rewritten, with the answer to each and what it is about. The context, which
    holds syntax trees, ends with this."""
    broken = [i for i in impacts if i.verdict is Verdict.BREAKS or _for_type_checkers(i, context)]
    replies = [_reply(impact, context) for impact in broken]
    reliances = [_reliances(impact, context) for impact in broken]
    context.close()
    return broken, replies, reliances


def _proven(
    broken: Sequence[Impact],
    replies: Sequence[Answer | Author],
    reliances: Sequence[Set[Reliance]],
    texts: Mapping[str, str],
    judge: Judge,
) -> Plan:
    """The plan of the answers that stand the proof."""
    reasons = {n: reply.why for n, reply in enumerate(replies) if isinstance(reply, Author)}
    answers = {n: reply for n, reply in enumerate(replies) if isinstance(reply, Answer)}
    proven = Prover(broken, reliances, texts, judge).proven(answers)
    reasons.update(proven.reasons)
    last = proven.last
    along = {n for n in reasons if _mended_along(broken[n], last.before, last.after)}
    return _plan(broken, last.answers, reasons, along, last.texts, last.before, last.after)


def _plan(
    broken: Sequence[Impact],
    answers: Mapping[int, Answer],
    reasons: Mapping[int, str],
    along: Set[int],
    texts: Mapping[str, str],
    before: Look,
    after: Look,
) -> Plan:
    """The plan; what breaks nothing and has no rewrite is not told."""
    rewritten = (_rewritten(broken[n], answers.get(n)) for n in sorted({*answers, *along}))
    left = (Unwritten(broken[n], reasons[n]) for n in sorted(reasons.keys() - along))
    unwritten = (each for each in left if each.impact.verdict is Verdict.BREAKS)
    return Plan(tuple(rewritten), tuple(unwritten), texts, before, after)


def _reply(impact: Impact, context: PlanningContext) -> Answer | Author:
    """The answer to an impact; to one that breaks nothing, only where an import moves."""
    reply = answer(impact, context)
    moves = isinstance(reply, Answer) and all(rule.name == "import_moved" for rule in reply.rules)
    return reply if moves or impact.verdict is Verdict.BREAKS else Author("nothing breaks without it")


def _for_type_checkers(impact: Impact, context: PlanningContext) -> bool:
    """Whether an impact is about imports that only type checkers read: nothing breaks, and they move too."""
    found = [context.contracts_at(place, ImportContract) for place in impact.locations]
    return impact.verdict is Verdict.AT_RISK and all(
        any(type_checking(c.place.guards) for c in contracts) for contracts in found
    )


def _reliances(impact: Impact, context: PlanningContext) -> Set[Reliance]:
    """The calls and overrides that an impact on parameters is about: they have to fit in the end, or a
    rewrite of this parameter alone mends nothing."""
    if not impact.kind.startswith("parameter-"):
        return frozenset()
    found = (c for place in impact.locations for c in context.contracts.get(place, ()))
    return {reliance(c) for c in found if c.kind == impact.contract}


def _rewritten(impact: Impact, reply: Answer | None) -> Rewritten:
    return Rewritten(impact, () if reply is None else reply.rules, () if reply is None else reply.notes)


def _texts(backend: Backend) -> Iterator[tuple[str, str]]:
    """The files that can be written back byte for byte."""
    for file in backend.files:
        with suppress(UnicodeDecodeError):
            yield file.path, file.text.decode("utf-8")


def _mended_along(impact: Impact, before: Look, after: Look) -> bool:
    """Whether the rewrites for other impacts have mended this one too."""
    return judged_proof.remaining(impact, before) and not judged_proof.remaining(impact, after)
