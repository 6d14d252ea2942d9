"""The evidence for a break: upstream's change, our lines, and the proposed edit, each shown once."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from syncbot.impact.model import Impact, Location, Verdict
from syncbot.report.our_lines import OurLine
from syncbot.report.untrusted_text import one_line

_PLACES, _BEFORE, _AFTER, _LINES, _NEAR = 3, 1, 3, 40, 3
_WHOLLY_GONE = re.compile(r"\A--- .*\n\+\+\+ .*\n@@ -1,(\d+) \+0,0 @@")
_PART = re.compile(r"@@ -(\d+)(?:,(\d+))? ")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of ours around a place."""

    place: Location
    text: str

    @property
    def lines(self) -> tuple[tuple[int, str, bool], ...]:
        """Its lines: the number, the text, and whether it is the one at the place."""
        numbered = enumerate(self.text.split("\n"), max(self.place.line - _BEFORE, 1))
        return tuple((number, text, number == self.place.line) for number, text in numbered)

    @property
    def line(self) -> str:
        """The line at the place; empty where the file ends before."""
        return next((text for _, text, is_there in self.lines if is_there), "")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Our lines that an impact names, and the edit of them that is proposed, empty where there is none."""

    ours: tuple[Excerpt, ...] = ()
    edit: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """One change of upstream, and what it means for us; nothing in it was shown before."""

    hunk: str
    impacts: tuple[tuple[Impact, Evidence], ...]

    @property
    def gone(self) -> int:
        """How many lines the change removes, where it does nothing else and leaves nothing; else 0."""
        found = _WHOLLY_GONE.search(self.hunk)
        return int(found[1]) if found is not None else 0


def evidence(
    impacts: Iterable[Impact], texts: Mapping[str, bytes], edited: Mapping[str, str]
) -> dict[str, Evidence]:
    """The evidence of what is told, by the ids of impacts. ``texts`` are the backend's files,
    ``edited`` those that the plan changes."""

    @cache
    def parts(path: str) -> tuple[tuple[range, str], ...]:
        return _parts(texts[path].decode("utf-8", "replace"), edited[path], path) if path in edited else ()

    def edit(impact: Impact) -> str:
        files = dict.fromkeys(place.file for place in impact.locations)
        found = [(file, lines, text) for file in files for lines, text in parts(file)]
        places = {(place.file, place.line) for place in impact.locations}
        near = [text for file, lines, text in found if any((file, line) in places for line in lines)]
        return _cut("\n".join(near or [text for _, _, text in found])) if impact.fix is not None else ""

    def ours(impact: Impact) -> tuple[Excerpt, ...]:
        shown = [place for place in impact.locations if place.file in texts][:_PLACES]
        return tuple(Excerpt(place, _around(texts[place.file], place.line)) for place in shown)

    told = [impact for impact in impacts if impact.verdict is not Verdict.NONE]
    return {impact.id: Evidence(ours(impact), edit(impact)) for impact in told}


def source_line(line: OurLine, known: Mapping[str, Evidence]) -> str:
    """The text of a line of ours; empty where no evidence has it."""
    return next((each.line for each in excerpts(line, known)), "")


def excerpts(line: OurLine, known: Mapping[str, Evidence]) -> list[Excerpt]:
    """The lines around a line of ours, if the evidence of what happens there has them."""
    found = (each for impact in line.impacts for each in known.get(impact.id, Evidence()).ours)
    place = (line.place.file, line.place.line)
    return [each for each in found if (each.place.file, each.place.line) == place][:1]


def by_lines_once(
    lines: Iterable[OurLine], known: Mapping[str, Evidence]
) -> list[tuple[OurLine, tuple[Shown, ...]]]:
    """Lines of ours, each with the changes of upstream and the edits that no line before it shows."""
    hunks, edits, made = {""}, {""}, []
    for line in lines:
        found: list[Shown] = []
        for impact in line.impacts:
            hunk, edit = impact.upstream_hunk.strip("\n"), known.get(impact.id, Evidence()).edit
            hunk, edit = "" if hunk in hunks else hunk, "" if edit in edits else edit
            if hunk or edit:
                found.append(Shown(hunk, ((impact, Evidence(edit=edit)),)))
            hunks.add(hunk)
            edits.add(edit)
        made.append((line, tuple(found)))
    return made


def shown_once(impacts: Iterable[Impact], known: Mapping[str, Evidence]) -> list[Shown]:
    """The evidence of the impacts of one commit, by upstream's change; what was shown before is left out."""
    groups: dict[str, list[tuple[Impact, Evidence]]] = {}
    edits: set[str] = set()
    seen: set[Excerpt] = set()
    for impact in impacts:
        found = known.get(impact.id, Evidence())
        if not (impact.upstream_hunk.strip() or found.ours or found.edit):
            continue
        edit = "" if found.edit in edits else found.edit
        edits.add(found.edit)
        ours = tuple(excerpt for excerpt in found.ours if excerpt not in seen)
        seen.update(ours)
        groups.setdefault(impact.upstream_hunk.strip("\n"), []).append((impact, Evidence(ours, edit)))
    return [Shown(hunk, tuple(group)) for hunk, group in groups.items()]


def _parts(old: str, new: str, path: str) -> tuple[tuple[range, str], ...]:
    """The parts of a difference, each with the lines of ours that it is near."""
    found: list[list[str]] = []
    diff = difflib.unified_diff(_lines(old), _lines(new), path, path, n=2, lineterm="")
    for line in list(diff)[2:]:
        if line.startswith("@@"):
            found.append([])
        found[-1].append(line)
    made = []
    for part in found:
        match = _PART.match(part[0])
        assert match is not None
        first, count = int(match[1]), int(match[2] or 1)
        made.append(
            (range(first - _NEAR, first + count + _NEAR), "\n".join([f"--- {one_line(path)}", *part]))
        )
    return tuple(made)


def _around(text: bytes, line: int) -> str:
    lines = _lines(text.decode("utf-8", "replace"))
    return "\n".join(lines[max(line - 1 - _BEFORE, 0) : line + _AFTER])


def _lines(text: str) -> list[str]:
    """The lines as Python counts them: a form feed, say, ends none."""
    lines = re.split("\r\n|\r|\n", text)
    return lines if lines[-1] else lines[:-1]


def _cut(text: str) -> str:
    lines = text.split("\n")
    rest = len(lines) - _LINES
    return text if rest <= 0 else "\n".join([*lines[:_LINES], f"… +{rest}"])
