"""Modes of a command: one module a mode, found by its presence, each with options of its own."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Sequence
from typing import Any

import click

OWN = "lanes"


class Modal(click.Command):
    """A command that hands the rest of its command line to the module that ``--mode`` names; without
    ``--mode`` (or with ``--mode lanes``) it does its own work."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        others = ", ".join(modes())
        option = click.Option(
            ["--mode"], metavar="MODE", default=OWN, show_default=True, expose_value=False,
            help=f"What to do instead: {others}; each has options of its own, such as --mode migrate --help.",
        )  # fmt: skip
        self.params.append(option)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the mode that the arguments name. Raises click.UsageError for an unknown one."""
        mode, rest = _split(args)
        if mode == OWN:
            return super().make_context(info_name, rest, parent, **extra)
        if mode not in modes():
            near = difflib.get_close_matches(mode, [OWN, *modes()], n=1, cutoff=0)
            raise click.UsageError(f"no mode is called {mode!r}; the nearest is {near[0]!r}")
        name, command = f"{info_name} --mode {mode}", find(mode)
        try:
            return command.make_context(name, rest, parent, **extra)
        except click.UsageError as error:
            # An option without its value does not say whose it is.
            if error.ctx is None:
                error.ctx = click.Context(command, parent, name)
            raise


def modes() -> list[str]:
    """The names of the modes, in alphabetical order."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def find(name: str) -> click.Command:
    """The command behind a mode."""
    command = importlib.import_module(f"{__name__}.{name}").command
    assert isinstance(command, click.Command)
    return command


def _split(args: Sequence[str]) -> tuple[str, list[str]]:
    """The last ``--mode`` of a command line, and the line without it."""
    mode, rest, waiting = OWN, [], iter(args)
    for argument in waiting:
        name, equals, value = argument.partition("=")
        if argument == "--":
            rest += [argument, *waiting]
        elif name == "--mode":
            mode = value if equals else next(waiting, "")
        else:
            rest.append(argument)
    return mode, rest
