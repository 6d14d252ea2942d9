"""Questions about an error, asked of trees, and since which commit the answer is another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from syncbot.api.tree import ModuleTree, modules_of
from syncbot.api.universe import Universe
from syncbot.impact.trees import Trees
from syncbot.upstream.commit_range import Span
from syncbot.upstream.model import Commit

# So many commits are asked whether what fails at both ends was fine between them.
_MOST_LOOKS = 40
# So many sources are read together, which memory has room for.
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class View:
    """One upstream commit as questions see it. ``texts`` are the sources by blob that any of the views of an
    inquiry has read: many failures ask for many names, of both ends in turn."""

    trees: Trees
    tree: ModuleTree
    universe: Universe
    texts: dict[str, bytes]
    _told: dict[tuple[str, ...], list[str]] = field(default_factory=dict)

    def mentioning(self, *texts: str) -> list[str]:
        """The modules whose source has one of the texts."""
        if texts not in self._told:
            self._told[texts] = self._look(texts)
        return self._told[texts]

    def _look(self, texts: Sequence[str]) -> list[str]:
        missing = [blob for _, blob in self.tree.modules.values() if blob not in self.texts]
        for start in range(0, len(missing), _AT_ONCE):
            part = missing[start : start + _AT_ONCE]
            self.trees.load(part)
            self.texts.update((blob, self.trees.read(blob)) for blob in part)
        needles = [text.encode() for text in texts]
        return [
            module
            for module, (_, blob) in self.tree.modules.items()
            if any(needle in self.texts[blob] for needle in needles)
        ]


@dataclass(frozen=True, slots=True)
class Question:
    """``ask`` answers in words or None; ``strength``: what a change says; with an ``innocent`` answer the
    error cannot happen, with any other it may. Without innocent ones nobody knows. Equal answers of both ends
    are told only of what ``is_defined``, not of what uses it."""

    about: str
    ask: Callable[[View], str | None]
    strength: float
    innocent: tuple[str, ...] = ()
    is_defined: bool = True

    def fails(self, answer: str | None) -> bool | None:
        """Whether the error can come from what an answer says; None where that is not known."""
        return None if answer is None or not self.innocent else answer not in self.innocent


class Standing(StrEnum):
    """At which ends of a range what an error tells can happen: it ``came`` (only at the newer one), ``went``
    (only at the older one), ``stays`` or was ``never`` there; something else ``changed``, or is ``alike``."""

    CAME = "came"
    WENT = "went"
    STAYS = "stays"
    NEVER = "never"
    CHANGED = "changed"
    ALIKE = "alike"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Fact:
    """A question with its answers at both ends, and the commit that changed it last, if one did."""

    question: Question
    before: str | None
    after: str | None
    commit: Commit | None = None

    @property
    def standing(self) -> Standing:
        """At which ends the error can happen, by the two answers."""
        old, new = self.question.fails(self.before), self.question.fails(self.after)
        if self.before is None and self.after is None:
            return Standing.UNKNOWN
        if old is None and new is None:
            return Standing.ALIKE if self.before == self.after else Standing.CHANGED
        if bool(old) != bool(new):
            return Standing.CAME if new else Standing.WENT
        if None in (old, new):
            return Standing.UNKNOWN
        return Standing.STAYS if old else Standing.NEVER

    @property
    def strength(self) -> float:
        """The strength of the change as a clue; half of the question's where one end has no answer."""
        whole = self.before is not None and self.after is not None
        return self.question.strength if whole else self.question.strength / 2

    @property
    def reason(self) -> str:
        """Both answers in words, the newer one first."""
        was = f", before: {self.before}" if self.before is not None else ", which is new"
        return f"{self.question.about}: {self.after or 'does not exist'}{was}"


@dataclass
class Inquiry:
    """Asks questions along a span of commits."""

    trees: Trees
    span: Span
    _views: dict[str, View] = field(default_factory=dict)
    _texts: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.trees.along(self.span.commits[::-1], self.span.old, self.span.new)
        self._touching: dict[str, list[Commit]] = {}
        for commit in self.span.commits:
            for module in {m for p in commit.paths if (m := module_of(p, self.trees.packages))}:
                self._touching.setdefault(module, []).append(commit)

    def view(self, sha: str) -> View:
        """A commit, ready to be asked."""
        if sha not in self._views:
            tree = self.trees.tree(sha)
            self._views[sha] = View(self.trees, tree, self.trees.universe(tree), self._texts)
        return self._views[sha]

    @property
    def old(self) -> View:
        """The tree before the range."""
        return self.view(self.span.old)

    @property
    def new(self) -> View:
        """The tree at the range's end."""
        return self.view(self.span.new)

    def facts(self, questions: Sequence[Question]) -> Iterator[Fact]:
        """Each question with its answers, and where these differ the commit that changed it last."""
        for question in questions:
            (before, seen), (after, others) = self._asked(question, self.old), self._asked(question, self.new)
            fact = Fact(question, before, after)
            if fact.standing in (Standing.CAME, Standing.WENT, Standing.CHANGED):
                yield Fact(question, before, after, self._changed(question, before, seen | others))
            elif fact.standing is Standing.STAYS:
                yield self._fine_between(fact, seen | others)
            else:
                yield fact

    def _fine_between(self, fact: Fact, looks: set[str]) -> Fact:
        """Both ends fail: the fact as it is since the commit that ended a time when nothing failed, if there
        was one among the newest that touch what the answer depends on."""
        guilty = None
        for commit in self._touching_newest_first(looks)[:_MOST_LOOKS]:
            answer = fact.question.ask(self.view(commit.sha))
            if fact.question.fails(answer) is False:
                return fact if guilty is None else Fact(fact.question, answer, fact.after, guilty)
            guilty = commit
        return fact

    def _asked(self, question: Question, view: View) -> tuple[str | None, set[str]]:
        seen = view.tree.start_recording()
        try:
            return question.ask(view), seen
        finally:
            view.tree.stop_recording(seen)

    def _changed(self, question: Question, before: str | None, looks: set[str]) -> Commit | None:
        """Walks the commits that touch what the answer depends on, newest first, to the one that made it."""
        guilty = None
        for commit in self._touching_newest_first(looks):
            if question.ask(self.view(commit.sha)) == before:
                break
            guilty = commit
        return guilty

    def _touching_newest_first(self, looks: set[str]) -> list[Commit]:
        order = {commit.sha: index for index, commit in enumerate(self.span.commits)}
        touching = {c.sha: c for module in modules_of(looks) for c in self._touching.get(module, ())}
        return sorted(touching.values(), key=lambda c: order[c.sha])


def module_of(path: str, packages: Sequence[str]) -> str | None:
    """The dotted name of an upstream file, None where it is no module of the packages."""
    if not path.endswith((".py", ".pyi")):
        return None
    for package in packages:
        start = 0 if path.startswith(f"{package}/") else path.find(f"/{package}/") + 1
        if start or path.startswith(f"{package}/"):
            return path[start:].rpartition(".")[0].replace("/", ".").removesuffix(".__init__")
    return path.rpartition(".")[0] if path.rpartition(".")[0] in packages else None
