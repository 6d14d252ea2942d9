"""``syncbot witness``: one impact's witness, run on both sides of a range."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import click

from syncbot.cli import options
from syncbot.cli.progress import meter
from syncbot.errors import UsageError
from syncbot.garbage_collection import resting
from syncbot.report.untrusted_text import one_line, printable

if TYPE_CHECKING:
    from syncbot.impact.model import Impact, Testimony


@click.command(short_help="Show a break by importing upstream on both sides of it.")
@click.argument("impact", metavar="ID")
@options.commits
@options.upstreams
@options.backend
@click.option("--as-test", is_flag=True, help="Print the witness as a test, such as --as-test > test_it.py.")
@resting()
def command(impact: str, as_test: bool, **asked: Any) -> int:
    """Run the witness of one impact: a short program that imports upstream alone and raises now.

    The ID is that of a report of the same range (--format json has it), or how it begins. It exits with 1
    unless the break is witnessed.

    Example: syncbot witness 19353b976d --from 0.30.0 --to 0.31.0
    """
    from syncbot.impact.model import Outcome
    from syncbot.workflows.check import check
    from syncbot.workflows.check_options import CheckOptions

    if not impact:
        raise UsageError("give the id of an impact, as 'syncbot check --format json' has it")
    with meter() as progress:
        reports = check(CheckOptions(**asked, witness=impact), progress)
    found = [(i, i.testimony) for report in reports for i in report.impacts if i.testimony is not None]
    if len(found) != 1:
        known = ", ".join(i.id for i, _ in found) or "none"
        raise UsageError(f"the ids in this range that begin with {impact!r}: {known}; give exactly one")
    lines = (_test(*found[0]) if as_test else _text(*found[0])).splitlines()
    click.echo("\n".join(map(printable, lines)))
    return int(found[0][1].outcome is not Outcome.WITNESSED)


def _text(impact: Impact, told: Testimony) -> str:
    place = impact.locations[0]
    lines = [f"{impact.id}  {place.file}:{place.line}: {impact.message}", f"{told.outcome}: {told.why}"]
    return "\n".join([*map(one_line, lines), *(["", told.program.rstrip()] if told.program else [])])


def _test(impact: Impact, told: Testimony) -> str:
    if not told.program:
        raise UsageError(f"{impact.id} has no witness: {told.why}")
    place = impact.locations[0]
    says = one_line(f"Upstream has what {place.file}:{place.line} relies on: {impact.symbol}.")
    body = textwrap.indent(told.program.rstrip(), "    ")
    return f'def test_{impact.id}() -> None:\n    """{says}"""\n{body}\n'
