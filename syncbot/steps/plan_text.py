"""A plan of steps as text for a terminal, and as values of JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from syncbot.report.untrusted_text import one_line
from syncbot.steps.model import JudgedCommit, Standing, Step, StepPlan
from syncbot.steps.task import Task

# After the number of commits that are so.
_TOLD = {
    Standing.BREAKS: "with breaks",
    Standing.AT_RISK: "at risk",
    Standing.DRIFT: "with drift",
    Standing.HARMLESS: "harmless",
    Standing.UNSAID: "unsaid",
}


def plan_lines(plan: StepPlan, tasks: tuple[Task, ...]) -> Iterator[str]:
    """The plan for a reader, a line each: the steps, what they break, what is proven, what is left."""
    commits = plan.commits
    harmless = sum(each.standing is Standing.HARMLESS for each in commits)
    share = f" ({100 * harmless // len(commits)} %)" if commits else ""
    yield (
        f"{_ends(plan, plan.old, plan.new)}: {_many(len(commits), _unit(plan))} in "
        f"{_many(len(plan.steps), 'step')}"
    )
    if harmless:
        yield (
            f"{harmless}{share} proven harmless: none of {_many(plan.contracts, 'contract')} is about "
            "a module that they change"
        )
    for step in plan.steps:
        yield ""
        yield from _step_lines(step, plan)
    if tasks:
        yield ""
        yield f"left to an author: {_many(len(tasks), 'task')}"
        yield from (f"  step {task.step}: {task.command}" for task in tasks)


def _unit(plan: StepPlan) -> str:
    return "release" if plan.releases else "commit"


def _ends(plan: StepPlan, old: str, new: str) -> str:
    if plan.releases:
        return f"{one_line(plan.named(old))} to {one_line(plan.named(new))}"
    return f"{plan.upstream} {old[:10]}..{new[:10]}"


def _step_lines(step: Step, plan: StepPlan) -> Iterator[str]:
    counts = Counter(each.standing for each in step.commits)
    told = ", ".join(f"{counts[each]} {_TOLD[each]}" for each in Standing if counts[each])
    ends = _ends(plan, step.old, step.new).removeprefix(f"{plan.upstream} ")
    yield f"step {step.number}: {ends}, {_many(len(step.commits), _unit(plan))}: {told}"
    for each in step.commits:
        if each.impacts:
            told = "" if plan.releases else f"{each.commit.sha[:10]} "
            yield f"  {told}{one_line(each.commit.subject)}"
            for impact in each.impacts:
                place = impact.locations[0]
                end = "; rewritten" if impact.id in plan.mended else ""
                yield (
                    f"    {impact.verdict.value} {impact.id} {place.file}:{place.line}: "
                    f"{one_line(impact.message)}{end}"
                )


def commit_value(each: JudgedCommit, contracts: int) -> dict[str, object]:
    """One commit, with the proof where it is harmless."""
    proof = f"none of the {contracts} contracts is about the {len(each.modules)} modules that changed"
    return {
        "sha": each.commit.sha,
        "subject": each.commit.subject,
        "pull_request": each.commit.pr,
        "standing": each.standing.value,
        "impacts": [impact.id for impact in each.impacts],
        "modules": list(each.modules),
        "met": list(each.met),
        "lines": each.lines,
        **({"proof": proof} if each.standing is Standing.HARMLESS else {}),
    }


def plan_value(plan: StepPlan, tasks: tuple[Task, ...]) -> dict[str, object]:
    """The plan for a program; tasks by their ids, the edits of each step as one unified diff."""
    return {
        "schema": 1,
        "upstream": plan.upstream,
        "old": plan.old,
        "new": plan.new,
        "contracts": plan.contracts,
        "steps": [
            {
                "number": step.number,
                "old": step.old,
                "new": step.new,
                "lines": step.lines,
                "commits": [commit_value(each, plan.contracts) for each in step.commits],
                "impacts": [
                    {
                        "id": impact.id,
                        "verdict": impact.verdict.value,
                        "kind": impact.kind,
                        "symbol": impact.symbol,
                        "message": impact.message,
                        "locations": [f"{place.file}:{place.line}" for place in impact.locations],
                        "rewritten": impact.id in plan.mended,
                    }
                    for impact in step.impacts
                ],
                "diff": step.diff,
            }
            for step in plan.steps
        ],
        "tasks": [{"id": task.id, "step": task.step, "done_when": task.command} for task in tasks],
    }


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
