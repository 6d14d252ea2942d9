"""Whether one tree of the backend keeps to several upstream trees at once, by its tests of the version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.errors import UsageError
from syncbot.impact.session import backend_of, opened
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import resolve
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.opening import open_upstream
from syncbot.verify.lacking import all_others, lacking
from syncbot.verify.violations import Violation
from syncbot.workflows.project import configured


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCheckOptions:
    """``trees`` are references of upstream by the names that a report has for them."""

    trees: Mapping[str, str]
    backend: Path = Path()
    upstream: str | None = None
    include_tests: bool = False


@dataclass(frozen=True, slots=True)
class CheckedTree:
    """One upstream tree: its name, its commit, and what it does not keep; ``alone`` are those that not every
    tree has: there a test of versions is missing or wrong."""

    name: str
    commit: str
    violations: tuple[Violation, ...]
    alone: frozenset[Violation] = frozenset()


def check_gates(options: GateCheckOptions, meter: Meter = no_meter) -> tuple[CheckedTree, ...]:
    """Return each tree with what it does not keep, in the given order. Raises UsageError for an unknown
    reference, ConfigurationError, and EnvironmentFailure."""
    config = configured(options.backend)
    own = backend_of(config)
    tests = {file.path for file in own.files if file.is_test and not options.include_tests}
    with open_upstream(
        config, options.upstream, cache_dir(), list(options.trees.values()), meter
    ) as followed:
        commits = {name: resolve(followed.repository, ref) for name, ref in options.trees.items()}
        with opened(config, followed, own, cache_dir()) as trees:
            told = lacking(trees, commits, lambda _: all_others(commits), cache_dir(), meter)
    found = {name: tuple(v for v in each.breaks if v.file not in tests) for name, each in told.items()}
    everywhere = frozenset[Violation].intersection(*map(frozenset, found.values()))
    return tuple(
        CheckedTree(name, commits[name], each, frozenset(each) - everywhere) for name, each in found.items()
    )


def named_trees(words: Sequence[str]) -> dict[str, str]:
    """The references by name of words such as ``main=HEAD,release=v0.31.0``. Raises UsageError."""
    found: dict[str, str] = {}
    for word in (each for words_ in words for each in words_.split(",")):
        name, equals, ref = word.partition("=")
        if not (name and equals and ref) or name in found:
            raise UsageError(f"{word!r} names no tree: --trees main=HEAD,release=v0.31.0")
        found[name] = ref
    return found
