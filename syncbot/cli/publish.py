"""``syncbot publish``: the report as an issue, the patches as a pull request, a commit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click

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
from syncbot.report.matrix import as_markdown
from syncbot.report.model import FAILING
from syncbot.upstream.moments import zone

_repository = click.option(
    "--repository", metavar="OWNER/NAME",
    help="Where to, such as octocat/hello-world. [default: GITHUB_REPOSITORY, else the remote's]",
)  # fmt: skip
_dry_run = click.option(
    "--dry-run", is_flag=True,
    help="Print method, path and JSON of every request; send nothing. Needs no token.",
)  # fmt: skip
_backend = click.option(
    "--backend",
    "root",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default="the current folder",
    help="Root of the backend's repository, such as ../my-backend.",
)


@click.group()
def command() -> None:
    """Put reports, patches and results on GitHub.

    The token comes from GITHUB_TOKEN or GH_TOKEN, the address from GITHUB_API_URL. Every command can be
    repeated: what is there already is updated, never duplicated.

    Example: syncbot publish report --dry-run report.md
    """


@command.command(short_help="Open or update the day's issue.")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@_repository
@click.option("--label", default="syncbot", show_default=True, help="The issue's label, such as upstream.")
@click.option("--day", metavar="DATE", help="The day of the report, such as 2026-01-23. [default: today]")
@click.option(
    "--close-after", type=click.IntRange(min=0), metavar="DAYS",
    help="Close issues of days more than this before it, such as 14.",
)  # fmt: skip
@_dry_run
@_backend
def report(
    file: Path,
    repository: str | None,
    label: str,
    day: str | None,
    close_after: int | None,
    dry_run: bool,
    root: Path,
) -> None:
    """Open or update the day's issue with the Markdown report in FILE, or in standard input with "-".

    A report that is too long for one issue goes on in comments.

    Example: syncbot publish report --close-after 14 report.md
    """
    config = configuration.load(root)
    text = _text(file)
    chosen = report_issue.DailyReport(text, _day(day, config.timezone), label)
    name = _name(repository, root)
    report_issue.publish(_api(dry_run), name, chosen, _said(dry_run), close_after)


@command.command(short_help="Push the patches and open or update a pull request.")
@click.option(
    "--branch", default="syncbot/patches", show_default=True, help="The branch, such as syncbot/patches."
)
@click.option("--base", metavar="BRANCH", help="To merge into, such as main. [default: the default branch]")
@click.option("--remote", default="origin", show_default=True, help="Push there, such as upstream.")
@_repository
@_dry_run
@_backend
def pr(branch: str, base: str | None, remote: str, repository: str | None, dry_run: bool, root: Path) -> None:
    """Propose what `syncbot apply` changed: push it to a branch, open or update the pull request.

    Patches, matrix and lanes are taken as they lie in the working tree, which stays as it is, with its
    index and its branch. Only a branch that syncbot made is overwritten.

    Example: syncbot publish pr --dry-run
    """
    config = configuration.load(root)
    with checkout(config.root) as found:
        url = found.remote_url(remote)
        to = Destination(repository_name(repository, os.environ, url), branch, base)
        api, push = _api(dry_run), _push(found, url, dry_run)
        propose(config, found, to, api, push, as_markdown, _said(dry_run))


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--sha", envvar="GITHUB_SHA", required=True, help="The commit, 40 digits. [default: GITHUB_SHA]"
)
@click.option("--context", default="syncbot", show_default=True, help="Who says it, such as syncbot/nightly.")
@click.option(
    "--fail-on", type=click.Choice(sorted(FAILING)), default="breaks", show_default=True,
    help="From which verdict on the commit fails, such as --fail-on at-risk.",
)  # fmt: skip
@click.option(
    "--target-url", metavar="URL",
    help="The page that the status leads to, such as https://ci.example.org/7. [default: the Actions run]",
)  # fmt: skip
@_repository
@_dry_run
@_backend
def check(
    file: Path,
    sha: str,
    context: str,
    fail_on: str,
    target_url: str | None,
    repository: str | None,
    dry_run: bool,
    root: Path,
) -> None:
    """Post a commit status from the JSON report in FILE.

    Example: syncbot publish check --sha "$(git rev-parse HEAD)" report.json
    """
    said = status.status_of(file, sha, context, fail_on, target_url or run_page(os.environ))
    status.publish(_api(dry_run), _name(repository, root), said, _said(dry_run))


def _api(dry_run: bool) -> Api:
    if dry_run:
        return DryRun(click.echo)
    patience = Patience(tell=lambda line: click.echo(f"syncbot: {line}", err=True))
    return GitHub(token_of(os.environ), _url(), patience)


def _push(found: Checkout, url: str, dry_run: bool) -> Push:
    if dry_run:
        return PushDryRun(found, url, click.echo)
    return GitPush(found, Remote(url, token_of(os.environ), web_host(_url())))


def _url() -> str:
    return os.environ.get("GITHUB_API_URL") or PUBLIC


def _said(dry_run: bool) -> Callable[[str], Any]:
    """Where results go: nowhere if nothing was sent."""
    return (lambda line: None) if dry_run else click.echo


def _name(given: str | None, root: Path) -> str:
    url = None
    if given is None and not os.environ.get("GITHUB_REPOSITORY"):
        with checkout(root) as found:
            url = found.remote_url("origin")
    return repository_name(given, os.environ, url)


def _text(file: Path) -> str:
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return raw.decode("utf-8")
    except OSError as error:
        hint = "write it with syncbot check --format markdown --output report.md"
        raise UsageError(f"{file} cannot be read: {error.strerror}; {hint}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8 text at byte {error.start}: give a Markdown report") from error


def _day(given: str | None, timezone: str | None) -> date:
    if given is None:
        return datetime.now(zone(timezone)).date()
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise UsageError(f"{given!r} is no day such as 2026-01-23") from None
