"""Which commits of a range made what is noticed."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.impact.module_history import module_history
from syncbot.impact.trees import Trees
from syncbot.upgrade.definitions import definitions
from syncbot.upgrade.registry import Draft
from syncbot.upstream.commit_range import Span


class Authors:
    """Walks the commits that touched the module of a definition, oldest first. A definition that came from
    another module begins with the commit that brought it."""

    def __init__(self, trees: Trees, span: Span) -> None:
        self._trees = trees
        self._old = span.old
        self._commits = span.commits[::-1]
        self._history = module_history(trees, self._commits, span.old, span.new)
        trees.along(self._commits, span.old, span.new)

    def of(self, draft: Draft) -> tuple[str, ...]:
        """The shas of the commits that made a notice, oldest first; nothing where none can be told."""
        if len(self._commits) == 1:
            return (self._commits[0].sha,)
        found = tuple(self._changing(draft))
        return found if draft.every else found[-1:]

    def _changing(self, draft: Draft) -> Iterator[str]:
        known = self._said(draft, self._old)
        for place in self._history.places.get(draft.home.module, ()):
            sha = self._commits[place].sha
            now = self._said(draft, sha)
            if now != known:
                yield sha
            known = now

    def _said(self, draft: Draft, commit: str) -> object:
        return draft.probe(definitions(self._trees.tree(commit), draft.home.module, draft.home.qualname))
