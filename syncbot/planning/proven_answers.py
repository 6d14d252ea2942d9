"""Proves answers. They are written and judged together, and those that are to blame are taken back until
nobody is. Who made a new problem is a guess, so those that are blamed for one are tried again, in ever
smaller parts: only those stay away with which it comes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from syncbot.impact.model import Impact
from syncbot.planning.backend_states import Reliance
from syncbot.planning.judged_proof import Judge, Look, remaining, still_lacking, worse
from syncbot.planning.model import Answer
from syncbot.planning.rule_application import Applied, RuleWriter, apply_answers

#: So often answers that are blamed for a new problem are tried again: each time, all is judged anew.
_AGAIN = 24


@dataclass(frozen=True, slots=True)
class Round:
    """Some answers written and judged: the texts, both looks, and what is refused, with the reason.
    ``blamed`` are those that may have made a new problem."""

    answers: Mapping[int, Answer]
    texts: Mapping[str, str]
    before: Look
    after: Look
    refused: Mapping[int, str] = field(default_factory=dict)
    blamed: Set[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Proven:
    """The answers that stand the proof, as they are written and judged, and why the others do not."""

    last: Round
    reasons: Mapping[int, str]


class Prover:
    """Proves answers to impacts in the texts of a backend; ``reliances`` are what each is about."""

    def __init__(
        self,
        impacts: Sequence[Impact],
        reliances: Sequence[Set[Reliance]],
        texts: Mapping[str, str],
        judge: Judge,
    ) -> None:
        self._impacts, self._reliances = impacts, reliances
        self._texts, self._judge = texts, judge
        self._writer = RuleWriter()
        self._reported = {file for impact in impacts for file in _files(impact)}
        self._typed = False
        self._failed: set[frozenset[int]] = set()
        self._left = _AGAIN

    def proven(self, answers: Mapping[int, Answer]) -> Proven:
        """Return the answers that stand the proof together."""
        # Type checkers are asked where only they saw something that is rewritten.
        self._typed = any("contracts" not in self._impacts[n].engines for n in answers)
        reasons: dict[int, str] = {}
        again: set[int] = set()
        last = self._round(answers)
        while last.refused:
            reasons.update(last.refused)
            # What builds on something that is taken back does not fit without it.
            again |= last.refused.keys() if again else last.blamed
            last = self._round({n: a for n, a in last.answers.items() if n not in reasons})
        found = Proven(last, reasons)
        return self._with(found, {n: answers[n] for n in sorted(again, key=self._symbol)})

    def _symbol(self, number: int) -> tuple[str, int]:
        return self._impacts[number].symbol, number

    def _with(self, found: Proven, tried: Mapping[int, Answer]) -> Proven:
        """The proven answers with as many of some others as stand the proof with them."""
        if not tried:
            return found
        answers, numbers = {**found.last.answers, **tried}, list(tried)
        if frozenset(answers) not in self._failed:
            if not self._left:
                return found
            self._left -= 1
            last = self._round(answers)
            if not last.refused:
                return Proven(last, {n: why for n, why in found.reasons.items() if n not in tried})
            if len(numbers) == 1:
                why = {n: last.refused.get(n, found.reasons[n]) for n in numbers}
                found = replace(found, reasons={**found.reasons, **why})
        if len(numbers) == 1:
            return found
        middle = len(numbers) // 2
        for part in (numbers[:middle], numbers[middle:]):
            found = self._with(found, {n: tried[n] for n in part})
        return found

    def _round(self, answers: Mapping[int, Answer]) -> Round:
        found = self._judged(answers)
        if found.refused:
            self._failed.add(frozenset(answers))
        return found

    def _judged(self, answers: Mapping[int, Answer]) -> Round:
        done = apply_answers(self._impacts, answers, self._texts, self._writer)
        nothing = Look(Counter(), {}, frozenset(), frozenset())
        if done.failed:
            return Round(answers, done.texts, nothing, nothing, done.failed)
        before, after = self._judge.looks(done.texts, done.unmoved, self._typed, self._reported)
        refused, blamed = self._refused(answers, done, before, after)
        for number in answers.keys() - refused.keys():
            why = next(still_lacking(self._reliances[number], after), None)
            if why is not None:
                refused[number] = f"it would still fail after the rewrite: {why}"
        return Round(answers, done.texts, before, after, refused, blamed)

    def _refused(
        self, answers: Mapping[int, Answer], done: Applied, before: Look, after: Look
    ) -> tuple[dict[int, str], set[int]]:
        """The answers that the proof takes back, each with the reason, and those that are blamed."""
        refused = {
            number: "the static check still finds it after the rewrite"
            for number in answers
            if remaining(self._impacts[number], after)
        }
        suspects: set[int] = set()
        for file, symbol, words in worse(before, after):
            near = [n for n in answers if file in done.touched[n] or file in _files(self._impacts[n])]
            same = [n for n in near if symbol and _related(self._impacts[n].symbol, symbol)]
            blamed = same or near or _named(words, answers) or list(answers)
            suspects.update(blamed)
            for number in blamed:
                refused.setdefault(number, f"the rewrite would newly break {file}: {words}")
        for _, file in sorted(after.typed - before.typed):
            for number in answers:
                if file in done.touched[number] and "contracts" not in self._impacts[number].engines:
                    refused.setdefault(
                        number, f"a type checker finds something new in {file} after the rewrite"
                    )
        return refused, suspects


def _files(impact: Impact) -> set[str]:
    return {place.file for place in impact.locations}


def _named(words: str, answers: Mapping[int, Answer]) -> list[int]:
    """The answers whose rules are about a parameter that a problem elsewhere names."""
    said = set(words.split())
    about = {n: {getattr(rule, "parameter", None) for rule in a.rules} for n, a in answers.items()}
    return [number for number, parameters in about.items() if parameters & said]


def _related(one: str, other: str) -> bool:
    """Whether two dotted names mean the same class or module."""
    return one == other or one.rpartition(".")[0] == other.rpartition(".")[0]
