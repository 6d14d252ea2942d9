"""Command lines of the version before, which this version still understands."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import click

_MODES = ("migrate", "gate", "ungate")


def current(args: Sequence[str]) -> list[str]:
    """The command line as it is written now; where it differs, a line on standard error says so.

    ``apply --mode migrate`` became ``migrate``. Raises click.UsageError for a mode that never was.
    """
    ours = list(takewhile(lambda argument: argument != "--", args))
    place = next((i for i, argument in enumerate(ours) if argument.partition("=")[0] == "--mode"), None)
    if place is None or args[0] != "apply":
        return list(args)
    _, equals, mode = args[place].partition("=")
    if not equals:
        mode = "".join(args[place + 1 : place + 2])
    rest = [*args[1:place], *args[place + (1 if equals else 2) :]]
    if mode == "lanes":
        return ["apply", *rest]
    if mode not in _MODES:
        raise click.UsageError(
            f"apply has no mode {mode!r}: the former modes are the commands {', '.join(_MODES)} now"
        )
    click.echo(
        f"syncbot: 'syncbot apply --mode {mode}' is 'syncbot {mode}' now; "
        "the next version no longer takes --mode",
        err=True,
    )
    return [mode, *rest]
