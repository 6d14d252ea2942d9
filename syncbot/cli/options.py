"""Options that several commands have, each written once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from syncbot.configuration_file import configured_by
from syncbot.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def written_as(formats: Sequence[str]) -> Callable[[F], F]:
    """The choice of a format, whose names begin with the usual one."""
    return click.option(
        "--format", "style", type=click.Choice(formats), default=formats[0], show_default=True,
        help="How to write the result, such as --format json.",
    )  # fmt: skip


_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def seconds(_: click.Context, __: click.Parameter, text: str | None) -> float | None:
    """The seconds of a time as people write it, such as ``90s``, ``10m`` or ``1h``. Raises UsageError."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d+)([smh])", text)
    if found is None or not int(found[1]):
        raise UsageError(f"{text!r} is no time: write it as 90s, 10m or 1h")
    return int(found[1]) * _SECONDS[found[2]]


def language(known: Sequence[str]) -> Callable[[F], F]:
    """The choice of a language."""
    return click.option(
        "--lang", default="en", show_default=True, metavar=f"[{'|'.join(known)}]",
        help="Language of the result, such as zh.",
    )  # fmt: skip


def _choose(ctx: click.Context, _: click.Parameter, file: Path | None) -> None:
    ctx.with_resource(configured_by(file))


configuration = click.option(
    "--config", type=click.Path(path_type=Path), expose_value=False, callback=_choose, metavar="FILE",
    help="Read the configuration from this file, such as ../bot/syncbot.toml.",
)  # fmt: skip
backend = together(
    click.option(
        "--backend", type=click.Path(path_type=Path), default=Path(), show_default="the current folder",
        help="Root of the backend's repository, such as ../my-backend.",
    ),
    configuration,
)  # fmt: skip
commits = together(
    click.option(
        "--since", metavar="WHEN",
        help="Commits from this moment on, such as yesterday, 2026-01-23 or last-report.",
    ),
    click.option("--until", metavar="WHEN", help="Commits up to this moment, such as '2 days ago'."),
    click.option(
        "--from", "old", metavar="REF",
        help="Commits after this tag, sha or version, such as 0.32.0 or latest~1.",
    ),
    click.option(
        "--to", "new", metavar="REF", help="Commits up to this tag, sha or version, such as latest."
    ),
)  # fmt: skip
upstream = click.option(
    "--upstream", metavar="NAME|URL|PATH", help="Follow this upstream instead, such as ../vllm."
)
upstreams = click.option(
    "--upstream", "upstreams", multiple=True, metavar="NAME|URL|PATH",
    help="Follow this upstream instead, such as ../vllm. Repeat it to follow several.",
)  # fmt: skip
by = click.option(
    "--by", type=click.Choice(("commits", "releases")),
    help="Follow upstream by this, such as --by releases. "
    "[default: as configured, else commits where the repository can be reached]",
)  # fmt: skip
lanes = click.option(
    "--lane", "lanes", multiple=True, metavar="TAG", help="Only this lane, such as v0.28.0. Repeatable."
)
allow_dirty = click.option(
    "--allow-dirty", is_flag=True, help="Write files although git shows changes that are not committed."
)
output = click.option(
    "--output", type=click.Path(path_type=Path), help="Write the result to this file, such as report.md."
)
text_or_json = written_as(("text", "json"))
check = click.option("--check", is_flag=True, help="Change nothing; exit with 1 if anything would change.")
gate = click.option(
    "--gate", "expression", metavar="EXPRESSION",
    help="The project's test of versions, such as 'up_is(\"{version}\")'.",
)  # fmt: skip
migration = together(
    click.option(
        "--from", "old", required=True, metavar="REF",
        help="The upstream that the backend runs on now, such as 0.32.0 or a sha.",
    ),
    click.option(
        "--to", "new", metavar="REF",
        help="The upstream that it has to run on, such as 0.33.0. [default: the newest commit]",
    ),
    upstream,
    by,
    backend,
    click.option(
        "--engine", type=click.Choice(("contracts", "all")),
        help="Look for breaks with this engine, such as --engine contracts; all asks the type checkers too. "
             "[default: what is configured, else contracts]",
    ),
    check,
    allow_dirty,
)  # fmt: skip
