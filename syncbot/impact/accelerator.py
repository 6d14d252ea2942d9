"""The helpers that make an analysis fast, passed to it as one object; findings never depend on them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from syncbot.api.tree import ModuleTree
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.discovery import DiscoveryHelp
from syncbot.contracts.model import Contract
from syncbot.upstream.model import Commit


@dataclass(frozen=True, slots=True)
class Range:
    """The commits between two, oldest first; ``tree`` reads the tree of one."""

    old: str
    new: str
    commits: Sequence[Commit]
    tree: Callable[[str], ModuleTree]


class Judgements:
    """Which of some contracts a comparison is known to keep. These know of none."""

    def is_kept(self, place: int, /) -> bool:
        """Return whether the contract at a place of the list is known to be kept."""
        return False

    def keep(self, place: int, reads: Collection[str], /) -> None:
        """The contract at a place is kept, as these modules of the backend tell."""

    def close(self) -> None:
        """All contracts were judged."""


class Accelerator(DiscoveryHelp):
    """Keeps contracts and has tables made ahead. This one does neither."""

    def begin_range(self, span: Range, /) -> None:
        """These commits are about to be analysed."""

    def end_range(self) -> None:
        """The commits are analysed; rewrites may be planned next, which takes memory."""

    def judgements(self, contracts: Sequence[Contract], pair: Comparison, ends: Range, /) -> Judgements:
        """Return what is known of contracts that are about to be judged at the ends of a range."""
        return Judgements()

    def expect_tables(self, blobs: Iterable[str], /) -> None:
        """Symbol tables and usage tables of these Python sources may be asked for."""

    def expect_facts(self, commit: Commit, /) -> None:
        """The facts of a commit will be asked for."""

    def close(self) -> None:
        """The analysis is over: write what is new, and end what was started."""
