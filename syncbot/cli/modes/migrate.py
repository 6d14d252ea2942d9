"""``syncbot apply --mode migrate``: rewrite a backend that has no lanes to a newer upstream."""

from __future__ import annotations

from pathlib import Path

import click

from syncbot.cli.check import configured
from syncbot.cli.progress import meter
from syncbot.errors import UsageError
from syncbot.impact.analysis import analyse, with_types
from syncbot.impact.memory import Memory
from syncbot.impact.model import Impact
from syncbot.impact.session import backend_of, opened
from syncbot.migrate import worktree
from syncbot.migrate.checked import type_checker
from syncbot.migrate.plan import Migration, migrate
from syncbot.upstream.cache import cache_dir
from syncbot.upstream.catalog import open_upstream
from syncbot.upstream.span import between


@click.command()
@click.option("--from", "old", metavar="REF", help="The upstream it runs on now, such as 0.32.0 or a sha.")
@click.option("--to", "new", metavar="REF", help="The upstream it has to run on, such as latest.")
@click.option("--upstream", metavar="NAME|URL|PATH", help="Another upstream, such as ../vllm.")
@click.option(
    "--backend", "root", type=click.Path(path_type=Path), default=Path(), show_default="the current folder",
    help="Root of the backend's repository, such as ../my-backend.",
)  # fmt: skip
@click.option(
    "--engine", type=click.Choice(("contracts", "all")), default="all", show_default=True,
    help="Who looks for what breaks, such as --engine contracts.",
)  # fmt: skip
@click.option("--check", is_flag=True, help="Change nothing; say what would change.")
@click.option("--allow-dirty", is_flag=True, help="Rewrite although there are changes not committed.")
def command(
    old: str | None,
    new: str | None,
    upstream: str | None,
    root: Path,
    engine: str,
    check: bool,
    allow_dirty: bool,
) -> int:
    """Rewrite what upstream broke in the working tree, where a rewrite is surely right.

    Every rewrite is proven before a file is written: the static check no longer finds what it mends, finds
    nothing that it did not find before, and every file compiles. The rest is listed, each with the reason
    why it needs an author; then the exit code is 1. All files change together or not at all.

    Example: syncbot apply --mode migrate --backend ../plugin --from 0.31.0 --to 0.32.0
    """
    config = configured(root)
    if old is None:
        raise UsageError("name the upstream that the backend runs on now: --from 0.32.0")
    tree = worktree.Worktree(config.root)
    if not check:
        tree.begin(allow_dirty)
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
                    analysis = with_types(analysis, checker(own))
                progress("rewrites", 0, None)
                done = migrate(trees, span.old, span.new, analysis.impacts, checker)
                progress("rewrites", 1, 1)
    if not check:
        tree.write({_below_root(config.backend, path): text for path, text in done.changes.items()})
    _tell(done, check)
    return 1 if done.unwritten or (check and done.changes) else 0


def _below_root(backend: str, path: str) -> str:
    return (Path(backend) / path).as_posix()


def _tell(done: Migration, check: bool) -> None:
    for mended in done.rewritten:
        rules = ", ".join(dict.fromkeys(rule.name for rule in mended.rules)) or "along with another"
        for line in _places(mended.impact):
            click.echo(f"{line}: {rules}: {mended.impact.message}{_guilty(mended.impact)}")
    for left in done.unwritten:
        place = _places(left.impact)[0]
        click.echo(f"needs an author: {place}: {left.impact.message}{_guilty(left.impact)}: {left.why}")
    count = len(done.rewritten) + len(done.unwritten)
    verb = "would be rewritten" if check else "rewritten"
    click.echo(f"{len(done.rewritten)} of {count} breaks {verb}, in {len(done.changes)} files")


def _places(impact: Impact) -> list[str]:
    return [f"{place.file}:{place.line}" for place in impact.locations]


def _guilty(impact: Impact) -> str:
    number = f" #{impact.pr}" if impact.pr is not None else ""
    return f" ({impact.commit[:10]}{number})" if impact.commit else ""
