"""What every format says of a triage: the headline, and a failure's circumstances, in words."""

from __future__ import annotations

from syncbot.triage.diagnosis import Diagnosis, Guilty, Origin, Triage
from syncbot.triage.model import Failure

SHORT = 10
_ORIGINS = {
    Origin.ENVIRONMENT: "not upstream's fault: environment",
    Origin.BACKEND: "not upstream's fault: the backend itself",
    Origin.UNKNOWN: "not explained",
}


def headline(triage: Triage) -> str:
    """One sentence: how many causes, and how many of them are upstream's doing."""
    found = triage.diagnoses
    if not found and not triage.reading.unexplained:
        return "no failures found"
    text = _count(len(found), "cause")
    if triage.new:
        guilty = sum(d.origin is Origin.UPSTREAM for d in found)
        text += f" of failure, {guilty} traced to commits of {triage.upstream} {triage.old}..{triage.new}"
        return f"{text} ({_count(triage.commits, 'commit')})"
    return f"{text} of failure; name a range with --from and --to to look for guilty commits"


def origin(diagnosis: Diagnosis, *, ranged: bool) -> str:
    """Whose doing a failure is, with the reason where nobody is blamed."""
    if diagnosis.origin is Origin.UPSTREAM or (diagnosis.origin is Origin.UNKNOWN and not ranged):
        return ""
    words = _ORIGINS[diagnosis.origin]
    return f"{words}: {diagnosis.note}" if diagnosis.note else words


def next_step(diagnosis: Diagnosis, *, ranged: bool) -> str:
    """What to do now, in one line."""
    place = f" {diagnosis.place.file}:{diagnosis.place.line}" if diagnosis.place is not None else ""
    if diagnosis.guilty:
        first = diagnosis.guilty[0]
        if first.patch is not None:
            return f"the patch {first.patch} answers it: run syncbot apply"
        if first.fix is not None:
            return f"run syncbot migrate: it rewrites{place or ' the lines'} by {first.fix.rule}"
        change = first.commit.pr or first.commit.sha[:SHORT]
        return f"adapt{place or ' the backend'} to what upstream changed: syncbot explain {change}"
    if diagnosis.note:
        return diagnosis.note
    if not ranged:
        return "name the versions that worked and failed with --from and --to"
    return f"read{place or ' the traceback'}: no commit of the range is suspected"


def circumstances(failure: Failure) -> str:
    """How often, in which processes and tests a failure came up."""
    parts = [f"{failure.count} times" if failure.count > 1 else ""]
    parts += [_few(failure.processes, "process", "processes"), _few(failure.tests, "test", "tests")]
    return ", ".join(part for part in parts if part)


def commit(guilty: Guilty) -> str:
    """A suspected commit as one line of text."""
    pr = f" #{guilty.commit.pr}" if guilty.commit.pr is not None else ""
    day = guilty.commit.date.date().isoformat()
    return f"{guilty.commit.sha[:SHORT]}{pr} {guilty.commit.subject} ({day}, {guilty.commit.author})"


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
    """What was not kept of the logs, in words; empty where all was."""
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
