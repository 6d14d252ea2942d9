"""Compares the rules for importance with a day that a person judged, and shows how they judge other days.

usage: python benchmarks/importance.py REPOSITORY TRUTH.tsv [REF]

REPOSITORY is a git directory with vLLM's history, TRUTH.tsv has one commit a line: sha, level, types.
With REF, the levels of the commits of each month of that history are counted too.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from syncbot.api.cache import TableCache
from syncbot.api.extract import extract
from syncbot.api.model import ModuleTable, UsageTable
from syncbot.api.usage import extract_usage
from syncbot.contracts.sources import Backend
from syncbot.impact.changed_files import line_counts
from syncbot.impact.facts.span import facts_of_span
from syncbot.impact.importance import LEVELS, classify, facts_of
from syncbot.impact.trees import Trees
from syncbot.upstream.commit_range import Span
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Commit


def judged(truth: Path) -> dict[str, tuple[str, str]]:
    """Sha → level and types, as the file has them."""
    rows = (line.split("\t") for line in truth.read_text(encoding="utf-8").splitlines() if line.strip())
    return {sha: (level, types) for sha, level, types in rows}


def api_changes(repository: GitRepository, commit: Commit) -> Counter[str]:
    """The breaking API changes of a commit by kind, as a report counts them."""
    with TemporaryDirectory() as cache:
        tables = TableCache(None, "modules", "1", extract, ModuleTable)
        usages = TableCache(None, "usages", "1", extract_usage, UsageTable)
        trees = Trees(repository, packages(repository, commit.sha), Backend(Path(), ()), tables, usages)
        span = Span(commit.parents[0], commit.sha, (commit,))
        return facts_of_span(trees, span, Path(cache), [commit.sha])[commit.sha].breaking()


def packages(repository: GitRepository, sha: str) -> tuple[str, ...]:
    """The import packages at the top of a tree that has one beside its tests."""
    tops = {
        path.partition("/")[0]
        for path in repository.tree(sha)
        if path.count("/") == 1 and path.endswith("/__init__.py")
    }
    return tuple(sorted(tops - {"tests", "benchmarks", "examples", "docs"}))


def confusion(repository: GitRepository, truth: Path) -> None:
    """Print the table of levels, the share that is equal, and every commit judged otherwise."""
    table: Counter[tuple[str, str]] = Counter()
    otherwise = []
    for short, (level, types) in judged(truth).items():
        sha = repository.resolve(short)
        commit = repository.commits(f"{sha}^", sha)[0]
        lines = line_counts(repository, f"{sha}^", sha).get(sha, {})
        ours, our_types = classify(commit, facts_of(commit, lines, api_changes(repository, commit)))
        table[level, ours] += 1
        if level != ours:
            otherwise.append(f"{short} {level} → {ours}: {commit.subject}")
        if "--types" in sys.argv:
            print(f"{short} {types} → {', '.join(our_types)}")
    print("| judged \\ rules | " + " | ".join(LEVELS) + " |")
    print("|---|" + "---:|" * len(LEVELS))
    for level in LEVELS:
        print(f"| {level} | " + " | ".join(str(table[level, ours]) for ours in LEVELS) + " |")
    equal = sum(table[level, level] for level in LEVELS)
    far = table["high", "low"] + table["low", "high"]
    print(f"\n{equal} of {table.total()} equal ({equal / table.total():.0%}), {far} two steps off")
    print(*otherwise, sep="\n")


def months(repository: GitRepository, ref: str) -> None:
    """Print how many commits of each month get which level."""
    counts = line_counts(repository, None, ref)
    table: dict[str, Counter[str]] = {}
    types: Counter[str] = Counter()
    for commit in repository.commits(None, ref):
        level, found = classify(commit, facts_of(commit, counts.get(commit.sha, {})))
        table.setdefault(f"{commit.date:%Y-%m}", Counter())[level] += 1
        types.update(found)
    print("\n| month | commits | " + " | ".join(LEVELS) + " |")
    print("|---|---:|" + "---:|" * len(LEVELS))
    for month, levels in sorted(table.items()):
        shares = " | ".join(f"{levels[level] / levels.total():.0%}" for level in LEVELS)
        print(f"| {month} | {levels.total()} | {shares} |")
    print("\n" + ", ".join(f"{name} {count}" for name, count in types.most_common()))


def main() -> None:
    """Run both comparisons on what the command line names."""
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(arguments) not in (2, 3):
        sys.exit(__doc__)
    with GitRepository(Path(arguments[0])) as repository:
        confusion(repository, Path(arguments[1]))
        if len(arguments) == 3:
            months(repository, arguments[2])


if __name__ == "__main__":
    main()
