"""Parts of a page about a patch beside the patch itself: its diff on each lane, and its history."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.errors import SyncbotError
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.patching.apply import Direction, Step, apply_steps, steps
from syncbot.patching.model import Patch
from syncbot.report.untrusted_text import one_line
from syncbot.upstream.git_command import Access, GitCommand
from syncbot.upstream.git_mirror import local_git_dir

_FIELD, _RECORD = "\x1f", "\x1e"
_HISTORY = 100


@dataclass(frozen=True, slots=True)
class LaneDiff:
    """The diff of a patch on the lanes where it is the same; ``problem``: why the patch changes nothing."""

    lanes: tuple[Lane, ...]
    direction: Direction
    text: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Revision:
    """One commit of our own repository that touched the patch's file; ``day`` is the author's date."""

    sha: str
    day: str
    author: str
    subject: str


@dataclass(frozen=True, slots=True)
class PatchPage:
    """A patch with its diffs, newest lane first, and revisions, newest first; None if git has it not."""

    patch: Patch
    diffs: tuple[LaneDiff, ...]
    history: tuple[Revision, ...] | None


def patch_pages(
    root: Path, folder: str, patches: Sequence[Patch], matrix: Matrix, files: Mapping[str, bytes]
) -> tuple[PatchPage, ...]:
    """All patches, newest upstream change first; ``files`` are the baseline's. Raises EnvironmentFailure."""
    diffs = lane_diffs(patches, matrix, files)
    ordered = sorted(patches, key=lambda patch: patch.order, reverse=True)
    return tuple(PatchPage(p, diffs.get(p.id, ()), history(root / folder / f"{p.id}.yaml")) for p in ordered)


def lane_diffs(
    patches: Sequence[Patch], matrix: Matrix, files: Mapping[str, bytes]
) -> dict[str, tuple[LaneDiff, ...]]:
    """Patch id → what it changes on the lanes that it is in; lanes on which it changes the same together."""
    texts = {path: raw.decode("utf-8", "replace") for path, raw in files.items() if path.endswith(".py")}
    states: _States = {(): texts}
    found: dict[str, dict[tuple[Direction, str, str], list[Lane]]] = {}
    for lane in sorted(matrix.lanes, key=lambda lane: lane.version, reverse=True):
        todo = steps(patches, matrix.baseline_lane.version, lane.version)
        for at, step in enumerate(todo, 1):
            before, after = states[_key(todo[: at - 1])], _after(states, todo[:at])
            if isinstance(before, SyncbotError) or isinstance(after, SyncbotError):
                change = (step.direction, "", str(after))
            else:
                change = (step.direction, _diff(before, after), "")
            found.setdefault(step.patch.id, {}).setdefault(change, []).append(lane)
    return {
        name: tuple(LaneDiff(tuple(lanes), *change) for change, lanes in changes.items())
        for name, changes in found.items()
    }


# The files after some steps, by these; or why they cannot be taken.
_States = dict[tuple[str, ...], Mapping[str, str] | SyncbotError]


def _key(todo: Sequence[Step]) -> tuple[str, ...]:
    return tuple(f"{step.direction.value} {step.patch.id}" for step in todo)


def _after(states: _States, todo: Sequence[Step]) -> Mapping[str, str] | SyncbotError:
    key = _key(todo)
    if key not in states:
        before = states[key[:-1]]
        try:
            states[key] = before if isinstance(before, SyncbotError) else apply_steps(before, todo[-1:])
        except SyncbotError as error:
            states[key] = error
    return states[key]


def _diff(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    lines: list[str] = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path, ""), after.get(path, "")
        if old != new:
            names = (f"a/{one_line(path)}", f"b/{one_line(path)}")
            lines += difflib.unified_diff(old.splitlines(), new.splitlines(), *names, lineterm="")
    return "\n".join(lines)


def history(file: Path) -> tuple[Revision, ...] | None:
    """The commits that touched a file or its former names, newest first; None outside git."""
    file = file.absolute()
    top = next((folder for folder in file.parents if (folder / ".git").exists()), None)
    if top is None:
        return None
    git = GitCommand(local_git_dir(top), Access.OWN)
    if not git.run("for-each-ref", "--count=1"):
        return ()
    form = _FIELD.join(("%H", "%as", "%an", "%s")) + _RECORD
    path = file.relative_to(top).as_posix()
    shown = git.run("log", "--follow", f"--max-count={_HISTORY}", f"--format={form}", "--", path)
    records = shown.decode("utf-8", "replace").split(_RECORD)
    rows = [record.strip("\n").split(_FIELD) for record in records if record.strip()]
    return tuple(Revision(*row) for row in rows if len(row) == 4)
