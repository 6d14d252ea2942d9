"""Command lines of the version before, which this version still understands."""

from __future__ import annotations

from collections.abc import Sequence

import click

_MODES = ("migrate", "gate", "ungate")


def current(args: Sequence[str]) -> list[str]:
    """The command line as it is written now; where it differs, a line on standard error says so.

    ``apply --mode migrate`` became ``migrate``. Raises click.UsageError for a mode that never was.
    """
    command, *rest = args
    before, marker, after = _split(rest)
    if command != "apply" or marker is None:
        return list(args)
    if marker == "lanes":
        return ["apply", *before, *after]
    if marker not in _MODES:
        raise click.UsageError(
            f"apply has no mode {marker!r}: the former modes are the commands {', '.join(_MODES)} now"
        )
    click.echo(
        f"syncbot: 'syncbot apply --mode {marker}' is 'syncbot {marker}' now; "
        "the next version no longer takes --mode",
        err=True,
    )
    return [marker, *before, *after]


def _split(args: Sequence[str]) -> tuple[list[str], str | None, list[str]]:
    """What stands before the first ``--mode``, its value, and what stands behind it."""
    for place, argument in enumerate(args):
        name, equals, value = argument.partition("=")
        if name == "--":
            break
        if name == "--mode":
            rest = list(args[place + 1 :])
            return list(args[:place]), value if equals else "".join(rest[:1]), rest if equals else rest[1:]
    return list(args), None, []
