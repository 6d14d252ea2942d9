"""The server as clients meet it: the SDK's own client, and lines of JSON as an old client writes them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from tests.cli.conftest import Project

Calls = Callable[[Client], Awaitable[None]]
TOOLS = ["commit", "contract", "explain", "impacts", "plan", "task", "triage", "verify"]


@pytest.fixture
def moved(project: Project) -> Project:
    """Upstream moves a module, adds what nobody names, and removes a function."""
    project.move_a_module()
    project.files["engine/models.py"] = "class Model:\n    pass\n"
    project.commit("A model (#8)")
    project.change("engine/text.py", "def split(text: str) -> tuple[str, str]:\n    return text, text\n", "")
    return project


def line(project: Project, *more: str) -> list[str]:
    return ["-m", "syncbot", "mcp", "--backend", str(project.plugin), *more]


def talk(project: Project, calls: Calls, *more: str) -> None:
    """Start the server, and let calls be made by the SDK's client."""

    async def run() -> None:
        started = StdioServerParameters(command=sys.executable, args=line(project, *more))
        async with Client(stdio_client(started)) as client:
            await calls(client)

    anyio.run(run)


async def asked(client: Client, tool: str, **arguments: Any) -> Any:
    answer = await client.call_tool(tool, arguments)
    (content,) = answer.content
    assert content.type == "text"
    assert not answer.is_error, content.text
    return json.loads(content.text) if content.text.startswith("{") else content.text


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    (content,) = answer.content
    assert content.type == "text"
    assert answer.is_error
    return content.text


def test_an_agent_finds_mends_and_verifies(moved: Project) -> None:
    async def calls(client: Client) -> None:
        assert sorted(tool.name for tool in (await client.list_tools()).tools) == TOOLS
        found = await asked(client, "impacts", **{"from": "v0.1.0", "to": "main"})
        assert (found["commits"], found["proven_harmless"]) == (3, 1)
        by_symbol = {each["symbol"]: each for each in found["impacts"]}
        split = by_symbol["engine.text.split"]
        task = await asked(client, "task", id=split["id"])
        assert "-def split(text: str)" in task
        before = await asked(client, "verify", ids=[split["id"]])
        assert (before["done"], before["not_done"]) == ([], [split["id"]])
        own = moved.plugin / "src/plugin/worker.py"
        text = own.read_text().replace("clean, split", "clean")
        own.write_text(text.replace("split(self.name)", "(self.name, '')"))
        after = await asked(client, "verify", ids=[split["id"], by_symbol["engine.config"]["id"]])
        assert after["done"] == [split["id"]]
        assert after["not_done"] == [by_symbol["engine.config"]["id"]]
        assert after["new"] == []

    talk(moved, calls)


def test_a_commit_is_proven_or_told(moved: Project) -> None:
    harmless, guilty = moved.git("rev-parse", "main~1"), moved.git("rev-parse", "main~2")

    async def calls(client: Client) -> None:
        alone = await asked(client, "commit", sha=harmless)
        assert alone["standing"] == "harmless"
        assert "is about the 1 modules that changed" in alone["proof"]
        told = await asked(client, "commit", sha=guilty)
        assert [each["symbol"] for each in told["impacts"]] == ["engine.config"]
        assert "proof" not in told

    talk(moved, calls)


def test_the_other_tools_answer(moved: Project) -> None:
    async def calls(client: Client) -> None:
        plan = await asked(client, "plan", **{"from": "v0.1.0", "to": "main"})
        assert [step["commit_count"] for step in plan["steps"]] == [3]
        assert "+from engine.settings import Config" in plan["steps"][0]["diff"]
        relied = await asked(client, "contract", id="engine.worker.Worker")
        assert {each["symbol"] for each in relied["contracts"]} >= {"engine.worker.Worker.execute"}
        told = await asked(client, "explain", symbol="engine.text.clean")
        assert told["kind"] == "function"
        log = 'Traceback (most recent call last):\n  File "src/plugin/worker.py", line 2, in <module>\n'
        log += "    from engine.text import clean, split\nImportError: cannot import name 'split' from 'engine.text'\n"
        assert "split" in await asked(client, "triage", log=log, old="v0.1.0", new="main")

    talk(moved, calls)


def test_errors_say_the_next_step_in_one_line(moved: Project) -> None:
    async def calls(client: Client) -> None:
        unknown = await refused(client, "task", id="0123456789")
        assert "call impacts or plan with its range first" in unknown
        wrong = await refused(client, "impacts", **{"from": "v9.9.9", "to": "main"})
        assert "v9.9.9" in wrong
        for text in (unknown, wrong, await refused(client, "commit", sha="zzz")):
            assert "Traceback" not in text
            assert len(text.splitlines()) == 1

    talk(moved, calls)


def test_answers_are_bounded(moved: Project) -> None:
    lines = [f"from engine.text import split as split{n}\n" for n in range(300)]
    moved.write({f"src/plugin/many{n}.py": "".join(lines) for n in range(3)})

    async def calls(client: Client) -> None:
        found = await asked(client, "impacts", **{"from": "v0.1.0", "to": "main"})
        assert len(json.dumps(found)) < 40_000
        relied = await asked(client, "contract", id="engine")
        assert len(json.dumps(relied)) < 40_000
        for each in found["impacts"]:
            assert len((await asked(client, "task", id=each["id"])).encode()) <= 8_000

    talk(moved, calls)


def test_the_flow_s_client_speaks_lines_of_an_old_protocol(moved: Project) -> None:
    """As the flow's planner writes them: protocol 2024-11-05, one line a message."""
    shas = moved.git("log", "--reverse", "--format=%H", "v0.1.0..main").split()
    messages = [
        {
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "plan_steps", "version": "1"}},
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}},
        {
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": "get_commit_impact_batch", "arguments": {"shas": [*shas, "f" * 40]}},
        },
    ]  # fmt: skip
    with subprocess.Popen(
        [sys.executable, *line(moved, "--flow-field", "engine_affected")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        answers = []
        for message in messages:
            process.stdin.write(json.dumps(message) + "\n")
            if "id" in message:
                answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        assert process.wait() == 0
    assert answers[0]["result"]["protocolVersion"] == "2024-11-05"
    results = json.loads(answers[1]["result"]["content"][0]["text"])["results"]
    assert [each["sha"] for each in results] == [*shas, "f" * 40]
    assert [each.get("engine_affected") for each in results] == [True, False, True, None]
    assert [each["analyzed"] for each in results] == [True, True, True, False]


def test_the_flow_s_other_tools_answer(moved: Project) -> None:
    guilty = moved.git("rev-parse", "main~2")

    async def calls(client: Client) -> None:
        guide = await asked(client, "get_adaptation_guide", sha=guilty)
        assert "engine.config no longer exists" in guide
        assert "not covered" in await asked(client, "get_adaptation_guide", sha="e" * 40)
        found = await asked(client, "get_cross_project_mapping")
        assert {"upstream": "engine.config", "backend": ["src/plugin/worker.py"]} in found["mappings"]
        surface = await asked(client, "get_interface_surface", repo="engine")
        names = [each["symbol"] for each in surface["inheritable_interfaces"]]
        assert "engine.worker.Worker.execute" in names
        assert await asked(client, "get_patch_catalog") == {"patches": []}
        pending = await asked(client, "get_pending_adaptations")
        assert [each["sha"] for each in pending["pending_commits"]] == [guilty]
        lessons = await asked(client, "get_adaptation_lessons", keywords=["config"])
        assert lessons == {"match": False, "lessons": [], "hit_ids": []}

    talk(moved, calls, "--flow-field", "affected")
