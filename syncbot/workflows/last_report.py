"""Where the report before this one ended: what it told is not told again, what it did not is not lost."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.publish.api import PUBLIC, GitHub
from syncbot.publish.branch_names import repository_name
from syncbot.publish.last_report import last_covered
from syncbot.publish.retry import Patience
from syncbot.publish.token import token_of
from syncbot.report.covered import LAST, Covered, covered_in
from syncbot.upstream.moments import zone


def last_reports(config: Config, output: Path | None, label: str = "syncbot") -> Mapping[str, Covered]:
    """Return what the last report covered, by upstream: that in the file that will be replaced, else the
    newest that was published as an issue. Nothing where none was published yet. Raises UsageError where
    neither can be looked for, EnvironmentFailure."""
    if output is not None and output.is_file():
        found = covered_in(output.read_text(encoding="utf-8", errors="replace"))
        if found:
            return found
    if not (os.environ.get("GITHUB_TOKEN") or os.environ.get("GH_TOKEN")):
        where = f"{output} holds no report" if output is not None else "there is no --output"
        raise UsageError(
            f"--since {LAST}: {where}, and there is no GITHUB_TOKEN to read the published one with: "
            "name the first range with --from or --since yesterday"
        )
    name = repository_name(None, os.environ, None)
    api = GitHub(token_of(os.environ), os.environ.get("GITHUB_API_URL") or PUBLIC, Patience())
    return last_covered(api, name, label, datetime.now(zone(config.timezone)).date())
