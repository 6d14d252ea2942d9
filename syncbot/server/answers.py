"""Answers for programs, from what was judged before: values of JSON, bounded in size."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from syncbot.contracts.surface import Row
from syncbot.errors import UsageError
from syncbot.explain.biography import Biography
from syncbot.impact.model import Impact
from syncbot.steps.model import JudgedCommit, Standing
from syncbot.steps.plan_text import commit_value, plan_value
from syncbot.triage.formats import FORMATS
from syncbot.workflows.contracts import ContractsOptions, list_contracts
from syncbot.workflows.explain import ExplainOptions, explain_upstream
from syncbot.workflows.steps import JudgedRange, PlanOptions, judge_range, plan_steps, write_task
from syncbot.workflows.triage import TriageOptions, triage_logs

#: So many entries has a page of an answer.
PAGE = 40
_PLACES, _HUNK, _TEXT = 6, 2_000, 16_000

Value = dict[str, Any]


@dataclass
class Answers:
    """Answers about one backend and one upstream (None: the configured one). Ranges that were judged are
    kept until the backend is judged again by ``verify``. Raises SyncbotError, as workflows do."""

    backend: Path = Path()
    upstream: str | None = None
    _ranges: dict[tuple[str, str], JudgedRange] = field(default_factory=dict)

    def impacts(self, old: str, new: str, offset: int = 0) -> Value:
        """Return the impacts of a range, worst first, one page at a time."""
        found = self.range(old, new)
        order = list(Standing)
        every = [impact for each in found.commits for impact in each.impacts]
        every.sort(key=lambda impact: order.index(Standing(impact.verdict.value)))
        return {
            "old": found.old,
            "new": found.new,
            "commits": len(found.commits),
            "proven_harmless": sum(each.standing is Standing.HARMLESS for each in found.commits),
            "impacts": [impact_value(impact) for impact in every[offset : offset + PAGE]],
            **_rest(len(every), offset),
        }

    def commit(self, sha: str) -> Value:
        """Return the judgement of one commit: from a range that was judged, else against its parent."""
        found, judged = self.judged(sha)
        return {
            **commit_value(judged, found.contracts),
            "modules": list(judged.modules[:PAGE]),
            "impacts": [impact_value(impact) for impact in judged.impacts[:PAGE]],
        }

    def contract(self, name: str, offset: int = 0) -> Value:
        """Where the backend relies on an upstream symbol and what is below it; or, by the id of an impact,
        on what that is about."""
        known = next((i for _, i in self._impacts() if i.id == name), None)
        symbol = known.symbol if known is not None else name
        asked = ContractsOptions(
            backend=self.backend, symbol=symbol, upstream=self.upstream, at=self.written_for
        )
        surface = list_contracts(asked)
        rows = surface.rows[offset : offset + PAGE]
        return {
            "symbol": symbol,
            "total": surface.total,
            "contracts": [_row_value(row) for row in rows],
            **_rest(len(surface.rows), offset),
        }

    def task(self, impact_id: str) -> str:
        """The task of an impact: Markdown with a head in JSON."""
        found = next((r for r, impact in self._impacts() if impact.id == impact_id), None)
        if found is None:
            raise UsageError(f"no impact {impact_id} is known: call impacts or plan with its range first")
        return write_task(self._options(found.old, found.new), found, impact_id)

    def verify(self, ids: Sequence[str]) -> Value:
        """Whether impacts are mended in the files as they stand now, and what is newly found there."""
        before = {impact.id: found for found, impact in self._impacts()}
        unknown = [each for each in ids if each not in before]
        if unknown:
            raise UsageError(f"no impact {unknown[0]} is known: call impacts or plan with its range first")
        left: set[str] = set()
        fresh: list[Impact] = []
        for found in {id(before[each]): before[each] for each in ids}.values():
            now = judge_range(self._options(found.old, found.new))
            impacts = [impact for each in now.commits for impact in each.impacts]
            left |= {impact.id for impact in impacts}
            fresh += [impact for impact in impacts if impact.id not in before]
            self._ranges = {key: now if value is found else value for key, value in self._ranges.items()}
        return {
            "done": [each for each in ids if each not in left],
            "not_done": [each for each in ids if each in left],
            "new": [impact_value(impact) for impact in fresh[:PAGE]],
        }

    def explain(self, symbol: str) -> Value:
        """The history of an upstream symbol, or what a commit changed, as ``syncbot explain`` tells it."""
        told = explain_upstream(ExplainOptions(subject=symbol, backend=self.backend, upstream=self.upstream))
        if isinstance(told, Biography):
            return {
                "symbol": told.state.name,
                "kind": told.state.kind,
                "signature": told.state.signature,
                "names": list(told.names),
                "commits": [
                    {
                        "sha": step.commit.sha,
                        "subject": step.commit.subject,
                        "changes": [asdict(change) for change in step.changes[:PAGE]],
                    }
                    for step in told.steps[:PAGE]
                ],
                "contracts": [_row_value(row) for row in told.contracts[:PAGE]],
            }
        return {
            "sha": told.commit.sha,
            "subject": told.commit.subject,
            "changes": [asdict(change) for change in told.changes[:PAGE]],
            "impacts": [impact_value(impact) for impact in told.impacts[:PAGE]],
            "contracts": [_row_value(row) for row in told.contracts[:PAGE]],
        }

    def triage(self, log: str, old: str | None = None, new: str | None = None) -> str:
        """Return the failures in the text of a log, and the guilty commits of a range, as Markdown."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.log"
            file.write_text(log, encoding="utf-8", errors="backslashreplace")
            asked = TriageOptions(
                logs=[str(file)], backend=self.backend, old=old, new=new, upstream=self.upstream
            )
            text = FORMATS["markdown"](triage_logs(asked))
        return text if len(text) <= _TEXT else f"{text[:_TEXT]}\n… cut: triage a shorter part of the log"

    def plan(self, old: str, new: str, offset: int = 0) -> Value:
        """The steps of a range, with their edits, and the ids of the tasks that are left; a page of steps."""
        self.range(old, new)
        done = plan_steps(self._options(old, new))
        value = plan_value(done.plan, done.tasks)
        steps = value["steps"]
        assert isinstance(steps, list)
        value["steps"] = [_short_step(step) for step in steps[offset : offset + 10]]
        return {**value, **_rest(len(steps), offset, 10)}

    def range(self, old: str, new: str) -> JudgedRange:
        """A range, judged at most once."""
        if (old, new) not in self._ranges:
            self._ranges[old, new] = judge_range(self._options(old, new))
        return self._ranges[old, new]

    def judged(self, sha: str) -> tuple[JudgedRange, JudgedCommit]:
        """A commit in the largest range that has it, else alone. Raises UsageError for an unknown one."""
        known = [
            (found, each)
            for found in self._ranges.values()
            for each in found.commits
            if each.commit.sha.startswith(sha) and len(sha) >= 7
        ]
        if known:
            return max(known, key=lambda pair: len(pair[0].commits))
        alone = self.range(f"{sha}~1", sha)
        return alone, alone.commits[-1]

    def _impacts(self) -> Iterable[tuple[JudgedRange, Impact]]:
        return ((r, impact) for r in self._ranges.values() for each in r.commits for impact in each.impacts)

    @property
    def ranges(self) -> tuple[JudgedRange, ...]:
        """The ranges that were asked for, in their order."""
        return tuple(self._ranges.values())

    @property
    def written_for(self) -> str | None:
        """The old end of the range that was asked for last: the upstream that the backend is written for."""
        return self.ranges[-1].old if self._ranges else None

    def _options(self, old: str, new: str) -> PlanOptions:
        return PlanOptions(old=old, new=new, backend=self.backend, upstream=self.upstream)


def impact_value(impact: Impact) -> Value:
    """An impact, as small as an answer needs it."""
    return {
        "id": impact.id,
        "verdict": impact.verdict.value,
        "kind": str(impact.kind),
        "symbol": impact.symbol,
        "message": impact.message,
        "commit": impact.commit,
        "pull_request": impact.pr,
        "locations": [f"{place.file}:{place.line}" for place in impact.locations[:_PLACES]],
        "places": len(impact.locations),
    }


def _row_value(row: Row) -> Value:
    places = [f"{place.file}:{place.line}" for place in row.places[:_PLACES]]
    return {"symbol": row.symbol, "kind": row.kind, "locations": places, "places": len(row.places)}


def _short_step(step: Value) -> Value:
    """A step with its commits counted and its edits cut: ``commit`` and ``task`` tell the rest."""
    commits = step["commits"]
    told = [each for each in commits if each["impacts"]]
    diff = step["diff"]
    cut = len(diff) > _HUNK
    return {
        **step,
        "commits": [
            {"sha": each["sha"], "subject": each["subject"], "impacts": each["impacts"]} for each in told
        ],
        "commit_count": len(commits),
        "harmless": [each["sha"] for each in commits if "proof" in each],
        "diff": f"{diff[:_HUNK]}\n… cut: 'syncbot plan --output DIR' writes it whole" if cut else diff,
    }


def _rest(total: int, offset: int, page: int = PAGE) -> Value:
    """How many entries are left, and where the next page begins."""
    left = max(total - offset - page, 0)
    return {"total": total, **({"more": left, "next_offset": offset + page} if left else {})}
