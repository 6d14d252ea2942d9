"""Every command on hostile input: what it prints and writes has no control character, command or markup."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import cmarkgfm
import pytest
from bs4 import BeautifulSoup
from cmarkgfm.cmark import Options

import syncbot.cli
from syncbot.cli.progress import meter

from .world import EVIL, Said, World, make, run

UPSTREAM = ["--from", "v1.0.0", "--to", "v2.0.0"]
CONTRACTS = ["--engine", "contracts"]
# fmt: off
LINES: dict[str, list[list[str]]] = {
    "accept": [["12345678", "--reason", EVIL, "--author", EVIL], [EVIL, "--reason", EVIL]],
    "apply": [["--check"], [], ["--to", "main"]],
    "baseline move": [["v1.0.0", "--allow-dirty"], [EVIL]],
    "bisect": [
        [*UPSTREAM, "--restart", "--format", style, "--", "sh", "-c", "cat {log}; test -e {tree}/engine/old_home.py"]
        for style in ("text", "json")
    ],
    "build": [["--lane", "v2.0.0"]],
    "check": [
        [*UPSTREAM, *CONTRACTS, *more]
        for more in (
            ["--format", "text", "--diff"], ["--format", "json"], ["--format", "sarif"], ["--format", "github"],
            ["--format", "markdown"], ["--format", "upgrade"], ["--format", "html"], ["--lang", "zh", "--output", "out/report.txt"],
            ["--format", "json", "--output", "out/report.json"], ["--format", "markdown", "--output", "out/report.md"],
            ["--witness"], ["--witness", "--format", "json"], ["--upstream", "engine"], [f"--lang={EVIL}"], [f"--upstream={EVIL}"],
        )
    ],
    "config": [[], ["--format", "json"], ["--schema"]],
    "contracts": [[], ["--symbol", "engine"], ["--format", "json"], ["--at", EVIL]],
    "doctor": [[], ["--format", "json"], ["--lane", EVIL]],
    "explain": [
        [name, *more]
        for name in ("engine.base.Base.run", "engine.log.gone", "17", EVIL)
        for more in ([], ["--format", "json"])
    ],
    "gate": [
        [*UPSTREAM, *CONTRACTS, "--gate", 'up_is("{version}")', *more] for more in (["--check"], ["--allow-dirty"])
    ] + [[*UPSTREAM, "--gate", EVIL]],
    "init": [["--yes"], ["--upstream", EVIL]],
    "gate-check": [["--upstream", "engine", "--trees", "a=v1.0.0,b=v2.0.0", *more] for more in ([], ["--format", "json"], ["--format", "flow"])] + [["--trees", EVIL]],
    "lint": [["--since", "HEAD~1", "--at", "v1.0.0"], ["--since", EVIL], ["--at", EVIL]],
    "matrix": [[], ["--format", "json"], ["--format", "markdown"], ["--format", "github"]],
    "mcp": [[]],
    "migrate": [[*UPSTREAM, *CONTRACTS, "--check"], [*UPSTREAM, *CONTRACTS, "--allow-dirty"]],
    "overlay absorb": [["--lane", EVIL], ["--lane", EVIL, "--reason", EVIL], [EVIL, "--lane", EVIL]],
    "overlay build": [["--lane", EVIL]],
    "overlay debt": [["--lane", EVIL], ["--accept", EVIL]],
    "overlay merge": [["--lane", EVIL]],
    "overlay new": [["--package", EVIL, "--upstream", EVIL, "--lane", EVIL], ["--package", f"a=={EVIL}", "--upstream", "a", "--lane", "1"]],
    "patch new": [["evil", "--first-version", "2.0.0", "--symbol", EVIL, "--reason", EVIL], [EVIL, "--first-version", EVIL, "--symbol", "a", "--reason", "b"]],
    "patch retire": [["1.0.0-old"], [EVIL], ["1.0.0-old", "--declined", EVIL]],
    "patch show": [[], ["1.0.0-old"], [EVIL]],
    "patch test": [["1.0.0-old"], [EVIL]],
    "plan": [[*UPSTREAM], [*UPSTREAM, "--format", "json"], [*UPSTREAM, "--output", "out/plan"], [*UPSTREAM, "--keep", EVIL]],
    "publish check": [["--dry-run", "--sha", "0" * 40, "--context", EVIL, "--repository", "a/b", "report.json"], ["--dry-run", "--sha", EVIL, EVIL]],
    "publish index": [["--output", "out/index"], ["--wheels", "dist", "--output", "out/index"], ["--wheels", EVIL, "--output", EVIL]],
    "publish issue": [["--dry-run", "--repository", "a/b", file] for file in ("report.md", "../run.log", EVIL)],
    "publish pr": [
        ["--dry-run", "--repository", "a/b"], ["--dry-run", "--repository", "a/b", "--branch", EVIL],
        ["--dry-run", "--repository", EVIL],
    ],
    "publish report": [["--dry-run", "--repository", "a/b", file] for file in ("report.md", "../run.log", EVIL)],
    "site": [["--output", "out/site", "--reports", "report.json", "--since", "2026-01-23T00:00"]],
    "triage": [
        ["../run.log", *UPSTREAM, "--format", style] for style in ("text", "json", "markdown", "flow")
    ] + [["../run.log", *UPSTREAM, "--format", "markdown", "--output", "out/triage.md"], [EVIL]],
    "ungate": [["2.0.0", "--gate", 'up_is("{version}")', "--check"], [EVIL, "--gate", "a{version}"]],
    "verify": [["--static"], ["--static", "--lane", EVIL], ["--compare", EVIL, EVIL], ["--compare", "v1.0.0", "v2.0.0", "--check", EVIL]],
    "verify-plugin": [["--release", EVIL], ["--check", EVIL]],
    "window": [["--upstream", "engine", "--format", style] for style in ("text", "json", "markdown")] + [["--upstream", EVIL]],
    "witness": [[EVIL, *UPSTREAM], ["0", *UPSTREAM], ["0", *UPSTREAM, "--as-test"], ["", *UPSTREAM]],
}

# fmt: on

# These do something that they do not do twice.
WRITING = ("apply", "baseline move", "patch new")

# What moves a cursor, cannot be seen, or turns text around.
CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200c\u200d\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
# Colours, and what rich's bars do: clear the line, go up, hide and show the cursor.
STYLE = re.compile("\x1b\\[(?!7;31;44m)[0-9;]*m|\x1b\\[(?:2K|1A|\\?25[lh])|\r")
COMMAND = re.compile(r"^\s*::[a-z]|##\w*\[|^\\::error", re.MULTILINE)


def leaves(group: click.Command, name: str = "") -> Iterator[str]:
    """The names of all commands, as the command line itself knows them."""
    if not isinstance(group, click.Group):
        yield name.strip()
        return
    context = click.Context(group)
    for inner in group.list_commands(context):
        found = group.get_command(context, inner)
        assert found is not None
        yield from leaves(found, f"{name} {inner}")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The world, and the reports that a command writes of it."""
    world = make(tmp_path_factory.mktemp("hostile"))
    for style, name in (("json", "report.json"), ("markdown", "report.md")):
        line = ["check", *UPSTREAM, *CONTRACTS, "--format", style, "--output", name]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SYNCBOT_CACHE", str(world.root / "cache"))
            assert run(command(line), world.plugin, terminal=False).code == 1
    return world


@pytest.fixture
def world(made: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("SYNCBOT_CACHE", str(made.root / "cache"))
    monkeypatch.setenv("COLUMNS", "500")
    monkeypatch.setenv("TERM", "xterm-256color")
    # A server ends when its input does.
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    monkeypatch.setattr(meter.__wrapped__, "__defaults__", (None, 0.0))  # type: ignore[attr-defined]
    tmp_path = tmp_path / "caf\udce9 \x1b]0;pwn\x07\n::error::pwned\n"
    tmp_path.mkdir()
    for name in ("engine", "plugin", "remote.git", "run.log"):
        source = made.root / name
        shutil.copytree(source, tmp_path / name, symlinks=True) if source.is_dir() else shutil.copy(
            source, tmp_path
        )
    (tmp_path / "plugin/out").mkdir()
    return World(tmp_path)


def command(line: list[str]) -> Callable[[], object]:
    return lambda: syncbot.cli.main(line)


def seen(said: Said, *, terminal: bool, commands: bool = False) -> str:
    """Return the printed text without our own styles; nothing in it may be hostile."""
    text = (said.out + b"\n" + said.err).decode("utf-8", "strict")
    text = STYLE.sub("", text) if terminal else text
    assert "Traceback" not in said.err.decode() or "ImportError" in text, text[-3000:]
    assert CONTROL.findall(text) == [], text
    assert commands or COMMAND.findall(text) == [], text
    return text


def test_every_command_is_tried() -> None:
    assert sorted(LINES) == sorted(leaves(syncbot.cli.main))


@pytest.mark.long
@pytest.mark.parametrize("name", LINES)
def test_what_is_printed_and_written(world: World, name: str) -> None:
    before = {path for path in world.plugin.rglob("*") if path.is_file()}
    for number, line in enumerate(LINES[name]):
        words = [*name.split(), *(word.replace("{log}", str(world.root / "run.log")) for word in line)]
        for terminal in (number == 0, False)[: 1 + (name not in WRITING and number == 0)]:
            said = run(command(words), world.plugin, terminal=terminal)
            assert said.code in (0, 1, 2, 3), said
            assert (
                number
                or said.code in (0, 1)
                or name.startswith("overlay ")
                or name in ("accept", "build", "publish index", "verify-plugin", "witness")
            ), said
            print(words, said.code, seen(said, terminal=terminal, commands="github" in words)[:3000])
    for path in {path for path in world.plugin.rglob("*") if path.is_file()} - before:
        # A patch has the very text of the files: otherwise it would not apply.
        if path.is_relative_to(world.plugin / "out") and path.suffix != ".patch":
            found = path.read_bytes().decode("utf-8", "strict")
            assert CONTROL.findall(found) == [], path


def printed(world: World, *words: str) -> str:
    return run(command([*words]), world.plugin, terminal=False).out.decode()


def harmless(html: str) -> BeautifulSoup:
    """A page in which nothing runs, loads, or leads to another place than upstream's page."""
    page = BeautifulSoup(html, "html.parser")
    assert page.find_all(["script", "img", "b", "iframe", "object", "embed", "link", "base", "form"]) == []
    assert [tag for tag in page.find_all(True) for name in tag.attrs if name.startswith("on")] == []
    targets = {str(link["href"]).partition("#")[0] for link in page.find_all("a", href=True)}
    assert all(target.startswith("https://github.com/octocat/engine%20ev%1B") for target in targets - {""})
    return page


def plain(page: BeautifulSoup) -> str:
    """The text in which GitHub looks for people and numbers: neither code nor links."""
    for tag in page.find_all(["code", "a", "pre"]):
        tag.replace_with("X")
    return page.get_text()


@pytest.mark.long
@pytest.mark.parametrize(
    "line",
    [
        ["check", *UPSTREAM, *CONTRACTS, "--format", "markdown"],
        ["triage", "../run.log", *UPSTREAM, "--format", "markdown"],
        ["matrix", "--format", "markdown"],
    ],
    ids=lambda line: line[0],
)
def test_markdown_formats_links_and_tells_nobody(world: World, line: list[str]) -> None:
    html = cmarkgfm.github_flavored_markdown_to_html(printed(world, *line), options=Options.CMARK_OPT_UNSAFE)
    text = plain(harmless(html))
    assert re.findall(r"@octocat|#1\b|GH-1|\bhttps?://", text) == []
    # With all of it left away, the table would be right, and the test would say nothing.
    assert "octocat" in text


@pytest.mark.long
def test_pages_run_nothing(world: World) -> None:
    html = printed(world, "check", *UPSTREAM, *CONTRACTS, "--format", "html")
    assert "pwned()" in harmless(html).get_text()
    printed(world, "site", "--output", "out/site", "--reports", "report.json")
    pages = [path.read_text(encoding="utf-8") for path in (world.plugin / "out/site").rglob("*.html")]
    assert len(pages) > 8
    for page in pages:
        found = BeautifulSoup(page, "html.parser")
        assert [script for script in found.find_all("script") if "pwned" in str(script)] == []
        assert found.find_all(["img", "b", "iframe"]) == []
        assert [tag for tag in found.find_all(True) for name in tag.attrs if name.startswith("on")] == []
        assert [a for a in found.find_all("a", href=True) if str(a["href"]).startswith("javascript")] == []


@pytest.mark.long
def test_what_goes_to_github(world: World) -> None:
    printed(world, "apply")
    text = printed(world, "publish", "pr", "--dry-run", "--repository", "a/b")
    (body,) = [
        json.loads(part) for part in re.findall(r"^POST /repos/a/b/pulls\n(\{.*?^\})", text, re.M | re.S)
    ]
    assert CONTROL.findall(body["title"] + body["body"]) == []
    assert "\n" not in body["title"]
    html = cmarkgfm.github_flavored_markdown_to_html(body["body"], options=Options.CMARK_OPT_UNSAFE)
    assert re.findall(r"@octocat|#1\b|GH-1", plain(harmless(html))) == []
