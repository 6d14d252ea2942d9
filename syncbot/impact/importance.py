"""How much an upstream commit matters upstream, and what kind of change it is (docs/importance.md). What it
means for the backend is an `Impact`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Literal

from syncbot.upstream.git_command import GitCommand
from syncbot.upstream.git_repository import GitRepository
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

_ADDITIONS = {f"{what}-added" for what in ("module", "symbol", "method", "attribute", "parameter-default")}


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
    """What the rules look at. ``files`` counts the files of each kind; ``added`` and ``removed`` are lines of
    code, None if not counted; ``created``, ``deleted`` and ``renamed`` are files of code. ``environment``,
    ``configuration`` and ``dependencies`` are the paths that declare such; ``models`` are new files in a
    folder of models. ``api`` counts API changes by kind."""

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


def _types(message: _Message, facts: CommitFacts) -> tuple[str, ...]:
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
_SECURITY = re.compile(r"\b(CVE-\d{4}-\d+|GHSA(-\w{4}){3}|vulnerabilit(y|ies)|security)\b", re.IGNORECASE)


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
        if _SECURITY.search(commit.subject):
            types.add(SECURITY)
        breaking = bool(conventional and conventional[2]) or bool(_BREAKING.search(commit.body))
        return cls(frozenset(types), breaking or bool({"breaking", "breaking change"} & names))


# Facts

_SUFFIXES = (
    *("py", "pyi", "pyx", "c", "cc", "cpp", "cxx", "cu", "cuh", "h", "hh", "hpp", "hip", "inc"),
    *("rs", "go", "java", "js", "ts", "proto", "jinja"),
)
_CODE = frozenset(f".{suffix}" for suffix in _SUFFIXES)
_FOLDERS = {
    **dict.fromkeys(("test", "tests", "testing"), Kind.TESTS),
    **dict.fromkeys(("doc", "docs"), Kind.DOCS),
    **dict.fromkeys((".buildkite", ".github", ".gitlab", ".circleci", ".ci"), Kind.CI),
    **dict.fromkeys(("docker", "cmake", "requirements"), Kind.BUILD),
    **dict.fromkeys(
        ("benchmark", "benchmarks", "example", "examples", "tool", "tools", "scripts"), Kind.TOOLS
    ),
}
_NAMES = (
    (re.compile(r"(Docker|Make)file.*|CMakeLists\.txt|.*\.cmake|MANIFEST\.in"), Kind.BUILD),
    (re.compile(r"\.pre-commit-.*|\.gitlab-ci\.yml|codecov\.yml"), Kind.CI),
    (re.compile(r".*\.(md|rst|txt)|LICENSE.*"), Kind.DOCS),
)
_TEST = re.compile(r"test_.*|.*_test\.\w+|conftest\.py")
_DEPENDENCIES = re.compile(
    r"(?:.*/)?(?:pyproject\.toml|setup\.(?:py|cfg)|requirements(?:/[\w.-]+|[\w.-]*)\.(?:txt|in))"
)
# A pin of one variant (requirements/cpu.txt) does not concern everybody who installs the package.
_FOR_EVERYONE = re.compile(r"pyproject|setup|requirements|common|base|core|main")
_ENVIRONMENT = re.compile(r"envs?|environ(ment)?s?|env_vars?")
_SETTINGS = re.compile(r"configs?|configuration|settings|flags|(\w+_)?(args|arg_utils)")


@lru_cache(1 << 16)
def kind_of(path: str) -> Kind:
    """What the file at ``path`` is for: by its name where that is telling, else by its folders."""
    file = PurePosixPath(path)
    if _DEPENDENCIES.fullmatch(path):
        return Kind.BUILD
    if _TEST.fullmatch(file.name):
        return Kind.TESTS
    if folder := next((part for part in file.parts[:-1] if part in _FOLDERS), None):
        return _FOLDERS[folder]
    if named := next((kind for pattern, kind in _NAMES if pattern.fullmatch(file.name)), None):
        return named
    return Kind.CODE if file.suffix in _CODE else Kind.OTHER


def requires(path: str) -> bool:
    """Whether the file at ``path`` says what the package requires."""
    return _DEPENDENCIES.fullmatch(path) is not None


def facts_of(
    commit: Commit, lines: Mapping[str, LineCount] | None = None, api: Mapping[str, int] | None = None
) -> CommitFacts:
    """What the rules look at; ``lines`` are the commit's `line_counts`, ``api`` its API changes by kind."""
    files = [(_path(file), file.status) for file in commit.files]
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


def line_counts(repository: GitRepository, old: str | None, new: str) -> dict[str, dict[str, LineCount]]:
    """Commit sha → path (the new one) → lines of code changed, for ``old..new``; a merge against its first
    parent. A partial clone fetches the blobs first. Raises UsageError, EnvironmentFailure."""
    span = [repository.resolve(new)] + ([f"^{repository.resolve(old)}"] if old else [])
    repository.prefetch(_code(repository, old, new))
    output = GitCommand(repository.git_dir, repository.access).run(
        *("log", "--numstat", "-z", "-M", "--root", "--diff-merges=first-parent", "--format=%x01%H"),
        *("--full-history", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color"),
        *(*span, "--", *(f"*.{suffix}" for suffix in _SUFFIXES)),
    )
    return _parse_numstat(output.decode("utf-8", "backslashreplace"))


def _code(repository: GitRepository, old: str | None, new: str) -> Iterator[str]:
    """The blobs of code that the commits touch; the history is read only when the first one is asked for."""
    for commit in repository.commits(old, new):
        for file in commit.files:
            if PurePosixPath(_path(file)).suffix in _CODE:
                yield from (blob for blob in (file.old_blob, file.new_blob) if blob)


def _parse_numstat(output: str) -> dict[str, dict[str, LineCount]]:
    r"""``\x01sha``, then ``added TAB removed TAB path``; renames have two paths, binary files dashes."""
    result: dict[str, dict[str, LineCount]] = {}
    current: dict[str, LineCount] = {}
    tokens = iter(output.split("\0"))
    for token in tokens:
        record = token.lstrip("\n")
        if record.startswith("\x01"):
            current = result.setdefault(record[1:].strip(), {})
        elif record:
            added, removed, path = record.split("\t", 2)
            if not path:
                next(tokens)
                path = next(tokens)
            current[path] = LineCount(int(added.replace("-", "0")), int(removed.replace("-", "0")))
    return result


def _path(file: FileChange) -> str:
    return file.new_path or file.old_path or ""


def _is_configuration(path: str) -> bool:
    file = PurePosixPath(path)
    return any(_SETTINGS.fullmatch(part) for part in (*file.parts[:-1], file.stem))


def _is_model(path: str) -> bool:
    return "models" in PurePosixPath(path).parts[:-1] and path.endswith(".py")
