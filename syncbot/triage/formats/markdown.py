"""A triage as GitHub-flavoured Markdown, for an issue or a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncbot.report.untrusted_text import code, label, prose
from syncbot.triage import rendering
from syncbot.triage.diagnosis import Diagnosis, Guilty, Triage
from syncbot.triage.model import Failure
from syncbot.triage.verdicts import SHORT, overall, verdict
from syncbot.upstream.model import Commit

_REASONS = 3


def as_markdown(triage: Triage) -> str:
    """The verdict, then a section for each cause, with its suspected commits as a list."""
    first = overall(triage)
    lines = [f"# {prose(first.line)}"]
    lines += ["", prose(line)] if (line := rendering.scope(triage)) else []
    for remark in (*triage.remarks, rendering.left_out(triage)):
        lines += ["", prose(remark)] if remark else []
    for diagnosis, followers in rendering.with_followers(triage):
        lines += ["", *_diagnosis(triage, diagnosis, followers)]
    if strays := rendering.strays(triage):
        lines += ["", "## Follows from a failure that the logs do not have", ""]
        lines += [f"- {code(failure.text)}" for failure in strays]
    if triage.reading.unexplained:
        lines += ["", "## Failed, but the logs do not tell why", ""]
        lines += [f"- {code(test.test)}" for test in triage.reading.unexplained]
    return "\n".join(lines) + "\n"


def _diagnosis(triage: Triage, diagnosis: Diagnosis, followers: Sequence[Failure]) -> Iterator[str]:
    failure = diagnosis.failure
    yield f"## {code(failure.text)}"
    yield ""
    yield f"- {prose(verdict(triage, diagnosis).line)}"
    where = rendering.circumstances(failure)
    yield f"- {code(f'{failure.source}:{failure.line}')}{': ' if where else ''}{prose(where)}"
    if diagnosis.place is not None:
        yield f"- the plugin's line: {code(f'{diagnosis.place.file}:{diagnosis.place.line}')}"
    for follower in followers:
        yield f"- leads to {code(follower.text)}"
    if diagnosis.guilty:
        yield ""
    for number, guilty in enumerate(diagnosis.guilty, 1):
        yield from _guilty(triage, number, guilty)


def _guilty(triage: Triage, number: int, guilty: Guilty) -> Iterator[str]:
    yield f"{number}. {_link(triage, guilty.commit)} {prose(guilty.commit.subject)}"
    for reason in guilty.reasons[: _REASONS if number == 1 else 1]:
        yield f"   - {prose(reason)}"
    if guilty.patch is not None:
        yield f"   - patch: {code(guilty.patch)}"


def _link(triage: Triage, commit: Commit) -> str:
    short = commit.sha[:SHORT]
    if triage.web is None:
        return code(short)
    if commit.pr is not None:
        return f"[{label(f'#{commit.pr}')}]({triage.web}/pull/{commit.pr})"
    return f"[{short}]({triage.web}/commit/{commit.sha})"
