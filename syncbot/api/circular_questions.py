"""Questions that need the answers of other questions, perhaps in a circle: each is answered once. A question
that is needed for its own answer counts as having none there. What was told in or above a circle holds for
who asked, and is remembered for that alone: asked from elsewhere it may have another answer."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

A = TypeVar("A")
#: How a question is answered: it yields the questions that it needs, and is sent their answers.
Steps = Generator["Question[Any]", Any, A]


class Question(NamedTuple, Generic[A]):
    """A question, and how to begin to answer it: ``begin`` gets a set to collect everything looked at."""

    key: Hashable
    begin: Callable[[set[str]], Steps[A | None]]


@dataclass(slots=True, eq=False)
class Answer(Generic[A]):
    """An answer, and what it depends on; ``circular`` where a circle was met."""

    value: A | None
    circular: bool
    _own: set[str] = field(default_factory=set)
    _needs: list[Answer[Any]] = field(default_factory=list)
    _looks: frozenset[str] | None = None

    def looks(self) -> frozenset[str]:
        """All that was looked at for it, and for what it needs."""
        if self._looks is None:
            found: set[str] = set()
            seen = {id(self)}
            waiting: list[Answer[Any]] = [self]
            while waiting:
                answer = waiting.pop()
                found |= answer._own if answer._looks is None else answer._looks
                new = [need for need in answer._needs if id(need) not in seen]
                seen.update(map(id, new))
                waiting += new
            self._looks = frozenset(found)
            self._own, self._needs = set(), []
        return self._looks


@dataclass(slots=True, eq=False)
class _Open:
    """A question that is being answered."""

    key: Hashable
    steps: Steps[Any]
    looks: set[str]
    needs: list[Answer[Any]] = field(default_factory=list)
    circular: bool = False

    def take(self, answer: Answer[Any]) -> object:
        self.circular |= answer.circular
        self.needs.append(answer)
        return answer.value


class Questions:
    """Answers questions, however deep they lead, and remembers the answers."""

    def __init__(self) -> None:
        self._for_all: dict[Hashable, Answer[Any]] = {}
        self._for_who_asks: dict[Hashable, Answer[Any]] = {}
        self._for_now: dict[Hashable, Answer[Any]] = {}
        self._stack: list[_Open] = []
        self._open: set[Hashable] = set()

    @property
    def busy(self) -> bool:
        """Whether a question is being answered."""
        return bool(self._stack)

    def ask(self, question: Question[A]) -> Answer[A]:
        """The answer to a question. While another one is being answered, this one is needed for it. Raises
        what answering raises."""
        outer = self._stack[-1] if self._stack else None
        known = self._known(question.key)
        if known is None and outer is None:
            known = self._for_who_asks.get(question.key)
        if known is None:
            known = self._answer(question)
        if outer is not None:
            outer.take(known)
        elif known.circular:
            self._for_who_asks[question.key] = known
        return known

    def _known(self, key: Hashable) -> Answer[Any] | None:
        if key in self._open:
            return Answer(None, circular=True)
        return self._for_all.get(key) or self._for_now.get(key)

    def _answer(self, question: Question[Any]) -> Answer[Any]:
        bottom = len(self._stack)
        try:
            self._begin(question)
            told: object = None
            while True:
                asking = self._stack[-1]
                try:
                    needed = asking.steps.send(told)
                except StopIteration as end:
                    answer = self._end(asking, end.value)
                    if len(self._stack) == bottom:
                        return answer
                    told = self._stack[-1].take(answer)
                    continue
                known = self._known(needed.key)
                if known is None:
                    self._begin(needed)
                told = asking.take(known) if known is not None else None
        finally:
            for left in self._stack[bottom:]:
                self._open.discard(left.key)
            del self._stack[bottom:]
            if not self._stack:
                self._for_now.clear()

    def _begin(self, question: Question[Any]) -> None:
        looks: set[str] = set()
        self._stack.append(_Open(question.key, question.begin(looks), looks))
        self._open.add(question.key)

    def _end(self, asking: _Open, value: object) -> Answer[Any]:
        self._stack.pop()
        self._open.discard(asking.key)
        answer = Answer(value, asking.circular, asking.looks, asking.needs)
        (self._for_now if asking.circular else self._for_all)[asking.key] = answer
        return answer
