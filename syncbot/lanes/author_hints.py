"""Hints for an author if no rule is sure: our lines, the upstream change, a rewrite to begin with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from syncbot.lanes import generate
from syncbot.lanes.findings import LaneFinding
from syncbot.lanes.generate import Inputs
from syncbot.lanes.matrix import Lane
from syncbot.patching.model import Patch, Rewrite
from syncbot.patching.statement_draft import sketch


def for_author(
    inputs: Inputs,
    lane: Lane,
    patch: Patch,
    group: Sequence[LaneFinding],
    files: Mapping[str, bytes],
    problem: str = "",
) -> Patch:
    """Some findings as a patch for an author, with notes and a sketch, to which its rewrites belong;
    ``problem`` says why. ``files`` are the lane's."""
    begun = (*patch.rewrites, *_statements(inputs, lane, patch, group, files))
    blocks = list(dict.fromkeys(block for finding in group for block in _blocks(finding, files)))
    if problem:
        blocks.append(f"The proposed rewrite does not fit: {problem}")
    blocks.append(_advice(inputs, lane, patch, bool(begun)))
    lines = (line.expandtabs().rstrip() for block in blocks for line in block.splitlines())
    notes = "\n".join(lines) + "\n"
    return patch.model_copy(
        update={"status": "needs-author", "rewrites": (), "sketch": begun, "notes": notes}
    )


def _blocks(finding: LaneFinding, files: Mapping[str, bytes]) -> Iterator[str]:
    """The message, every place with its line, and the upstream change."""
    impact = finding.impact
    yield f"{impact.kind}: {impact.message}"
    for place in impact.locations:
        text = _text(files, place.file).splitlines()
        here = text[place.line - 1].strip() if 0 < place.line <= len(text) else ""
        yield f"  {place.file}: {here}" if here else f"  {place.file}"
    yield from (f"No rewrite: {note}" for note in finding.notes if not finding.rules)
    if impact.upstream_hunk:
        yield impact.upstream_hunk


def _statements(
    inputs: Inputs, lane: Lane, patch: Patch, group: Sequence[LaneFinding], files: Mapping[str, bytes]
) -> Iterator[Rewrite]:
    """A replacement of each of our statements by itself, where the patch finds it at its own place."""
    found = generate.until(inputs, lane, patch)
    rules = (
        sketch(_text(files, place.file), place.file, place.line, found[place.file])
        for finding in group
        for place in finding.impact.locations
        if place.file in found
    )
    known = {rule.model_dump_json(): rule for rule in rules if rule is not None}
    for rule in known.values():
        yield Rewrite(rule=type(rule).name, arguments=rule.model_dump(exclude_none=True))


def _advice(inputs: Inputs, lane: Lane, patch: Patch, begun: bool) -> str:
    older = lane.version < inputs.matrix.baseline_lane.version
    missing, versions = ("before", "older than") if older else ("after", "from")
    if not begun:
        return (
            "Write rewrites, or code. There is no sketch: our statements are too long for one, or derived"
            " from upstream (then change the declaration of the derived override)."
        )
    return (
        f"Complete the sketch: write into {missing!r} what versions {versions} "
        f"{patch.upstream.first_version} need, then rename sketch to rewrites and remove the status."
    )


def _text(files: Mapping[str, bytes], path: str) -> str:
    return files.get(path, b"").decode("utf-8", "replace")
