"""What each commit of a range means for the backend."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from syncbot.impact.changed_files import Kind as FileKind
from syncbot.impact.changed_files import LineCount, kind_of, requires
from syncbot.impact.model import Impact, Verdict
from syncbot.impact.module_history import ModuleHistory
from syncbot.steps.model import JudgedCommit, Standing
from syncbot.upstream.model import Commit

_STANDINGS = {
    Verdict.BREAKS: Standing.BREAKS,
    Verdict.AT_RISK: Standing.AT_RISK,
    Verdict.DRIFT: Standing.DRIFT,
}
_PYTHON = (".py", ".pyi")
# Requirements that no user of a package installs, told from a word of their path.
_FOR_DEVELOPERS = re.compile(r"(?:^|[-_./])(?:test|tests|lint|docs?|dev|develop)(?=[-_./])")


def judged_commits(
    commits: Sequence[Commit],
    impacts: Mapping[str, Sequence[Impact]],
    history: ModuleHistory,
    involved: Collection[str],
    lines: Mapping[str, Mapping[str, LineCount]],
) -> list[JudgedCommit]:
    """The commits, oldest first as given. Harmless is one that has no impact, changes no module of
    ``involved``, no requirement and no compiled code."""
    modules: list[list[str]] = [[] for _ in commits]
    for module, places in history.places.items():
        for place in places:
            modules[place].append(module)
    return [
        _judged(commit, impacts.get(commit.sha, ()), sorted(changed), involved, lines.get(commit.sha, {}))
        for commit, changed in zip(commits, modules, strict=True)
    ]


def _judged(
    commit: Commit,
    impacts: Sequence[Impact],
    modules: Sequence[str],
    involved: Collection[str],
    lines: Mapping[str, LineCount],
) -> JudgedCommit:
    met = tuple(module for module in modules if module in involved)
    verdicts = {impact.verdict for impact in impacts}
    standing = next((named for verdict, named in _STANDINGS.items() if verdict in verdicts), None)
    if standing is None:
        standing = Standing.UNSAID if met or _unseen(commit) else Standing.HARMLESS
    code = sum(count.added + count.removed for path, count in lines.items() if kind_of(path) is FileKind.CODE)
    return JudgedCommit(commit, standing, tuple(impacts), tuple(modules), met, code)


def _unseen(commit: Commit) -> bool:
    """Whether a commit changes what the backend may meet without naming it: requirements, compiled code."""
    code = (path for path in commit.paths if kind_of(path) is FileKind.CODE)
    required = (path for path in commit.paths if requires(path) and not _FOR_DEVELOPERS.search(path))
    return any(required) or any(not path.endswith(_PYTHON) for path in code)
