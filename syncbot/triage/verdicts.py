"""The answer that a reader needs first: what it is, who did it, and what to do. Every format shows it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from syncbot.triage.diagnosis import Certainty, Diagnosis, Guilty, Origin, Triage

SHORT = 10
_REASON = 200


class Answer(StrEnum):
    """The answers of verdicts, the most telling one first."""

    UPSTREAM = "upstream"
    TOO_OLD = "too-old"
    NOT_UPSTREAM = "not-upstream"
    UNKNOWN = "unknown"
    NO_FAILURE = "no-failure"


_ANSWERS = {
    Origin.UPSTREAM: Answer.UPSTREAM,
    Origin.TOO_OLD: Answer.TOO_OLD,
    Origin.ENVIRONMENT: Answer.NOT_UPSTREAM,
    Origin.BACKEND: Answer.NOT_UPSTREAM,
    Origin.UNKNOWN: Answer.UNKNOWN,
}
_CERTAINTIES = (Certainty.SURE, Certainty.LIKELY, Certainty.GUESS, None)


@dataclass(frozen=True, slots=True)
class Verdict:
    """``told`` says who did what in one sentence, ``act`` what to do now."""

    answer: Answer
    told: str
    act: str = ""
    certainty: Certainty | None = None

    @property
    def label(self) -> str:
        """The answer as it stands at the beginning of a line."""
        return self.answer.value.upper().replace("-", " ")

    @property
    def line(self) -> str:
        """The whole verdict in one line; the answer first."""
        if self.answer is Answer.NO_FAILURE:
            return self.told
        sure = f" {_capital(self.certainty.value)}." if self.certainty is not None else ""
        act = f" Next: {self.act}" if self.act else ""
        return f"{self.label}: {self.told}.{sure}{act}"


def verdict(triage: Triage, diagnosis: Diagnosis) -> Verdict:
    """Return the verdict about one cause."""
    answer = _ANSWERS[diagnosis.origin]
    if diagnosis.origin is Origin.UPSTREAM:
        return Verdict(answer, _broke(triage, diagnosis), _mend(triage, diagnosis), diagnosis.certainty)
    if diagnosis.origin is Origin.TOO_OLD:
        return Verdict(answer, _lacks(triage, diagnosis), _newer(triage, diagnosis), diagnosis.certainty)
    if diagnosis.note:
        return Verdict(answer, diagnosis.note, diagnosis.act, diagnosis.certainty)
    act = "name the last version that worked with --from, and the one that failed with --to"
    return Verdict(answer, "no range was looked at", act)


def overall(triage: Triage) -> Verdict:
    """The most telling verdict, of equal ones the first in the logs, or what is known without one."""
    found = [verdict(triage, diagnosis) for diagnosis in triage.diagnoses]
    if found:
        order = list(Answer)
        return min(found, key=lambda v: (order.index(v.answer), _CERTAINTIES.index(v.certainty)))
    reading = triage.reading
    if reading.unexplained:
        count = _count(len(reading.unexplained), "test")
        return Verdict(Answer.UNKNOWN, f"{count} failed, and the logs do not tell why", "give the whole log")
    if reading.error_lines:
        count = _count(reading.error_lines, "line")
        says = "says" if reading.error_lines == 1 else "say"
        told = f"there is no traceback, but {count} {says} ERROR, the first: {reading.first_error[:_REASON]}"
        return Verdict(Answer.UNKNOWN, told.rstrip("."), "give the log of the process that failed first")
    return Verdict(Answer.NO_FAILURE, "no failures found")


def commit_name(triage: Triage, guilty: Guilty) -> str:
    """A commit as people speak of it: pull request, short sha and day, or the release."""
    commit = guilty.commit
    day = commit.date.date().isoformat()
    if triage.kind == "release":
        return f"{commit.subject} ({day})"
    sha = commit.sha[:SHORT]
    return (
        f"{triage.upstream}#{commit.pr} ({sha}, {day})"
        if commit.pr is not None
        else (f"{triage.upstream} {sha} ({day})")
    )


def _broke(triage: Triage, diagnosis: Diagnosis) -> str:
    first = diagnosis.guilty[0]
    place = f"{diagnosis.place.file}:{diagnosis.place.line}" if diagnosis.place is not None else "the plugin"
    return f"{commit_name(triage, first)} broke {place}: {_reason(first)}"


def _mend(triage: Triage, diagnosis: Diagnosis) -> str:
    first = diagnosis.guilty[0]
    ask = f"; only releases can be named here: {_by_git(triage)}" if triage.kind == "release" else ""
    if first.patch is not None:
        return f"run syncbot apply, the patch {first.patch} answers it{ask}"
    if diagnosis.mend is not None and diagnosis.place is not None:
        where = f"{diagnosis.place.file}:{diagnosis.place.line}"
        return f"run syncbot migrate, it rewrites {where} by {diagnosis.mend.rule}{ask}"
    if triage.kind == "release":
        return f"adapt the plugin to what that release changed{ask}"
    change = first.commit.pr or first.commit.sha[:SHORT]
    there = f"{diagnosis.place.file}:{diagnosis.place.line}" if diagnosis.place is not None else "the plugin"
    return f"adapt {there} to what it changed, which syncbot explain {change} shows"


def _by_git(triage: Triage) -> str:
    """How to ask for the pull request where only releases are known."""
    return (
        f"--upstream URL_OF_ITS_GIT_REPOSITORY --from v{triage.old.removeprefix('v')} "
        f"--to v{triage.new.removeprefix('v')} names the pull request"
    )


def _lacks(triage: Triage, diagnosis: Diagnosis) -> str:
    first = diagnosis.guilty[0]
    ran = triage.old if triage.old else "that ran"
    since = f", first in {diagnosis.release}" if diagnosis.release and triage.kind == "git" else ""
    return (
        f"the {triage.upstream} that ran ({ran}) is older than the plugin needs: {diagnosis.note}; "
        f"that came with {commit_name(triage, first)}{since}"
    )


def _newer(triage: Triage, diagnosis: Diagnosis) -> str:
    first = diagnosis.guilty[0]
    if diagnosis.release:
        return f"install {triage.upstream} {diagnosis.release.removeprefix('v')} or later"
    if triage.kind == "release":
        return f"install {first.commit.subject} or later"
    day = first.commit.date.date().isoformat()
    newer = f"install {triage.upstream} as of {day} or later"
    return f"{newer}, or take the plugin's version that fits yours: syncbot doctor names it"


def _reason(guilty: Guilty) -> str:
    reason = next(iter(guilty.reasons), guilty.commit.subject)
    return " ".join(reason.split())[:_REASON].rstrip(".")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
