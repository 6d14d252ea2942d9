"""Parts of a triage that every format shows besides its verdicts: the range, a failure's circumstances."""

from __future__ import annotations

from syncbot.triage.diagnosis import Diagnosis, Guilty, Triage
from syncbot.triage.model import Failure
from syncbot.triage.verdicts import SHORT, overall


def headline(triage: Triage) -> str:
    """The verdict on the whole in one line."""
    return overall(triage).line


def scope(triage: Triage) -> str:
    """How many causes there are, and where was looked for them; empty where there are none."""
    if not triage.diagnoses:
        return ""
    count = _count(len(triage.diagnoses), "cause")
    if not triage.new:
        return f"{count} of failure, no range looked at"
    ran = ", of which the older one ran" if triage.is_reversed else ""
    commits = _count(triage.commits, "release" if triage.kind == "release" else "commit")
    return f"{count} of failure; {triage.upstream} {triage.old}..{triage.new} ({commits}{ran})"


def circumstances(failure: Failure) -> str:
    """How often, in which processes and tests a failure came up."""
    parts = [f"{failure.count} times" if failure.count > 1 else ""]
    parts += [_few(failure.processes, "process", "processes"), _few(failure.tests, "test", "tests")]
    return ", ".join(part for part in parts if part)


def commit(guilty: Guilty) -> str:
    """A suspected commit as one line of text; most subjects have the pull request's number already."""
    pr = guilty.commit.pr
    named = "" if pr is None or f"#{pr}" in guilty.commit.subject else f" #{pr}"
    day = guilty.commit.date.date().isoformat()
    return f"{guilty.commit.sha[:SHORT]}{named} {guilty.commit.subject} ({day}, {guilty.commit.author})"


def with_followers(triage: Triage) -> list[tuple[Diagnosis, list[Failure]]]:
    """Each diagnosis with the failures that follow from it; among causes of one text the first has them."""
    following: dict[str | None, list[Failure]] = {}
    for failure in triage.reading.failures:
        following.setdefault(failure.follows, []).append(failure)
    return [
        (d, [f for f in following.pop(d.failure.text, ()) if f is not d.failure]) for d in triage.diagnoses
    ]


def strays(triage: Triage) -> list[Failure]:
    """The failures whose cause the logs do not have."""
    return [f for f in triage.reading.failures if f.follows == ""]


def left_out(triage: Triage) -> str:
    """Return in words how many exceptions of the logs were not kept; empty where all were."""
    number = triage.reading.left_out
    return f"not told, for there are too many: {_count(number, 'further exception')}" if number else ""


def _few(names: tuple[str, ...], one: str, many: str) -> str:
    if not names:
        return ""
    if len(names) == 1:
        return f"{one} {names[0]}"
    rest = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{len(names)} {many}: {', '.join(names[:3])}{rest}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
