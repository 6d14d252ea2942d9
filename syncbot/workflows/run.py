"""The backend, run on both ends of a range: its imports and its tests beside either release of upstream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from packaging.utils import canonicalize_name

from syncbot.config import Config
from syncbot.impact.analysis import Analysis
from syncbot.impact.runs import Ran, RunSummary
from syncbot.impact.trees import Trees
from syncbot.patching.model import Patch
from syncbot.project_metadata.installed_with import installed_with
from syncbot.running.commands import Measured, Pairing, unguarded
from syncbot.running.compared import Compared, compared
from syncbot.running.ends import End, end_of, overlay
from syncbot.running.environment import Installed, installed
from syncbot.running.failures import Lost, last_line
from syncbot.running.findings import with_runs
from syncbot.running.nearest_first import (
    changed_lines,
    changed_modules,
    functions_at,
    installed_file,
    nearest_first,
)
from syncbot.running.project_copy import Project, project_of
from syncbot.triage.searched_range import SearchedRange
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.model import Meter
from syncbot.upstream.opening import Upstream
from syncbot.verify.installer import Installer

_DIFFERENT = 6


def with_run(
    config: Config,
    followed: Upstream,
    trees: Trees,
    analysis: Analysis,
    patches: Sequence[Patch],
    budget: float,
    meter: Meter,
) -> tuple[Analysis, RunSummary | None]:
    """The analysis with what running shows, and what was run; tests may use ``budget`` seconds of processor.
    Without a commit in the range nothing is run. Raises UsageError for ends that no release stands for,
    EnvironmentFailure."""
    span = analysis.span
    if not span.commits:
        return analysis, None
    cache = cache_dir()
    project = project_of(trees.backend)
    ends = [end_of(config, followed, trees, commit) for commit in (span.old, span.new)]
    wanted = installed_with(project.root, ends[0].distribution)
    installer = Installer.of_this_machine(cache)
    first = tuple(dict.fromkeys((*followed.packages, *project.imported)))
    pairings: list[Pairing] = []
    for end in ends:
        like = pairings[0].installed if pairings else None
        made = installed(end.distribution, str(end.version), wanted, like, installer, cache, meter)
        over = overlay(end, trees, made, cache, meter)
        pairings.append(Pairing(project, made, over, first, installer, cache))
    old, new = pairings
    changed = changed_modules(trees, span.old, span.new)
    files = nearest_first(project, changed, {at.file for i in analysis.impacts for at in i.locations})
    lines = changed_lines(trees, span.old, span.new, changed)
    places = _places(trees, span.old, old)
    measured = Measured(
        {places[module]: numbers for module, numbers in lines.items()} | _ours(project, analysis)
    )
    found = compared(old, new, files, budget, measured, meter)
    case = SearchedRange(trees, span, lambda: analysis.impacts, patches)
    lost = list(_lost(found, project, trees, span.old, {path: module for module, path in places.items()}))
    impacts = with_runs(case, analysis.impacts, lost, project)
    return replace(analysis, impacts=impacts), _summary(ends, pairings, found, files)


def _places(trees: Trees, commit: str, pairing: Pairing) -> dict[str, str]:
    """Where upstream's modules are installed, as one sees them that runs."""
    tree = pairing.overlay or pairing.installed.site
    modules = trees.tree(commit).modules.items()
    return {module: str(installed_file(tree, module, path)) for module, (path, _) in modules}


def _ours(project: Project, analysis: Analysis) -> dict[str, tuple[int, ...]]:
    """The lines of ours that impacts name, by the paths in the project."""
    found: dict[str, set[int]] = {}
    for place in (place for impact in analysis.impacts for place in impact.locations):
        found.setdefault(f"{project.prefix}{place.file}", set()).add(place.line)
    return {path: tuple(sorted(numbers)) for path, numbers in found.items()}


def _lost(
    found: Compared, project: Project, trees: Trees, old: str, modules: Mapping[str, str]
) -> Iterator[Lost]:
    """All that only the newer end fails; ``modules`` are upstream's by where they are installed."""
    paths = {file.module: f"{project.prefix}{file.path}" for file in project.backend.files}
    for name, ending in found.modules.items():
        yield Lost(Ran.MODULE, name, paths[name], ending)
    for name, ending in found.tests.items():
        executed = [
            function
            for file, numbers in found.lines.get(name, {}).items()
            if file in modules
            for function in functions_at(trees.tree(old).source(modules[file]) or b"", modules[file], numbers)
        ]
        yield Lost(Ran.TEST, name, name.partition("::")[0], ending, tuple(executed))


def _summary(
    ends: Sequence[End], pairings: Sequence[Pairing], found: Compared, files: Sequence[str]
) -> RunSummary:
    return RunSummary(
        old=ends[0].shown,
        new=ends[1].shown,
        modules=found.imported,
        modules_lost=len(found.modules),
        tests=found.passed,
        compared=found.ran,
        tests_lost=len(found.tests),
        flaky=found.flaky,
        hanging=found.hanging,
        gone=found.gone,
        files=len(files),
        files_left=found.files_left,
        notes=(*_notes(ends, [pairing.installed for pairing in pairings]), *_uncollected(found)),
    )


def _uncollected(found: Compared) -> Iterator[str]:
    """Which tests were not run, and why: what they would say of upstream, nobody knows."""
    if found.uncollected:
        file, ending = next(iter(found.uncollected.items()))
        count, error = len(found.uncollected), last_line(ending.text)
        yield f"On the older end, files of tests cannot be imported ({count}), such as {file}: {error}."


def _notes(ends: Sequence[End], environments: Sequence[Installed]) -> Iterator[str]:
    """Yield the notes that a reader needs about how the ends were made."""
    for end, environment in zip(ends, environments, strict=True):
        yield from (f"On {end.distribution} {end.version}, {note}." for note in environment.notes)
    old, new = (environment.versions for environment in environments)
    upstream = canonicalize_name(ends[0].distribution)
    other = [
        f"{name} ({old.get(name, '-')} → {new.get(name, '-')})"
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name) and name != upstream
    ]
    if other:
        more = [f"{len(other) - _DIFFERENT} more"] if len(other) > _DIFFERENT else []
        yield f"The two ends differ in {', '.join([*other[:_DIFFERENT], *more])} besides."
    yield from unguarded()
