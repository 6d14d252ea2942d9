"""``syncbot overlay``: lanes of a package that somebody else publishes. One module a subcommand."""

from __future__ import annotations

import importlib
import pkgutil

import click


class _Subcommands(click.Group):
    """Every module of this package, each with a ``command``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in alphabetical order."""
        return sorted(module.name for module in pkgutil.iter_modules(__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, or None."""
        if cmd_name not in self.list_commands(ctx):
            return None
        found: click.Command = importlib.import_module(f"{__name__}.{cmd_name}").command
        return found


@click.group(cls=_Subcommands, short_help="Make lanes of a package that somebody else publishes.")
def command() -> None:
    """Make lanes of a package that somebody else publishes, from its sources as they are.

    Example: syncbot overlay new --package plugin==1.2.0 --upstream vllm --lane 0.33.0
    """
