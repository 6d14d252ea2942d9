"""What the modes of ``syncbot apply`` for backends without lanes share: options, the plan, the summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from syncbot.api.tree import ModuleTree
from syncbot.cli.progress import meter
from syncbot.config import Config
from syncbot.contracts.sources import Backend
from syncbot.errors import UsageError
from syncbot.impact.analysis import analyse, with_types
from syncbot.impact.caching.analysis_cache import Memory
from syncbot.impact.model import Impact
from syncbot.impact.session import backend_of, opened
from syncbot.migrate.plan import Migration, Unwritten, migrate
from syncbot.migrate.type_checker_proof import type_checker
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.catalog import open_upstream
from syncbot.upstream.commit_range import between

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--from", "old", metavar="REF", help="The upstream it runs on now, such as 0.32.0 or a sha."
    ),
    click.option("--to", "new", metavar="REF", help="The upstream it has to run on, such as latest."),
    click.option("--upstream", metavar="NAME|URL|PATH", help="Another upstream, such as ../vllm."),
    click.option(
        "--backend",
        "root",
        type=click.Path(path_type=Path),
        default=Path(),
        show_default="the current folder",
        help="Root of the backend's repository, such as ../my-backend.",
    ),
    click.option(
        "--engine",
        type=click.Choice(("contracts", "all")),
        default="all",
        show_default=True,
        help="Who looks for what breaks, such as --engine contracts.",
    ),
    click.option("--check", is_flag=True, help="Change nothing; say what would change."),
    click.option("--allow-dirty", is_flag=True, help="Rewrite although there are changes not committed."),
)


def options(function: F) -> F:
    """The options that every such mode has."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@dataclass(frozen=True)
class Plan:
    """A migration, and the files that it could not look at, each with the reason."""

    migration: Migration
    unread: tuple[str, ...]


def planned(config: Config, upstream: str | None, old: str | None, new: str | None, engine: str) -> Plan:
    """The migration of a backend between two ends of its upstream; nothing is written.

    Raises UsageError without an old end, or where one does not exist, and EnvironmentFailure.
    """
    if old is None:
        raise UsageError("name the upstream that the backend runs on now: --from 0.32.0")
    own = backend_of(config)
    with meter() as progress:
        wanted = [ref for ref in (old, new) if ref is not None]
        with open_upstream(config, upstream, cache_dir(), wanted, progress) as followed:
            span = between(followed.repository, old, new or followed.head)
            checker = type_checker(config, followed, span, cache_dir()) if engine == "all" else None
            with opened(config, followed, own, cache_dir()) as trees:
                analysis = analyse(trees, span, Memory(cache_dir() / "analyses"))
                if checker is not None and span.commits:
                    progress("type checkers", 0, None)
                    analysis = with_types(analysis, checker(own), own)
                    progress("type checkers", 1, 1)
                progress("rewrites", 0, None)
                done = migrate(trees, span.old, span.new, analysis.impacts, checker)
                progress("rewrites", 1, 1)
                return Plan(done, tuple(_unread(own, own.tree(trees.tables))))


def _unread(backend: Backend, tree: ModuleTree) -> Iterator[str]:
    """The files whose contracts nobody knows, or that could not be written back, with the reason."""
    for file in backend.files:
        try:
            file.text.decode("utf-8")
        except UnicodeDecodeError:
            yield f"{file.path}: it is not UTF-8"
            continue
        table = tree.table(file.module)
        if table is not None and table.problem is not None:
            yield f"{file.path}: {table.problem}"


def tell(plan: Plan, check: bool) -> int:
    """Print what is rewritten, what needs an author and what nobody looked at; the exit code."""
    done = plan.migration
    for mended in done.rewritten:
        rules = ", ".join(dict.fromkeys(rule.name for rule in mended.rules)) or "along with another"
        for line in _places(mended.impact):
            click.echo(f"{line}: {rules}: {mended.impact.message}{_guilty(mended.impact)}")
    for left in done.unwritten:
        click.echo(f"needs an author: {_left(left)}")
    count = len(done.rewritten) + len(done.unwritten)
    verb = "would be rewritten" if check else "rewritten"
    files = f"{len(done.changes)} file{'' if len(done.changes) == 1 else 's'}"
    click.echo(f"{len(done.rewritten)} of {count} breaks {verb}, in {files}")
    for why in plan.unread:
        click.echo(f"not looked at: {why}")
    return 1 if done.unwritten or plan.unread or (check and done.changes) else 0


def below_root(config: Config, path: str) -> str:
    """A path of the backend, relative to the root of its repository."""
    return (Path(config.backend) / path).as_posix()


def _left(left: Unwritten) -> str:
    return f"{_places(left.impact)[0]}: {left.impact.message}{_guilty(left.impact)}: {left.why}"


def _places(impact: Impact) -> list[str]:
    return [f"{place.file}:{place.line}" for place in impact.locations]


def _guilty(impact: Impact) -> str:
    number = f" #{impact.pr}" if impact.pr is not None else ""
    return f" ({impact.commit[:10]}{number})" if impact.commit else ""
