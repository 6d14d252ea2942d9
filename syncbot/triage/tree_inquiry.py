"""Questions about an error, asked of trees, and since which commit the answer is another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from syncbot.api.tree import ModuleTree, modules_of
from syncbot.api.universe import Universe
from syncbot.impact.trees import Trees
from syncbot.triage.diagnosis import Clue
from syncbot.upstream.commit_range import Span
from syncbot.upstream.model import Commit


@dataclass(frozen=True, slots=True)
class View:
    """One upstream commit as questions see it."""

    trees: Trees
    tree: ModuleTree
    universe: Universe


@dataclass(frozen=True, slots=True)
class Question:
    """``ask`` answers in words or None; ``strength``: what a change says; ``innocent`` ones do not fail."""

    about: str
    ask: Callable[[View], str | None]
    strength: float
    innocent: tuple[str, ...] = ()


@dataclass
class Inquiry:
    """Asks questions along a span of commits."""

    trees: Trees
    span: Span
    _views: dict[str, View] = field(default_factory=dict)

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
            self._views[sha] = View(self.trees, tree, self.trees.universe(tree))
        return self._views[sha]

    @property
    def old(self) -> View:
        """The tree before the range."""
        return self.view(self.span.old)

    @property
    def new(self) -> View:
        """The tree at the range's end."""
        return self.view(self.span.new)

    def clues(self, questions: Sequence[Question]) -> Iterator[Clue]:
        """For each question whose answer changed within the range, the commit that changed it last."""
        for question in questions:
            (before, seen), (after, others) = self._asked(question, self.old), self._asked(question, self.new)
            if before == after or after is None or after in question.innocent:
                continue
            guilty = self._changed(question, before, seen | others)
            if guilty is not None:
                was = f", before: {before}" if before is not None else ", which is new"
                reason = f"{question.about}: {after}{was}"
                strength = question.strength if before is not None else question.strength / 2
                yield Clue(guilty.sha, strength, reason, "symbol")

    def _asked(self, question: Question, view: View) -> tuple[str | None, set[str]]:
        seen = view.tree.start_recording()
        try:
            return question.ask(view), seen
        finally:
            view.tree.stop_recording(seen)

    def _changed(self, question: Question, before: str | None, looks: set[str]) -> Commit | None:
        """Walks the commits that touch what the answer depends on, newest first, to the one that made it."""
        order = {commit.sha: index for index, commit in enumerate(self.span.commits)}
        touching = {c.sha: c for module in modules_of(looks) for c in self._touching.get(module, ())}
        guilty = None
        for commit in sorted(touching.values(), key=lambda c: order[c.sha]):
            if question.ask(self.view(commit.sha)) == before:
                break
            guilty = commit
        return guilty


def module_of(path: str, packages: Sequence[str]) -> str | None:
    """The dotted name of an upstream file, None where it is no module of the packages."""
    if not path.endswith((".py", ".pyi")):
        return None
    for package in packages:
        start = 0 if path.startswith(f"{package}/") else path.find(f"/{package}/") + 1
        if start or path.startswith(f"{package}/"):
            return path[start:].rpartition(".")[0].replace("/", ".").removesuffix(".__init__")
    return path.rpartition(".")[0] if path.rpartition(".")[0] in packages else None
