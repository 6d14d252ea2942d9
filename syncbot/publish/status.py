"""A commit status from a JSON report: does upstream break this commit?"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from syncbot.errors import UsageError
from syncbot.impact.model import Verdict
from syncbot.publish.api import Api, Document, create, repository
from syncbot.report import view
from syncbot.report.catalogue import words
from syncbot.report.failing import FAILING
from syncbot.report.from_json import parse
from syncbot.report.model import Report
from syncbot.report.untrusted_text import one_line

_SHA = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_DESCRIPTION = 140


@dataclass(frozen=True, slots=True)
class Status:
    """The status of a commit under a context, which names who reports it."""

    sha: str
    context: str
    state: str
    description: str
    page: str | None = None

    def body(self) -> Document:
        """The status as GitHub takes it."""
        said = {"state": self.state, "context": self.context, "description": self.description}
        return said | ({"target_url": self.page} if self.page else {})


def status_of(file: Path, sha: str, context: str, fail_on: str, page: str | None = None) -> Status:
    """The status that a report, tests aside, gives a commit. Raises UsageError for no report or sha."""
    if not _SHA.fullmatch(sha):
        raise UsageError(f"{sha!r} is no complete sha of a commit: ask git rev-parse for it")
    told = [_said_of(report) for report in _reports(file)]
    bad = any(verdict in FAILING[fail_on] for counted, _ in told for verdict in counted)
    text = one_line(
        "; ".join(said for _, said in sorted(told, key=lambda each: Verdict.BREAKS not in each[0]))
    )
    short = text if len(text) <= _DESCRIPTION else f"{text[: _DESCRIPTION - 1]}…"
    return Status(sha, context, "failure" if bad else "success", short, page)


def _said_of(report: Report) -> tuple[list[Verdict], str]:
    """The verdicts that count on one upstream, and what is said of it."""
    counted = [impact.verdict for impact in report.impacts if not impact.tests_only]
    english = words("en")
    found = view.counted(counted, english) or "nothing breaks"
    return counted, f"{report.upstream}: {english.count('commits', len(report.commits))}, {found}"


def publish(api: Api, name: str, status: Status, say: Callable[[str], None]) -> None:
    """Post the status, unless it is already the last one under its context. Raises EnvironmentFailure."""
    name, _ = repository(api, name)

    def there() -> Document | None:
        for known in api.pages(f"/repos/{name}/commits/{status.sha}/statuses", {}):
            # Newest first, and the case of a context does not count.
            if str(known.get("context", "")).lower() == status.context.lower():
                said = {key: known.get(key) for key in ("state", "description", "target_url")}
                wanted = status.body()
                return known if all(said[key] == wanted.get(key) for key in said) else None
        return None

    if there() is None:
        create(api, f"/repos/{name}/statuses/{status.sha}", status.body(), there)
    say(f"status {status.state}: {status.context}: {status.description}")


def _reports(file: Path) -> tuple[Report, ...]:
    """The reports in a file, one an upstream. Raises UsageError."""
    hint = "write it with syncbot check --format json --output report.json"
    try:
        found = parse(file.read_bytes(), str(file))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}; {hint}") from error
    if not found:
        raise UsageError(f"{file} is no report of syncbot: it has none; {hint}")
    return found
