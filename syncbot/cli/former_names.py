"""``apply --mode NAME``, which this version still takes for the command ``NAME``."""

from __future__ import annotations

from collections.abc import Sequence

import click

_MODES = ("migrate", "gate", "ungate")


def current(args: Sequence[str]) -> list[str]:
    """The command line as it is written now. Raises click.UsageError for a mode that never was."""
    end = args.index("--") if "--" in args else len(args)
    words = [word for a in args[:end] for word in (a.split("=", 1) if a.startswith("--mode=") else [a])]
    if "--mode" not in words or words[0] != "apply":
        return list(args)
    place = words.index("--mode")
    mode = "".join(words[place + 1 : place + 2])
    rest = [*words[1:place], *words[place + 2 :], *args[end:]]
    if mode == "lanes":
        return ["apply", *rest]
    if mode not in _MODES:
        former = f"the former modes are the commands {', '.join(_MODES)} now"
        raise click.UsageError(f"apply has no mode {mode!r}: {former}")
    new = f"'syncbot apply --mode {mode}' is 'syncbot {mode}' now"
    click.echo(f"syncbot: {new}; the next version no longer takes --mode", err=True)
    return [mode, *rest]
