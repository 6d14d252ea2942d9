"""The tools of the server: names, arguments and descriptions; an error says the cause and the next step."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from syncbot.errors import SyncbotError
from syncbot.report.untrusted_text import json_text, visible
from syncbot.server.answers import Answers

Old = Annotated[
    str, Field(alias="from", description="the upstream that the backend runs on: tag, version, sha")
]
New = Annotated[str, Field(alias="to", description="the upstream that it has to run on")]
Offset = Annotated[int, Field(ge=0, description="where the page begins: next_offset of the page before")]

# What clients say, and what Python allows as the name of a parameter.
_NAMES = {"from": "old", "to": "new"}
_HOW = (
    "Facts on what a range of upstream commits breaks in a backend. No model, no network. Ask impacts or "
    "plan with a range first; take each task, edit, and let verify say whether it is done."
)


def server(answers: Answers, version: str) -> MCPServer:
    """The server with all tools of its own."""
    made = MCPServer("syncbot", instructions=_HOW, version=version)

    def impacts(old: Old, new: New, offset: Offset = 0) -> str:
        """List what the commits of a range break, or may break, in the backend; worst first."""
        return text(answers.impacts(old, new, offset))

    def commit(sha: str) -> str:
        """Explain a commit's meaning: its impacts, the proof that it is harmless, or that nothing is sure."""
        return text(answers.commit(sha))

    def contract(id: str, offset: Offset = 0) -> str:
        """Where the backend relies on an upstream symbol (dotted name), or on that of an impact (its id)."""
        return text(answers.contract(id, offset))

    def task(id: str) -> str:
        """All that is needed to mend one impact, and the command that says whether it is done."""
        return answers.task(id)

    def verify(ids: list[str]) -> str:
        """Whether impacts are mended in the files as they stand, and what is newly broken."""
        return text(answers.verify(ids))

    def explain(symbol: str) -> str:
        """The history of an upstream symbol, or what a commit (sha) or pull request (number) changed."""
        return text(answers.explain(symbol))

    def triage(log: str, old: str | None = None, new: str | None = None) -> str:
        """Explain what failed in a log, and name the guilty commits after old up to new."""
        return answers.triage(log, old, new)

    def plan(old: Old, new: New, offset: Offset = 0) -> str:
        """The range in steps: commits, proofs, edits, and the tasks that are left."""
        return text(answers.plan(old, new, offset))

    for tool in (impacts, commit, contract, task, verify, explain, triage, plan):
        made.add_tool(telling(tool), structured_output=False)
    return made


def text(value: object) -> str:
    """A value as JSON in which nothing hides."""
    return json_text(value)


def telling(tool: Callable[..., str]) -> Callable[..., str]:
    """A tool whose errors reach the client as one line, without a traceback."""

    @wraps(tool)
    def told(**kwargs: Any) -> str:
        try:
            return tool(**{_NAMES.get(name, name): value for name, value in kwargs.items()})
        except SyncbotError as error:
            raise ToolError(visible(str(error))) from None

    return told
