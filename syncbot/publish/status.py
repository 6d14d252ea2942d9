"""A commit status from a JSON report: does upstream break this commit?"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from syncbot.errors import UsageError
from syncbot.publish.api import Api, Document, create, repository
from syncbot.report.model import SCHEMA

_SHA = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_DESCRIPTION = 140
#: From which verdict on a commit fails.
FAILING = {
    "breaks": ("breaks",),
    "at-risk": ("breaks", "at-risk", "drift"),
    "never": (),
}


@dataclass(frozen=True, slots=True)
class Status:
    """What is said of a commit under a context, which names who says it."""

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
    """Return the status that a JSON report gives a commit; impacts on tests alone do not count.

    Raises UsageError for a file that is no such report, and for a sha that is not complete.
    """
    if not _SHA.fullmatch(sha):
        raise UsageError(f"{sha!r} is no complete sha of a commit: ask git rev-parse for it")
    report = _report(file)
    counted = [i["verdict"] for i in report["impacts"] if not i["tests_only"]]
    bad = [verdict for verdict in counted if verdict in FAILING[fail_on]]
    commits = len(report["commits"])
    numbers = [f"{counted.count(v)} {v}" for v in ("breaks", "at-risk", "drift") if counted.count(v)]
    name = report["upstream"]["name"]
    text = f"{name}: {commits} commit{'' if commits == 1 else 's'}, {', '.join(numbers) or 'nothing breaks'}"
    short = text if len(text) <= _DESCRIPTION else f"{text[: _DESCRIPTION - 1]}…"
    return Status(sha, context, "failure" if bad else "success", short, page)


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


def _report(file: Path) -> dict[str, Any]:
    hint = "write it with syncbot check --format json --output report.json"
    try:
        report = json.loads(file.read_text(encoding="utf-8"))
        fits = report["schema"] == SCHEMA and isinstance(report["commits"], list)
        fits = fits and all({"verdict", "tests_only"} <= impact.keys() for impact in report["impacts"])
        report["upstream"]["name"]
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}; {hint}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{file} is no JSON report: {hint}") from error
    if not fits:
        raise UsageError(f"{file} is no JSON report of schema {SCHEMA}: {hint}")
    return report  # type: ignore[no-any-return]
