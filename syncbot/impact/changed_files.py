"""The files that a commit changes: what they are for, told from their paths, and how many lines of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import PurePosixPath

from syncbot.upstream.git_command import GitCommand
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import FileChange


class Kind(StrEnum):
    """The purpose of a file, derived from its path."""

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


@lru_cache(1 << 16)
def kind_of(path: str) -> Kind:
    """Return the purpose of the file at ``path``: by its name where that is telling, else by its folders."""
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


def path_of(file: FileChange) -> str:
    """The path of a changed file, the new one where it has one."""
    return file.new_path or file.old_path or ""


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
            if PurePosixPath(path_of(file)).suffix in _CODE:
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
