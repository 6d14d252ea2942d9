"""The judgement of each commit of a range for the backend."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from syncbot.impact.changed_files import Kind as FileKind
from syncbot.impact.changed_files import LineCount, kind_of
from syncbot.impact.model import Impact, Verdict
from syncbot.impact.module_history import ModuleHistory
from syncbot.steps.model import JudgedCommit, Standing
from syncbot.upstream.model import Commit

_STANDINGS = {
    Verdict.BREAKS: Standing.BREAKS,
    Verdict.AT_RISK: Standing.AT_RISK,
    Verdict.DRIFT: Standing.DRIFT,
}


def judged_commits(
    commits: Sequence[Commit],
    impacts: Mapping[str, Sequence[Impact]],
    history: ModuleHistory,
    involved: Collection[str],
    met_unnamed: Callable[[Commit], bool],
    keeps: Callable[[Commit, str], bool],
    lines: Mapping[str, Mapping[str, LineCount]],
) -> list[JudgedCommit]:
    """The commits, oldest first as given. Harmless is one that has no impact and changes nothing that is met
    without a contract, as ``met_unnamed`` says, and each of whose modules is outside of ``involved`` or keeps
    what it said, as ``keeps`` says: that reads the module twice, and is asked only where it decides."""
    modules: list[list[str]] = [[] for _ in commits]
    for module, places in history.places.items():
        for place in places:
            modules[place].append(module)
    return [
        _judged(
            commit,
            impacts.get(commit.sha, ()),
            (sorted(changed), sorted(m for m in changed if m in involved)),
            (partial(keeps, commit), met_unnamed),
            lines.get(commit.sha, {}),
        )
        for commit, changed in zip(commits, modules, strict=True)
    ]


def _judged(
    commit: Commit,
    impacts: Sequence[Impact],
    changed: tuple[Sequence[str], Sequence[str]],
    proof: tuple[Callable[[str], bool], Callable[[Commit], bool]],
    lines: Mapping[str, LineCount],
) -> JudgedCommit:
    (modules, met), (keeps, met_unnamed) = changed, proof
    verdicts = {impact.verdict for impact in impacts}
    standing = next((named for verdict, named in _STANDINGS.items() if verdict in verdicts), None)
    if standing is None:
        met = () if all(map(keeps, met)) else met
        standing = Standing.UNSAID if met or met_unnamed(commit) else Standing.HARMLESS
    code = sum(count.added + count.removed for path, count in lines.items() if kind_of(path) is FileKind.CODE)
    return JudgedCommit(commit, standing, tuple(impacts), tuple(modules), tuple(met), code)
