"""How much an upstream commit matters upstream, and what kind of change it is, by rules over its structure.

The rules and their thresholds are stated in docs/importance.md, with how they compare to a day that a
person judged. What a commit means for the backend is another question: see `syncbot.impact.model.Impact`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Literal

from syncbot.upstream.command import Access, GitCommand
from syncbot.upstream.git import GitRepository
from syncbot.upstream.model import Commit, FileChange

Level = Literal["high", "medium", "low"]
LEVELS: tuple[Level, ...] = ("high", "medium", "low")

FEATURE, MODEL, BUG_FIX, PERFORMANCE = "feature", "model support", "bug fix", "performance"
REFACTOR, ARCHITECTURE, SECURITY, DEPENDENCY = "refactor", "architecture", "security", "dependency"
CONFIGURATION, TEST, CI, DOCUMENTATION = "configuration", "test", "CI", "documentation"
TYPES = (
    *(ARCHITECTURE, FEATURE, MODEL, BUG_FIX, PERFORMANCE, SECURITY),
    *(REFACTOR, DEPENDENCY, CONFIGURATION, TEST, CI, DOCUMENTATION),
)

# The thresholds of docs/importance.md.
BROAD_FILES, BROAD_LINES, LINES_A_FILE, HUGE_LINES = 6, 300, 10, 1000
SOME_FILES, SOME_LINES = 5, 30
MANY_FILES = 15
MANY_API_CHANGES = 10


class Kind(StrEnum):
    """What a file is for, told from its path."""

    CODE = "code"
    TESTS = "tests"
    DOCS = "docs"
    CI = "ci"
    BUILD = "build"
    TOOLS = "tools"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class LineCount:
    """Lines added to and removed from one file; both 0 for a binary one."""

    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """What the rules look at.

    ``files`` counts the files of each kind. ``added`` and ``removed`` are lines of code (not of tests,
    docs …), None where nobody counted. ``created``, ``deleted`` and ``renamed`` count files of code.
    ``environment``, ``configuration`` and ``dependencies`` are the paths that declare environment
    variables, settings or command-line options, and required packages; ``models`` are new files of code
    in a folder of models. ``api`` counts API changes by kind (``parameter-removed`` …), where known.
    """

    files: Mapping[Kind, int]
    added: int | None = None
    removed: int | None = None
    created: int = 0
    deleted: int = 0
    renamed: int = 0
    environment: tuple[str, ...] = ()
    configuration: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    api: Mapping[str, int] = field(default_factory=dict)

    @property
    def code(self) -> int:
        """The number of files of code."""
        return self.files.get(Kind.CODE, 0)

    @property
    def lines(self) -> int | None:
        """Lines of code added or removed, None where nobody counted."""
        return None if self.added is None or self.removed is None else self.added + self.removed

    @property
    def incompatible(self) -> int:
        """API changes that can fail somebody: all but pure additions."""
        return sum(count for kind, count in self.api.items() if not kind.endswith("-added"))


def classify(commit: Commit, facts: CommitFacts) -> tuple[Level, tuple[str, ...]]:
    """The importance of a commit upstream, and its change types, the most telling first (at least one)."""
    message = _Message.of(commit)
    return _level(message, facts), _types(message, facts)


def _level(message: _Message, facts: CommitFacts) -> Level:
    if message.breaking or facts.incompatible >= MANY_API_CHANGES:
        return "high"
    if _is_broad(facts):
        return "high" if facts.added != 0 else "medium"
    raised = (
        facts.environment
        or facts.incompatible
        or SECURITY in message.types
        or any(_is_for_everyone(path) for path in facts.dependencies)
    )
    return "medium" if raised or _is_noticeable(facts) else "low"


def _is_broad(facts: CommitFacts) -> bool:
    if facts.lines is None:
        return facts.code >= MANY_FILES
    broad = facts.code >= BROAD_FILES and facts.lines >= max(BROAD_LINES, LINES_A_FILE * facts.code)
    return broad or facts.lines >= HUGE_LINES


def _is_noticeable(facts: CommitFacts) -> bool:
    return facts.code >= SOME_FILES or (facts.lines or 0) >= SOME_LINES


def _types(message: _Message, facts: CommitFacts) -> tuple[str, ...]:
    found = set(message.types)
    # A commit tagged for CI that changes the product is not about CI alone, so that its files speak too.
    reshaped = bool(facts.deleted or facts.renamed) or _is_rewritten(facts)
    if facts.models and not {BUG_FIX, REFACTOR} & found:
        found.add(MODEL)
    if reshaped:
        found.add(REFACTOR)
    if _is_broad(facts) and (REFACTOR in found or facts.created) and facts.code >= BROAD_FILES:
        found.add(ARCHITECTURE)
    if facts.dependencies:
        found.add(DEPENDENCY)
    if facts.environment or facts.configuration:
        found.add(CONFIGURATION)
    if not facts.code:
        found |= {kind for kind in _types_without_code(facts) if kind}
    if not found:
        found.add(FEATURE if (facts.added or 0) > 2 * (facts.removed or 0) else REFACTOR)
    return tuple(sorted(found, key=TYPES.index))


def _is_rewritten(facts: CommitFacts) -> bool:
    """Whether a good deal of code was replaced rather than added."""
    if facts.added is None or facts.removed is None:
        return False
    return facts.added + facts.removed >= 100 and 2 * facts.removed >= facts.added


def _types_without_code(facts: CommitFacts) -> Iterator[str | None]:
    names = {Kind.TESTS: TEST, Kind.CI: CI, Kind.DOCS: DOCUMENTATION}
    names |= {Kind.BUILD: CONFIGURATION, Kind.OTHER: CONFIGURATION}
    present = [kind for kind, count in facts.files.items() if count]
    yield from (names.get(kind) for kind in present)


# Messages

_TAG = re.compile(r"\s*\[([^\]\n]{1,60})\]\s*:?")
# Conventional Commits: `feat(scope)!: subject`
_CONVENTIONAL = re.compile(r"\s*([a-z]{2,12})(?:\([^)\n]{0,60}\))?(!?):\s", re.IGNORECASE)
_BREAKING = re.compile(r"^BREAKING[ -]CHANGE:", re.MULTILINE)

_TAG_TYPES = {
    **dict.fromkeys(("bugfix", "bug fix", "bug", "fix", "hotfix", "revert"), BUG_FIX),
    **dict.fromkeys(("feature", "feat", "new feature"), FEATURE),
    **dict.fromkeys(("perf", "performance", "optimization", "optimize"), PERFORMANCE),
    **dict.fromkeys(("refactor", "cleanup", "clean up"), REFACTOR),
    **dict.fromkeys(("ci", "ci build"), CI),
    **dict.fromkeys(("test", "tests"), TEST),
    **dict.fromkeys(("doc", "docs", "documentation"), DOCUMENTATION),
    **dict.fromkeys(("model", "new model"), MODEL),
    **dict.fromkeys(("security",), SECURITY),
    **dict.fromkeys(("deps", "dependencies", "dependency"), DEPENDENCY),
    **dict.fromkeys(("config", "configuration"), CONFIGURATION),
}
_FIRST_WORDS = {
    **dict.fromkeys(("fix", "fixes", "fixed", "revert", "correct"), BUG_FIX),
    **dict.fromkeys(("add", "adds", "support", "enable", "implement", "introduce", "allow"), FEATURE),
    **dict.fromkeys(("optimize", "accelerate", "speed"), PERFORMANCE),
    **dict.fromkeys(("refactor", "move", "rename", "simplify", "unify", "consolidate", "migrate"), REFACTOR),
    **dict.fromkeys(("remove", "delete", "drop", "deprecate", "clean", "split"), REFACTOR),
    **dict.fromkeys(("bump", "upgrade", "pin", "unpin"), DEPENDENCY),
}
_SECURITY = re.compile(r"\b(CVE-\d{4}-\d+|GHSA(-\w{4}){3}|vulnerabilit(y|ies)|security|TLS|SSL)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Message:
    """What the words of a commit say: the change types they name, and whether they announce a break."""

    types: frozenset[str]
    breaking: bool

    @classmethod
    def of(cls, commit: Commit) -> _Message:
        tags: list[str] = []
        rest = commit.subject
        while found := _TAG.match(rest):
            tags += re.split(r"[/,&]", found[1])
            rest = rest[found.end() :]
        conventional = _CONVENTIONAL.match(rest)
        if conventional:
            tags.append(conventional[1])
            rest = rest[conventional.end() :]
        names = {re.sub(r"[\s_-]+", " ", tag).strip().lower() for tag in tags}
        types = {_TAG_TYPES[name] for name in names if name in _TAG_TYPES}
        types |= {DOCUMENTATION for name in names if name.startswith("doc")}
        types |= {REFACTOR for name in names if name.endswith(" refactor")}
        first = re.match(r"\W*(\w+)", rest)
        if first and not types - {CI, TEST} and first[1].lower() in _FIRST_WORDS:
            types.add(_FIRST_WORDS[first[1].lower()])
        # A flag named after TLS is no cure for a hole in it, so that those words need the subject to be
        # about security in another way too: see `_level`, which these types raise.
        if re.search(_SECURITY, commit.subject):
            types.add(SECURITY)
        breaking = bool(conventional and conventional[2]) or bool(_BREAKING.search(commit.body))
        return cls(frozenset(types), breaking or bool({"breaking", "breaking change"} & names))
