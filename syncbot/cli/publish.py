"""``syncbot publish``: the report as an issue, the patches as a pull request, a commit status; wheels."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from syncbot.cli import options
from syncbot.cli.shared_output import say
from syncbot.errors import UsageError
from syncbot.report.failing import FAILING

if TYPE_CHECKING:
    from syncbot.workflows.publish import Publisher

# The fields of a Publisher.
_destination = options.together(
    click.option(
        "--repository", metavar="OWNER/NAME",
        help="Publish there, such as octocat/hello-world. [default: GITHUB_REPOSITORY, else the remote's]",
    ),
    click.option(
        "--dry-run", is_flag=True,
        help="Print method, path and JSON of every request and send nothing. Needs no token.",
    ),
    options.backend,
)  # fmt: skip


@click.group()
def command() -> None:
    """Put reports and patches on GitHub, wheels into an index.

    The token comes from GITHUB_TOKEN or GH_TOKEN, the address from GITHUB_API_URL. You can repeat every
    command: it updates what is there and never duplicates it. The index is a folder; it needs no
    token.

    Example: syncbot publish report --dry-run report.md
    """


@command.command(short_help="Open or update the day's issue.")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--label", default="syncbot", show_default=True, help="The issue's label, such as upstream.")
@click.option("--day", metavar="DATE", help="The day of the report, such as 2026-01-23. [default: today]")
@click.option(
    "--close-after", type=click.IntRange(min=0), metavar="DAYS",
    help="Close the issues of days that are more than this many days older, such as 14.",
)  # fmt: skip
@_destination
def report(file: Path, label: str, day: str | None, close_after: int | None, **where: Any) -> None:
    """Open or update the day's issue with the Markdown report in FILE, or in standard input with "-".

    A report that is too long for one issue goes on in comments.

    Example: syncbot publish report --close-after 14 report.md
    """
    _publisher(where).publish_report(_text(file), day, label, close_after)


@command.command(short_help="Open or update the issue of an upgrade.")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--label", default="syncbot", show_default=True, help="The issue's label, such as upstream.")
@_destination
def issue(file: Path, label: str, **where: Any) -> None:
    """Open or update the issue of an upgrade with the report in FILE, or in standard input with "-".

    FILE is what 'syncbot check --format upgrade' wrote. There is one issue for each pair of ends.

    Example: syncbot publish issue --dry-run upgrade.md
    """
    _publisher(where).publish_upgrade(_text(file), label)


@command.command(short_help="Push the patches and open or update a pull request.")
@click.option(
    "--branch", default="syncbot/patches", show_default=True, help="The branch, such as syncbot/patches."
)
@click.option("--base", metavar="BRANCH", help="To merge into, such as main. [default: the default branch]")
@click.option("--remote", default="origin", show_default=True, help="Push there, such as upstream.")
@_destination
def pr(branch: str, base: str | None, remote: str, **where: Any) -> None:
    """Propose what 'syncbot apply' changed: push it to a branch, open or update the pull request.

    It takes patches, matrix and lanes from the working tree. The tree, its index and its branch do not
    change. It overwrites only a branch that syncbot made.

    Example: syncbot publish pr --dry-run
    """
    _publisher(where).publish_patches(branch, base, remote)


@command.command(short_help="Post a commit status from a JSON report.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--sha", envvar="GITHUB_SHA", required=True, help="The commit, 40 digits. [default: GITHUB_SHA]"
)
@click.option("--context", default="syncbot", show_default=True, help="Who says it, such as syncbot/nightly.")
@click.option(
    "--fail-on", type=click.Choice(sorted(FAILING)), default="breaks", show_default=True,
    help="The commit fails if an impact has this verdict or a worse one, such as --fail-on at-risk.",
)  # fmt: skip
@click.option(
    "--target-url", metavar="URL",
    help="The page that the status links to, such as https://ci.example.org/7. [default: the Actions run]",
)  # fmt: skip
@_destination
def check(file: Path, sha: str, context: str, fail_on: str, target_url: str | None, **where: Any) -> None:
    """Post a commit status from the JSON report in FILE.

    Example: syncbot publish check --sha "$(git rev-parse HEAD)" report.json
    """
    _publisher(where).publish_status(file, sha, context, fail_on, target_url)


@command.command(short_help="Add built wheels to an index of static files.")
@click.option(
    "--output", required=True, type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the index, such as build/pages/wheels. Wheels that it has stay.",
)  # fmt: skip
@click.option(
    "--wheels",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder that 'syncbot build' wrote, such as dist. [default: the configured one]",
)
@options.backend
def index(output: Path, wheels: Path | None, backend: Path) -> None:
    """Add built wheels to an index of static files, which any web server can offer to pip.

    It has a page and a JSON file for each name, with digests, and the metadata of each wheel. A published
    wheel never changes: syncbot refuses another one with the same name.

    Example: syncbot publish index --output build/pages/wheels
    """
    from syncbot.workflows.publish_index import publish_index

    folder, listed = publish_index(backend, wheels, output)
    newest = max(listed, key=lambda wheel: wheel.version)
    install = f"pip install {newest.name}=={newest.version} --index-url ADDRESS/{folder.name}"
    say(f"{folder}: {len(listed)} wheels; {install}")


def _publisher(where: dict[str, Any]) -> Publisher:
    from syncbot.workflows.publish import Publisher

    return Publisher(**where, say=click.echo, warn=lambda line: say(f"syncbot: {line}", err=True))


def _text(file: Path) -> str:
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return raw.decode("utf-8")
    except OSError as error:
        hint = "write it with syncbot check --format markdown --output report.md"
        raise UsageError(f"{file} cannot be read: {error.strerror}; {hint}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8 text at byte {error.start}: give a Markdown report") from error
