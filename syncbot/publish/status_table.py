"""The table that a pull request is reviewed by: file, upstream change, adaptation, why, evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from syncbot.lanes.generate import Inputs
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.patching.apply import apply_steps
from syncbot.patching.model import Patch, Rewrite
from syncbot.report.untrusted_text import code, label, one_line, prose, table

_MARKS = {"pass": "✅", "fail": "❌", "stale": "stale", "unsupported": "unsupported", "unknown": "unknown"}
_ARGUMENT = 80
_COLUMNS = ("File", "Upstream change", "Our adaptation", "Why", "Evidence")


@dataclass(frozen=True, slots=True)
class Change:
    """A patch that a pull request adds, changes or removes (``status`` A, M or D)."""

    status: str
    patch: Patch


def touched(inputs: Inputs) -> dict[str, list[str]]:
    """The backend's files that each patch changes, by its id. Raises NoMatch, CannotRewrite."""
    found: dict[str, set[str]] = {}
    for lane in inputs.matrix:
        raw = {path: data for path, data in inputs.files.items() if path.endswith(".py")}
        texts = {path: data.decode("utf-8", "replace") for path, data in raw.items()}
        for step in inputs.steps(lane):
            after = apply_steps(texts, [step])
            changed = {path for path in after if after[path] != texts[path]}
            found.setdefault(step.patch.id, set()).update(changed)
            texts = after
    return {name: sorted(paths) for name, paths in found.items()}


def title(matrix: Matrix, changes: Sequence[Change]) -> str:
    """Return one line: which upstream is followed, by how many patches, up to which version."""
    versions = sorted({change.patch.upstream.version for change in changes})
    if not versions:
        return one_line(f"Follow {matrix.upstream}: update the compatibility matrix")
    count = f"{len(changes)} patch{'' if len(changes) == 1 else 'es'}"
    return one_line(f"Follow {matrix.upstream} {versions[-1]}: {count}")


def body(
    matrix: Matrix,
    changes: Sequence[Change],
    files: Mapping[str, Sequence[str]],
    shown_matrix: str,
    web: str | None,
) -> str:
    """The table of the patches, and the matrix, in Markdown; ``web`` is upstream's page, for links."""
    blocks = []
    if changes:
        rows = [_row(matrix, change, files.get(change.patch.id, ()), web) for change in changes]
        blocks += ["## Patches", table(_COLUMNS, rows)]
    waiting = [change.patch for change in changes if change.patch.status == "needs-author"]
    for patch in waiting:
        blocks += [f"### Needs an author: {code(patch.id)}", _quoted(patch.notes)]
    blocks += ["## Lanes", shown_matrix.strip()]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _row(matrix: Matrix, change: Change, files: Sequence[str], web: str | None) -> tuple[str, ...]:
    patch = change.patch
    return (
        "<br>".join(code(path) for path in files) or "none",
        _upstream(patch, web),
        _adaptation(change),
        prose(patch.reason),
        "<br>".join(_evidence(lane) for lane in matrix if patch.id in lane.patches) or "none yet",
    )


def _upstream(patch: Patch, web: str | None) -> str:
    change = patch.upstream
    where = ""
    page = web.rstrip("/") if web else None
    if change.pr is not None:
        where = f"[{label(f'#{change.pr}')}]({page}/pull/{change.pr}), " if page else f"pull {change.pr}, "
    elif change.commit is not None:
        short = code(change.commit[:10])
        where = f"[{short}]({page}/commit/{change.commit}), " if page else f"{short}, "
    return f"{code(patch.symbol)}<br>{where}{prose(change.name)} {prose(change.first_version)}"


def _adaptation(change: Change) -> str:
    patch = change.patch
    said = {"A": "new", "M": "changed", "D": "removed"}[change.status]
    lines = [f"{code(patch.id)}: {said}"]
    if patch.status == "needs-author":
        lines.append("**needs an author**")
    elif patch.status == "retired":
        lines.append(f"declined: {prose(patch.declined)}" if patch.declined else "retired: no lane needs it")
    lines += [_rewrite(rewrite) for rewrite in patch.rewrites]
    lines += [f"merge of {code(each.within)} from {each.base} to {each.end}" for each in patch.merges]
    if patch.code is not None:
        lines.append(f"transformer {code(patch.code)}")
    return "<br>".join(lines)


def _rewrite(rewrite: Rewrite) -> str:
    """The rule, and of its arguments those that fit on a line."""
    shown = []
    for name, value in rewrite.arguments.items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        if "\n" not in text.strip() and len(text) <= _ARGUMENT:
            shown.append(f"{prose(name)} {code(text)}")
    return code(rewrite.rule) + (f" ({', '.join(shown)})" if shown else "")


def _evidence(lane: Lane) -> str:
    said = []
    for check, evidence in sorted(lane.checks.items()):
        on = f" {evidence.date[:10]}" if evidence.date else ""
        said.append(f"{prose(check)} {_MARKS[lane.shown(check)]}{on}")
    return f"{prose(lane.tag)}: {', '.join(said) or 'unknown'}"


def _quoted(notes: str) -> str:
    """Notes as indented code: they hold upstream's lines, which must not become markup."""
    return "\n".join(f"    {line}" for line in notes.splitlines())
