"""The command line: one module a command, found by its presence; errors become exit codes here alone."""

from __future__ import annotations

import atexit
import difflib
import gc
import importlib
import pkgutil
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from os import devnull
from typing import Any, NoReturn

import click

from syncbot import interruption
from syncbot.cli.former_names import current
from syncbot.errors import EnvironmentFailure, SyncbotError
from syncbot.garbage_collection import resting
from syncbot.report.guarded_output import guarded

# What is alive when the process ends goes with it: nobody has to look for garbage there.
atexit.register(gc.freeze)

NOTHING_FOUND, FOUND, WRONG_USE, ENVIRONMENT_FAILED, INTERRUPTED = 0, 1, 2, 3, interruption.EXIT_CODE


class _Commands(click.Group):
    """Every module of this package that has an attribute ``command``, imported when it is needed.

    The function behind a command returns its exit code (None is 0).
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in alphabetical order."""
        names = (module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__))
        return sorted(name for name in names if self.get_command(ctx, name) is not None)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, or None."""
        modules = {module.name for module in pkgutil.iter_modules(__path__)}
        module = cmd_name.replace("-", "_").replace(" ", "_")
        if module not in modules:
            return None
        with resting():
            command = getattr(importlib.import_module(f"{__name__}.{module}"), "command", None)
        return command if isinstance(command, click.Command) else None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. A reader that closed the pipe (``| head``) ends it quietly."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except click.UsageError as error:
            # An option without its value does not say whose it is.
            command = self.get_command(ctx, ctx.invoked_subcommand) if ctx.invoked_subcommand else None
            if error.ctx is None and command is not None:
                error.ctx = click.Context(command, ctx, ctx.invoked_subcommand)
            raise
        except BrokenPipeError:
            sys.stdout = open(devnull, "w")  # noqa: SIM115 (stays open: Python flushes it when it exits)
            return NOTHING_FOUND
        finally:
            # After a signal, nothing that follows from ending the children is told.
            interruption.leave()
        return result

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments begin with; an unknown one is an error with the nearest name."""
        args = current(args) if args else args
        # ``gate check`` is the command gate-check: a name that is a command of its own cannot be a group.
        if len(args) > 1 and self.get_command(ctx, "-".join(args[:2])) is not None:
            args = [" ".join(args[:2]), *args[2:]]
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
            ctx.fail(f"no command is called {args[0]!r}" + (f"; the nearest is {near[0]!r}" if near else ""))
        return super().resolve_command(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Run the command line and exit with its code. The one place that turns errors into codes."""
        with guarded(), interruption.ending_all():
            code = self._code(args, prog_name, complete_var, **extra)
            _give_up_full_streams()
            sys.exit(code)

    def _code(
        self, args: Sequence[str] | None, prog_name: str | None, complete_var: str | None, **extra: Any
    ) -> int:
        """The exit code of a command line, whose errors are told."""
        try:
            code = super().main(args, prog_name or "syncbot", complete_var, standalone_mode=False, **extra)
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            code = WRONG_USE
        except click.Abort:
            _say("interrupted")
            code = INTERRUPTED
        except click.ClickException as error:
            where = getattr(error, "ctx", None)
            path = where.command_path if where is not None else "syncbot"
            _say(f"{error.format_message().rstrip('.')} (see '{path} --help')")
            code = WRONG_USE
        except SyncbotError as error:
            _say(str(error))
            code = error.exit_code
        except OSError as error:
            failure = EnvironmentFailure(f"{error.strerror or error}: {error.filename or 'operating system'}")
            _say(str(failure))
            code = failure.exit_code
        except MemoryError:
            _say("the memory is used up: give this process more, or analyse less at a time")
            code = ENVIRONMENT_FAILED
        except Exception:
            # A defect of syncbot's own must not pass for "something was found".
            traceback.print_exc()
            _say("this is a defect of syncbot: please report it with the lines above")
            code = ENVIRONMENT_FAILED
        return code if isinstance(code, int) else NOTHING_FOUND


def _give_up_full_streams() -> None:
    """Leave what a stream does not take: Python writes it once more at its end, and then exits with 120."""
    for name in ("stdout", "stderr"):
        try:
            getattr(sys, name).flush()
        except OSError:
            setattr(sys, name, open(devnull, "w"))  # noqa: SIM115 (stays open, for the same reason)


def _say(message: str) -> None:
    with suppress(OSError):  # there is nobody else to tell
        click.echo(f"syncbot: {' '.join(message.split())}", err=True)


@click.command(
    "syncbot",
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Exit codes:
  0    nothing found, or done
  1    found: breaking changes, a failed verification, something that would change
  2    wrong use or configuration
  3    the environment failed: network, git, package index, disk
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP)

\b
Files and environment:
  pyproject.toml     [tool.syncbot] of the backend's repository is the configuration
  SYNCBOT_CACHE      the cache directory, else the user's (~/.cache/syncbot)
  PIP_INDEX_URL      where packages come from, as for pip
  GITHUB_TOKEN       the token of syncbot publish, else GH_TOKEN

Each command has a help of its own: syncbot check --help

Example: syncbot check --since yesterday""",
)
@click.version_option(None, "-V", "--version", package_name="syncbot", message="%(prog)s %(version)s")
def main() -> None:
    """Keep a backend running on every supported version of its upstream.

    The upstream is the package that you follow, the backend your code that relies on its inside.
    """
