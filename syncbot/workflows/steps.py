"""The way from one upstream to another in steps: what each breaks, what is proven harmless, what is left."""

from __future__ import annotations

from dataclasses import dataclass
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
from syncbot.steps.involvement import involved_modules
from syncbot.steps.judged_commits import judged_commits
from syncbot.steps.model import JudgedCommit, StepPlan
from syncbot.steps.plan_text import plan_value
from syncbot.steps.step_edits import Keeping, keeping, rewritten, with_edits
from syncbot.steps.task import Task, tasks_of
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import Span, between
from syncbot.upstream.model import Meter, no_meter, step
from syncbot.upstream.opening import open_upstream
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
    own = backend_of(config)
    wanted = [ref for ref in (options.old, options.new) if ref is not None]
    with open_upstream(config, options.upstream, cache_dir(), wanted, meter) as followed:
        span = between(followed.repository, options.old, options.new or followed.head)
        with opened(config, followed, own, cache_dir()) as trees:
            contracts, commits = _judged(trees, span, meter)
            steps = cut(span.old, commits, StepBounds(options.lines, options.commits))
            with step(meter, "planning rewrites"):
                around = repository_around(own.root.resolve())[0]
                inside = own.root.resolve().relative_to(around.resolve()).as_posix()
                below = "" if inside == "." else f"{inside}/"
                done, planned = with_edits(trees, steps, keep, cache_dir() / "plans", below)
            plan = StepPlan(
                followed.name,
                span.old,
                span.new,
                contracts,
                tuple(done),
                frozenset(planned.fixes),
                tuple(sorted(planned.reasons.items())),
            )
            return PlannedSteps(plan, tuple(tasks_of(trees, span, plan, followed.web)))


def judge_range(options: PlanOptions, meter: Meter = no_meter) -> tuple[int, list[JudgedCommit]]:
    """Return how many contracts there are and what each commit of the range means, oldest first, without
    steps and edits. Raises what ``plan_steps`` does."""
    config = configured(options.backend)
    wanted = [ref for ref in (options.old, options.new) if ref is not None]
    with open_upstream(config, options.upstream, cache_dir(), wanted, meter) as followed:
        span = between(followed.repository, options.old, options.new or followed.head)
        with opened(config, followed, backend_of(config), cache_dir()) as trees:
            return _judged(trees, span, meter)


def _judged(trees: Trees, span: Span, meter: Meter) -> tuple[int, list[JudgedCommit]]:
    """How many contracts there are, and what each commit means for them, oldest first."""
    analysis = analyse(trees, span, AnalysisCache(cache_dir() / "analyses"))
    with step(meter, "proving"):
        pair = trees.comparison(span.old, span.new)
        contracts = trees.contracts(pair.old)
        involved = involved_modules(contracts, pair)
        history = module_history(trees, span.commits[::-1], span.old, span.new)
        lines = line_counts(trees.repository, span.old, span.new)
    found = by_commit(impact for impact in analysis.impacts if not impact.tests_only)
    return len(contracts), judged_commits(span.commits[::-1], found, history, involved, lines)


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
