"""How much an upstream commit matters upstream, and what kind of change it is (docs/importance.md). What it
means for the backend is an `Impact`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Literal

from syncbot.impact.changed_files import Kind, LineCount, kind_of, path_of, requires
from syncbot.impact.commit_messages import (
    ARCHITECTURE,
    BUG_FIX,
    CI,
    CONFIGURATION,
    DEPENDENCY,
    DOCUMENTATION,
    FEATURE,
    MODEL,
    REFACTOR,
    SECURITY,
    TEST,
    TYPES,
    Message,
)
from syncbot.upstream.model import Commit

Level = Literal["high", "medium", "low"]
LEVELS: tuple[Level, ...] = ("high", "medium", "low")

# The thresholds of docs/importance.md.
BROAD_FILES, BROAD_LINES, LINES_A_FILE, HUGE_LINES = 6, 300, 10, 1000
SOME_FILES, SOME_LINES = 5, 30
MANY_FILES = 15
MANY_API_CHANGES = 10

_ADDITIONS = {f"{what}-added" for what in ("module", "symbol", "method", "attribute", "parameter-default")}


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """The facts that the rules use. ``files`` counts the files of each kind; ``added`` and ``removed`` are
    lines of code, None if not counted; ``created``, ``deleted`` and ``renamed`` are files of code.
    ``environment``, ``configuration`` and ``dependencies`` are the paths that declare such; ``models`` are
    new files in a folder of models. ``api`` counts API changes by kind."""

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
        """API changes that can fail somebody: all but those that only add something."""
        return sum(count for kind, count in self.api.items() if kind not in _ADDITIONS)


def classify(commit: Commit, facts: CommitFacts) -> tuple[Level, tuple[str, ...]]:
    """The importance of a commit upstream, and its change types, the most telling first (at least one)."""
    message = Message.of(commit)
    return _level(message, facts), _types(message, facts)


def _level(message: Message, facts: CommitFacts) -> Level:
    if message.breaking or facts.incompatible >= MANY_API_CHANGES:
        return "high"
    if _is_broad(facts):
        return "high" if facts.added != 0 else "medium"
    raised = (
        facts.environment
        or facts.incompatible
        or SECURITY in message.types
        or any(_FOR_EVERYONE.fullmatch(PurePosixPath(path).stem) for path in facts.dependencies)
    )
    noticeable = facts.code >= SOME_FILES or (facts.lines or 0) >= SOME_LINES
    return "medium" if raised or noticeable else "low"


def _is_broad(facts: CommitFacts) -> bool:
    if facts.lines is None:
        return facts.code >= MANY_FILES
    if facts.lines < LINES_A_FILE * facts.code:
        return False
    return facts.lines >= HUGE_LINES or (facts.lines >= BROAD_LINES and facts.code >= BROAD_FILES)


def _types(message: Message, facts: CommitFacts) -> tuple[str, ...]:
    found = set(message.types)
    if facts.models and not {BUG_FIX, REFACTOR} & found:
        found.add(MODEL)
    if facts.deleted or facts.renamed or _is_rewritten(facts):
        found.add(REFACTOR)
    if _is_broad(facts) and (REFACTOR in found or facts.created) and facts.code >= BROAD_FILES:
        found.add(ARCHITECTURE)
    if facts.dependencies:
        found.add(DEPENDENCY)
    if facts.environment or facts.configuration:
        found.add(CONFIGURATION)
    if not facts.code:
        found -= {FEATURE, MODEL}
        found |= {_WITHOUT_CODE[kind] for kind in facts.files if kind in _WITHOUT_CODE}
    if not found:
        found.add(FEATURE if (facts.added or 0) > 2 * (facts.removed or 0) else REFACTOR)
    return tuple(sorted(found, key=TYPES.index))


def _is_rewritten(facts: CommitFacts) -> bool:
    """Whether a good deal of code was replaced rather than added."""
    return (facts.lines or 0) >= 100 and 2 * (facts.removed or 0) >= (facts.added or 0)


_WITHOUT_CODE = {
    Kind.TESTS: TEST,
    Kind.CI: CI,
    Kind.DOCS: DOCUMENTATION,
    Kind.BUILD: CONFIGURATION,
    Kind.OTHER: CONFIGURATION,
}


# A pin of one variant (requirements/cpu.txt) does not concern everybody who installs the package.
_FOR_EVERYONE = re.compile(r"pyproject|setup|requirements|common|base|core|main")
_ENVIRONMENT = re.compile(r"envs?|environ(ment)?s?|env_vars?")
_SETTINGS = re.compile(r"configs?|configuration|settings|flags|(\w+_)?(args|arg_utils)")


def facts_of(
    commit: Commit, lines: Mapping[str, LineCount] | None = None, api: Mapping[str, int] | None = None
) -> CommitFacts:
    """Return a commit's facts; ``lines`` are its `line_counts`, ``api`` counts its API changes by kind."""
    files = [(path_of(file), file.status) for file in commit.files]
    kinds = {path: kind_of(path) for path, _ in files}
    code = [(path, status) for path, status in files if kinds[path] is Kind.CODE]
    paths = [path for path, _ in code]
    statuses = Counter(status for _, status in code)
    added, removed = (None, None) if lines is None else _changed_lines(lines, paths)
    return CommitFacts(
        files=Counter(kinds.values()),
        added=added,
        removed=removed,
        created=statuses["A"],
        deleted=statuses["D"],
        renamed=statuses["R"],
        environment=tuple(path for path in paths if _ENVIRONMENT.fullmatch(PurePosixPath(path).stem)),
        configuration=tuple(path for path in paths if _is_configuration(path)),
        dependencies=tuple(path for path, _ in files if requires(path)),
        models=tuple(path for path, status in code if status == "A" and _is_model(path)),
        api=api or {},
    )


def _changed_lines(lines: Mapping[str, LineCount], paths: Sequence[str]) -> tuple[int, int]:
    counts = [lines[path] for path in paths if path in lines]
    return sum(count.added for count in counts), sum(count.removed for count in counts)


def _is_configuration(path: str) -> bool:
    file = PurePosixPath(path)
    return any(_SETTINGS.fullmatch(part) for part in (*file.parts[:-1], file.stem))


def _is_model(path: str) -> bool:
    return "models" in PurePosixPath(path).parts[:-1] and path.endswith(".py")
