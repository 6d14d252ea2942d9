"""The way from one upstream to another in steps: what each breaks, what is proven harmless, what is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from syncbot.atomic import write_folder
from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.changed_files import line_counts
from syncbot.impact.model import by_commit
from syncbot.impact.module_history import module_history
from syncbot.impact.session import backend_of, opened
from syncbot.impact.trees import Trees
from syncbot.report.untrusted_text import json_text
from syncbot.steps.cut import StepBounds, cut
from syncbot.steps.involvement import involved_modules, replaced_classes
from syncbot.steps.judged_commits import judged_commits
from syncbot.steps.kept_modules import keeps_all
from syncbot.steps.model import JudgedCommit, StepPlan
from syncbot.steps.plan_text import plan_value
from syncbot.steps.step_edits import Keeping, keeping, rewritten, with_edits
from syncbot.steps.task import Task, task_text, tasks_of
from syncbot.steps.unnamed_interfaces import may_be_met_unnamed
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import Span, between
from syncbot.upstream.following import By
from syncbot.upstream.model import Meter, no_meter, step
from syncbot.upstream.opening import Upstream, open_range, open_upstream
from syncbot.version_gates.version_tests import gate_of, version_of
from syncbot.workflows.project import configured
from syncbot.worktree import repository_around


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """From which upstream (``old``) to which (``new``, else the newest commit). ``keep`` is a version whose
    code stays behind the configured gate. ``lines`` and ``commits`` bound a step."""

    old: str
    new: str | None = None
    backend: Path = Path()
    upstream: str | None = None
    by: By | None = None
    keep: str | None = None
    lines: int = StepBounds.lines
    commits: int = StepBounds.commits


@dataclass(frozen=True)
class PlannedSteps:
    """The plan, and a task for each break that has no edit."""

    plan: StepPlan
    tasks: tuple[Task, ...]


def plan_steps(options: PlanOptions, meter: Meter = no_meter) -> PlannedSteps:
    """Return the steps of a range and the tasks that they leave; nothing is written. Raises UsageError for
    an unknown reference or no gate to keep a version with, ConfigurationError, and EnvironmentFailure."""
    config = configured(options.backend)
    keep = _keeping(config, options.keep)
    with _opened(options, meter) as (followed, trees, span):
        contracts, commits = _judged(trees, span, meter)
        steps = cut(span.old, commits, StepBounds(options.lines, options.commits))
        with step(meter, "planning rewrites"):
            below = _below(trees.backend.root.resolve())
            done, planned = with_edits(trees, steps, keep, cache_dir() / "plans", below)
        reasons = tuple(sorted(planned.reasons.items()))
        mended = frozenset(planned.fixes)
        plan = StepPlan(
            followed.name, span.old, span.new, contracts, tuple(done), mended, reasons, followed.releases
        )
        return PlannedSteps(plan, tuple(tasks_of(trees, span, plan, followed.web)))


def _below(folder: Path) -> str:
    """The path of a folder inside its repository, with a slash at its end; empty for the top."""
    inside = folder.relative_to(repository_around(folder)[0].resolve()).as_posix()
    return "" if inside == "." else f"{inside}/"


@dataclass(frozen=True, slots=True)
class JudgedRange:
    """The ends of a range, how many contracts were judged, and what each commit means, oldest first."""

    old: str
    new: str
    contracts: int
    commits: tuple[JudgedCommit, ...]


def judge_range(options: PlanOptions, meter: Meter = no_meter) -> JudgedRange:
    """Return what each commit of a range means, without steps and edits. Raises what ``plan_steps`` does."""
    with _opened(options, meter) as (_, trees, span):
        return JudgedRange(span.old, span.new, *_judged(trees, span, meter))


def write_task(options: PlanOptions, judged: JudgedRange, impact_id: str, meter: Meter = no_meter) -> str:
    """Return the task of an impact of a range that was judged before, whether or not a rewrite mends it.
    Raises UsageError for an id that the range does not have, and what ``plan_steps`` does."""
    found = ((c.commit, i) for c in judged.commits for i in c.impacts if i.id == impact_id)
    commit, impact = next(found, (None, None))
    if commit is None or impact is None:
        raise UsageError(
            f"the range has no impact {impact_id}: ask for its impacts, and take an id from there"
        )
    with _opened(options, meter) as (followed, trees, span):
        return task_text(trees, span, commit, impact, "", followed.web)


def known_commits(
    backend: Path, upstream: str | None, shas: Sequence[str], meter: Meter = no_meter
) -> list[str]:
    """Return those of some shas that upstream has, in their order. Raises what ``plan_steps`` does."""
    config = configured(backend)
    with open_upstream(config, upstream, cache_dir(), [], meter) as followed:
        present = followed.repository.present(shas)
    return [sha for sha in shas if sha in present]


@contextmanager
def _opened(options: PlanOptions, meter: Meter) -> Iterator[tuple[Upstream, Trees, Span]]:
    config = configured(options.backend)
    with open_range(
        config, options.upstream, cache_dir(), options.old, options.new, meter, options.by
    ) as followed:
        span = between(followed.repository, options.old, options.new or followed.head)
        with opened(config, followed, backend_of(config), cache_dir()) as trees:
            yield followed, trees, span


def _judged(trees: Trees, span: Span, meter: Meter) -> tuple[int, tuple[JudgedCommit, ...]]:
    """How many contracts there are, and what each commit means for them, oldest first."""
    analysis = analyse(trees, span, AnalysisCache(cache_dir() / "analyses"), meter)
    with step(meter, "proving"):
        pair = trees.comparison(span.old, span.new)
        contracts = trees.contracts(pair.old)
        involved = involved_modules(contracts, pair)
        history = module_history(trees, span.commits[::-1], span.old, span.new)
        lines = line_counts(trees.repository, span.old, span.new)
    found = by_commit(impact for impact in analysis.impacts if not impact.tests_only)
    met_unnamed = partial(may_be_met_unnamed, trees.repository, replaced_classes(contracts))
    keeps = partial(keeps_all, trees.repository)
    judged = judged_commits(span.commits[::-1], found, history, involved, met_unnamed, keeps, lines)
    return len(contracts), tuple(judged)


def _keeping(config: Config, version: str | None) -> Keeping:
    if version is None:
        return rewritten
    if "." not in version:
        raise UsageError("name the version whose code is kept: --keep 0.31.0")
    return keeping(gate_of(config.gate, config.gate_import), version_of(version))


def write_steps(done: PlannedSteps, folder: Path) -> None:
    """Write ``plan.json``, ``steps/01.patch`` … and ``tasks/STEP-ID.md`` into a new folder, all or nothing.
    Raises EnvironmentFailure where it cannot be written."""
    files = {"plan.json": json_text(plan_value(done.plan, done.tasks)) + "\n"}
    files |= {f"steps/{step.number:02}.patch": step.diff for step in done.plan.steps if step.diff}
    files |= {f"tasks/{task.step:02}-{task.id}.md": task.text for task in done.tasks}
    write_folder(folder, {name: text.encode() for name, text in files.items()})
