"""One piece of work for an author, person or program: what broke, why, and what shows that it is done."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from syncbot.contracts.sources import Backend
from syncbot.impact.model import Impact
from syncbot.impact.trees import Trees
from syncbot.report.untrusted_text import code, json_text, prose, visible, web_address
from syncbot.steps.model import StepPlan
from syncbot.upstream.commit_range import Span
from syncbot.upstream.model import Commit

#: So many bytes has the text of a task at most.
MOST = 8_000
_AROUND, _PLACES, _USES, _HUNKS = 3, 4, 8, 6
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
                    text = task_text(trees, span, judged.commit, impact, reasons.get(impact.id, ""), web)
                    yield Task(impact.id, step.number, done_when(span, impact), text)


def done_when(span: Span, impact: Impact) -> str:
    """The command that ends with 0 once an impact of a range is mended."""
    ends = f"--from {span.old[:12]} --to {span.new[:12]}"
    return f"syncbot check {ends} --only {impact.id} --engine contracts"


def task_text(trees: Trees, span: Span, commit: Commit, impact: Impact, why: str, web: str | None) -> str:
    """The text of a task; ``why`` says why no rewrite was written, if that was tried."""
    command = done_when(span, impact)
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
        f"## Our lines\n\n{_block('python', _ours(trees.backend, impact), _SHOWN['lines'])}",
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


def _ours(backend: Backend, impact: Impact) -> str:
    """The lines around the first places, and those that use the name in the same files, each numbered."""
    places = impact.locations
    texts = {file.path: file.text.decode("utf-8", "replace").split("\n") for file in backend.files}
    wanted: dict[str, set[int]] = {}
    for place in places[:_PLACES]:
        around = range(place.line - _AROUND, place.line + _AROUND + 1)
        wanted.setdefault(place.file, set()).update(around)
    name = re.compile(rf"\b{re.escape(_name(impact))}\b")
    shown: list[str] = []
    for path, numbers in wanted.items():
        lines = texts.get(path, [])
        uses = [number for number, line in enumerate(lines, 1) if name.search(line)]
        shown.append(f"# {path}")
        before = 0
        for number in sorted(numbers.union(uses[:_USES]) & set(range(1, len(lines) + 1))):
            shown += ["       …"] * (before not in (0, number - 1))
            shown.append(f"{number:>5}  {lines[number - 1]}")
            before = number
    if len(places) > _PLACES:
        shown.append(f"# and at {len(places) - _PLACES} more places")
    return "\n".join(shown)


def _name(impact: Impact) -> str:
    """The last name of the symbol; of a constructor, its class's."""
    return impact.symbol.removesuffix(".__init__").rpartition(".")[2]


def _elsewhere(trees: Trees, commit: Commit, impact: Impact) -> Iterator[str]:
    """Yield the commit's changes where the same names are used, other than those of the symbol's own text."""
    if not commit.parents:
        return
    name = _name(impact)
    names = {name, impact.details.subject.rpartition(".")[2]} - {""}
    words = re.compile("|".join(rf"\b{re.escape(each)}\b" for each in sorted(names)))
    own = set(impact.upstream_hunk.splitlines())
    found: list[tuple[bool, list[str]]] = []
    for path, part in _changes(trees, commit):
        changed = [line for line in part if line[:1] in "+-" and words.search(line)]
        if changed and not own.issuperset(changed):
            # What names the symbol itself says more than what names a part of it.
            found.append((not any(name in line for line in changed), [f"# {path}", *part]))
    for _, part in sorted(found, key=lambda each: each[0])[:_HUNKS]:
        yield from part


def _changes(trees: Trees, commit: Commit) -> Iterator[tuple[str, list[str]]]:
    """The parts of the modules that a commit changes, each with its path."""
    before, after = trees.tree(commit.parents[0]), trees.tree(commit.sha)
    for path in sorted(commit.paths):
        sides = ((tree, tree.module_at(path)) for tree in (before, after))
        texts = (tree.source(module) if module else None for tree, module in sides)
        was, now = ((text or b"").decode("utf-8", "replace").splitlines() for text in texts)
        for part in _parts(list(difflib.unified_diff(was, now, n=1, lineterm=""))[2:]):
            yield path, part


def _parts(lines: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for line in lines:
        if line.startswith("@@") and part:
            yield part
            part = []
        part.append(line)
    if part:
        yield part
