"""Put reports, patches and results on GitHub: an issue, a pull request, a commit status."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from syncbot import config as configuration
from syncbot.errors import UsageError
from syncbot.publish import report_issue, status
from syncbot.publish.api import PUBLIC, Api, DryRun, GitHub
from syncbot.publish.branch_names import repository_name, run_page, web_host
from syncbot.publish.commit import Checkout, checkout
from syncbot.publish.proposed_patches import Destination, propose
from syncbot.publish.push import GitPush, Push, PushDryRun, Remote
from syncbot.publish.retry import Patience
from syncbot.publish.token import token_of
from syncbot.report.untrusted_text import one_line
from syncbot.upstream.moments import zone

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    """Where to publish for the project ``backend``, and who hears of it. ``repository`` is OWNER/NAME, else
    that of the environment or of the remote. With ``dry_run`` nothing is sent, and ``say`` gets every request
    instead of the results. ``warn`` gets what delays a request."""

    backend: Path
    repository: str | None
    dry_run: bool
    say: Say
    warn: Say

    def publish_report(self, text: str, day: str | None, label: str, close_after: int | None) -> None:
        """Open or update the issue of a day (today's, if none is given) with a Markdown report, and close
        those more than ``close_after`` days older. Raises UsageError and EnvironmentFailure."""
        report = report_issue.DailyReport(text, self._day(day), label)
        api, name = self._api(), self._name()
        report_issue.publish(api, name, report, self._results())
        if close_after is not None:
            report_issue.close_older(api, name, report, close_after, self._results())

    def publish_upgrade(self, text: str, label: str) -> None:
        """Open or update the issue of an upgrade with its Markdown report: one for each pair of ends. Raises
        UsageError and EnvironmentFailure."""
        report = report_issue.UpgradeReport(text, label)
        report_issue.publish(self._api(), self._name(), report, self._results())

    def publish_patches(self, branch: str, base: str | None, remote: str) -> None:
        """Push what `apply` changed to a branch; open or update its pull request. Raises UsageError and
        EnvironmentFailure."""
        config = configuration.load(self.backend)
        with checkout(config.root) as found:
            url = found.remote_url(remote)
            to = Destination(repository_name(self.repository, os.environ, url), branch, base)
            if not propose(config, found, to, self._api(), self._push(found, url), self._results()):
                self.say("nothing to publish: patches, lanes and matrix are as in HEAD")

    def publish_status(self, file: Path, sha: str, context: str, fail_on: str, url: str | None) -> None:
        """Post a commit status from a JSON report. Raises UsageError and EnvironmentFailure."""
        said = status.status_of(file, sha, context, fail_on, url or run_page(os.environ))
        status.publish(self._api(), self._name(), said, self._results())

    def _api(self) -> Api:
        if self.dry_run:
            return DryRun(self.say)
        return GitHub(token_of(os.environ), _url(), Patience(tell=self.warn))

    def _push(self, found: Checkout, url: str) -> Push:
        if self.dry_run:
            return PushDryRun(found, url, self.say)
        return GitPush(found, Remote(url, token_of(os.environ), web_host(_url())))

    def _results(self) -> Say:
        return (lambda line: None) if self.dry_run else (lambda line: self.say(one_line(line)))

    def _name(self) -> str:
        url = None
        if self.repository is None and not os.environ.get("GITHUB_REPOSITORY"):
            with checkout(self.backend) as found:
                url = found.remote_url("origin")
        return repository_name(self.repository, os.environ, url)

    def _day(self, given: str | None) -> date:
        if given is None:
            return datetime.now(zone(configuration.load(self.backend).timezone)).date()
        try:
            return date.fromisoformat(given)
        except ValueError:
            raise UsageError(f"{given!r} is not a day: write it as 2026-01-23") from None


def _url() -> str:
    return os.environ.get("GITHUB_API_URL") or PUBLIC
