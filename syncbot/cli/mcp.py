"""``syncbot mcp``: the facts as tools for coding agents, over standard input and output."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path

import click

import syncbot
from syncbot.cli import options
from syncbot.errors import UsageError
from syncbot.report.guarded_output import unguarded


@click.command(short_help="Serve the facts to coding agents (MCP).")
@options.upstream
@options.backend
@click.option(
    "--flow-field", metavar="NAME",
    help="Add the tools that an upgrade flow asks for; this field says affected, such as affected.",
)  # fmt: skip
def command(upstream: str | None, backend: Path, flow_field: str | None) -> None:
    """Serve facts about a backend to a coding agent, as tools of the Model Context Protocol (stdio).

    No network beyond git and the package index, no token, no model. The tools: impacts, commit, contract,
    task, verify, explain, triage, plan. The server ends when its input does.

    Example: syncbot mcp --upstream ../vllm --backend ../plugin
    """
    from syncbot.project_metadata.own_extras import install_line

    try:
        from syncbot.server.tools import server
    except ModuleNotFoundError as error:
        raise UsageError(f"the server needs {error.name}: {install_line('mcp')}") from None
    from syncbot.server.answers import Answers
    from syncbot.server.flow_tools import add_flow_tools

    answers = Answers(backend, upstream)
    made = server(answers, syncbot.__version__)
    if flow_field is not None:
        add_flow_tools(made, answers, flow_field)
    # The protocol owns the stream; every text that goes into it is inert, and JSON besides.
    with redirect_stdout(unguarded(sys.stdout)):
        made.run("stdio")
