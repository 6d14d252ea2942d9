"""Finds the plan's fix of each impact, or the reason for none, for reports; caches them by their inputs."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from syncbot.api.cache import package_digest
from syncbot.contracts.sources import Backend
from syncbot.errors import EnvironmentFailure
from syncbot.impact.caching.analysis_cache import question
from syncbot.impact.model import Fix, Impact, Verdict
from syncbot.impact.runs import Evidenced
from syncbot.impact.trees import Trees
from syncbot.patching.proposals import fix, propose
from syncbot.patching.registry import Rule
from syncbot.project_metadata.formatter_settings import formatter_settings
from syncbot.sealed_values import keep, recall

if TYPE_CHECKING:
    from syncbot.planning.judged_proof import Checker
    from syncbot.planning.plan import Plan

_CODE = ("planning/**/*.py", "patching/**/*.py")


class PlannedFixes(msgspec.Struct, frozen=True):
    """The fixes of impacts and the reasons why others have none, by their ids; the texts with all fixes."""

    fixes: Mapping[str, Fix] = {}
    reasons: Mapping[str, str] = {}
    texts: Mapping[str, str] = {}


def planned_fixes(
    trees: Trees,
    old: str,
    new: str,
    impacts: Sequence[Impact],
    folder: Path,
    checker: Checker | None = None,
) -> PlannedFixes:
    """Return the plan's fixes of impacts between two commits, those of a migration with the same ``checker``,
    kept in a folder for the next time. Without a checker, findings of type checkers alone are trusted and
    rewritten."""
    serious = [
        i
        for i in impacts
        if i.verdict in (Verdict.BREAKS, Verdict.AT_RISK) and i.evidence is not Evidenced.RAN
    ]
    if not any(i.verdict is Verdict.BREAKS or i.contract == "import" for i in serious):
        return PlannedFixes()
    settings = formatter_settings(trees.backend.root)
    written = f"{settings} {version('ruff')} {checker is not None}"
    found_by = hashlib.sha256(f"{serious!r} {written}".encode()).hexdigest()
    asked = (old, new, found_by, package_digest(*_CODE))
    file = folder / f"{question(trees.backend, trees.packages, trees.knowledge, *asked)}.msgpack"
    known = recall(folder.parent, file)
    if known is not None:
        return msgspec.msgpack.decode(known, type=PlannedFixes)
    from syncbot.planning.layout import laid_out_plan
    from syncbot.planning.plan import plan

    found = _fixes(laid_out_plan(plan(trees, old, new, serious, checker), trees.backend, settings))
    # A cache that cannot be written is no error.
    with suppress(EnvironmentFailure):
        keep(folder.parent, file, msgspec.msgpack.encode(found))
    return found


def _fixes(done: Plan) -> PlannedFixes:
    fixes: dict[str, Fix] = {}
    for mended in done.rewritten:
        rules = mended.rules or _by_the_way(mended.impact, done)
        if rules:
            first, *others = map(fix, rules)
            proven = "contracts" in mended.impact.engines
            fixes[mended.impact.id] = replace(first, also=tuple(others), notes=mended.notes, proven=proven)
    return PlannedFixes(fixes, {left.impact.id: left.why for left in done.unwritten}, done.changes)


def _by_the_way(impact: Impact, done: Plan) -> Sequence[Rule]:
    """The rules that mend an impact which has none of its own: those written into its file, else those about
    the same symbol, else the first ones."""
    files = {place.file for place in impact.locations}
    others = [other for other in done.rewritten if other.rules]
    here = [o for o in others if files & {place.file for place in o.impact.locations}]
    same = [o for o in others if o.impact.symbol == impact.symbol]
    return next((o.rules for o in (*here, *same, *others)), ())


def with_fixes(impacts: Iterable[Impact], planned: PlannedFixes) -> list[Impact]:
    """Return the impacts, each with the fix that is planned for it, or the reason why there is none. What may
    break, and was not planned, has the rewrite that its change names, which nobody has proven."""
    return [_with_fix(impact, planned) for impact in impacts]


def _with_fix(impact: Impact, planned: PlannedFixes) -> Impact:
    found = planned.fixes.get(impact.id)
    if found is None and impact.verdict is Verdict.AT_RISK:
        rule = propose(impact)
        found = fix(rule) if rule is not None else None
    return replace(impact, fix=found, no_fix="" if found else planned.reasons.get(impact.id, impact.no_fix))


def unified_diff(backend: Backend, texts: Mapping[str, str], folder: str = "") -> str:
    """The edits of a backend's files as unified diffs; ``folder`` stands before their paths."""
    before = {file.path: file.text.decode("utf-8", "replace") for file in backend.files}
    return "".join(line for path in sorted(texts) for line in _diff(before[path], texts[path], folder + path))


def _diff(old: str, new: str, path: str) -> Iterator[str]:
    was, now = (text.splitlines(keepends=True) for text in (old, new))
    name = path if path.isprintable() else ascii(path)[1:-1]
    for line in difflib.unified_diff(was, now, f"a/{name}", f"b/{name}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
