"""One piece of work for an author, person or program: what broke, why, and what shows that it is done."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from syncbot.contracts.sources import Backend
from syncbot.impact.model import Impact, Location
from syncbot.impact.trees import Trees
from syncbot.report.untrusted_text import code, json_text, prose, visible, web_address
from syncbot.steps.model import StepPlan
from syncbot.upstream.commit_range import Span
from syncbot.upstream.model import Commit

#: So many bytes has the text of a task at most.
MOST = 8_000
_AROUND, _PLACES, _HUNKS = 3, 4, 6
_SHOWN = {"hunk": 2_200, "lines": 2_000, "others": 1_800}


@dataclass(frozen=True, slots=True)
class Task:
    """An impact that an author has to mend. ``step`` is the number of its step, ``command`` says whether it
    is done, ``text`` is Markdown with a head in JSON, of at most ``MOST`` bytes."""

    id: str
    step: int
    command: str
    text: str


def tasks_of(trees: Trees, span: Span, plan: StepPlan, web: str | None) -> Iterator[Task]:
    """A task for each break of a plan that has no edit, in the order of the steps."""
    reasons = dict(plan.reasons)
    left = {impact.id for impact in plan.left}
    for step in plan.steps:
        for judged in step.commits:
            for impact in judged.impacts:
                if impact.id in left:
                    ends = f"--from {span.old[:12]} --to {span.new[:12]}"
                    command = f"syncbot check {ends} --only {impact.id} --engine contracts"
                    why = reasons.get(impact.id, "")
                    text = _text(trees, judged.commit, impact, why, command, web)
                    yield Task(impact.id, step.number, command, text)


def _text(trees: Trees, commit: Commit, impact: Impact, why: str, command: str, web: str | None) -> str:
    head = {
        "id": impact.id,
        "kind": impact.kind,
        "verdict": impact.verdict.value,
        "symbol": impact.symbol,
        "contract": impact.contract,
        "commit": commit.sha,
        "pull_request": impact.pr,
        "files": sorted({place.file for place in impact.locations}),
        "locations": [asdict(place) for place in impact.locations[: 2 * _PLACES]],
        "done_when": command,
    }
    base = web_address(web)
    page = f" ({base}/commit/{commit.sha})" if base else ""
    changed = _block("diff", impact.upstream_hunk, _SHOWN["hunk"])
    others = _block("diff", "\n".join(_elsewhere(trees, commit, impact)), _SHOWN["others"])
    parts = [
        _block("json", json_text(head), 2_500),
        f"# {prose(impact.message)}",
        f"Upstream commit {code(commit.sha[:12])}{page}: {prose(commit.subject)}",
        *([f"## What upstream changed\n\n{changed}"] if changed else []),
        f"## Our lines\n\n{_block('python', _ours(trees.backend, impact.locations), _SHOWN['lines'])}",
        *([f"## The same commit elsewhere: callers, siblings\n\n{others}"] if others else []),
        *([f"No rewrite was written: {prose(why)}"] if why else []),
        "## Done when\n\nThe finding is gone. This command ends with 0 then, and with 1 before; it reads the "
        f"files as they stand:\n\n{_block('sh', command, 500)}",
    ]
    return "\n\n".join(parts) + "\n"


def _block(language: str, text: str, most: int) -> str:
    """A fenced block that nothing inside ends, of at most so many bytes; empty without a text."""
    shown = visible(text).strip("\n")
    if not shown:
        return ""
    lines, size = [], 0
    for number, line in enumerate(shown.split("\n")):
        size += len(line.encode()) + 1
        if size > most:
            lines.append(f"… {shown.count(chr(10)) + 1 - number} more lines")
            break
        lines.append(line)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", shown)), default=0))
    return "\n".join([fence + language, *lines, fence])


def _ours(backend: Backend, places: Sequence[Location]) -> str:
    """The lines around the first places, each with its number."""
    texts = {file.path: file.text.decode("utf-8", "replace").split("\n") for file in backend.files}
    shown: list[str] = []
    for place in places[:_PLACES]:
        lines = texts.get(place.file, [])
        first = max(place.line - _AROUND, 1)
        numbered = enumerate(lines[first - 1 : place.line + _AROUND], first)
        shown += [f"# {place.file}:{place.line}", *(f"{n:>5}  {line}" for n, line in numbered)]
    if len(places) > _PLACES:
        shown.append(f"# and at {len(places) - _PLACES} more places")
    return "\n".join(shown)


def _elsewhere(trees: Trees, commit: Commit, impact: Impact) -> Iterator[str]:
    """What the commit changes where the same names are used, other than the symbol's own text."""
    if not commit.parents:
        return
    names = {impact.symbol.rpartition(".")[2], impact.details.subject.rpartition(".")[2]} - {"", "__init__"}
    words = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in sorted(names))) if names else None
    if words is None:
        return
    own = set(impact.upstream_hunk.splitlines())
    before, after = trees.tree(commit.parents[0]), trees.tree(commit.sha)
    count = 0
    for path in sorted(commit.paths):
        old, new = before.module_at(path), after.module_at(path)
        texts = [tree.source(module) if module else None for tree, module in ((before, old), (after, new))]
        was, now = ((text or b"").decode("utf-8", "replace").splitlines() for text in texts)
        if was == now:
            continue
        for part in _parts(list(difflib.unified_diff(was, now, n=1, lineterm=""))[2:]):
            changed = [line for line in part if line[:1] in "+-" and words.search(line)]
            if changed and not own.issuperset(changed):
                count += 1
                yield from (f"# {path}", *part)
            if count == _HUNKS:
                return


def _parts(lines: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for line in lines:
        if line.startswith("@@") and part:
            yield part
            part = []
        part.append(line)
    if part:
        yield part
