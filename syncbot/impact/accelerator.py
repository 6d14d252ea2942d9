"""What makes an analysis fast, as one object that is handed to it; the findings never depend on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from syncbot.api.tree import ModuleTree
from syncbot.contracts.discovery import DiscoveryHelp
from syncbot.upstream.model import Commit


@dataclass(frozen=True, slots=True)
class Range:
    """The commits between two, oldest first; ``tree`` reads the tree of one."""

    old: str
    new: str
    commits: Sequence[Commit]
    tree: Callable[[str], ModuleTree]


class Accelerator(DiscoveryHelp):
    """Keeps contracts and has tables made ahead. This one does neither."""

    def begin_range(self, span: Range, /) -> None:
        """These commits are about to be analysed."""

    def expect_tables(self, blobs: Iterable[str], /) -> None:
        """Symbol tables and usage tables of these Python sources may be asked for."""

    def expect_facts(self, commit: Commit, /) -> None:
        """The facts of a commit will be asked for."""

    def close(self) -> None:
        """The analysis is over: write what is new, and end what was started."""
