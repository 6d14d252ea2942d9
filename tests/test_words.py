"""Documents, help and messages are plain English: none has a turn that makes a reader stop."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
import yaml

import syncbot.cli

ROOT = Path(__file__).parents[1]
TURNS = yaml.safe_load((ROOT / "tests/unclear_turns.yaml").read_text(encoding="utf-8"))
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    *sorted(str(p.relative_to(ROOT)) for top in ("docs", "backend/docs") for p in (ROOT / top).glob("*.md")),
]
CATALOGUES = ["syncbot/report/catalogues/en.yaml", "syncbot/contracts/change_kinds.yaml"]


def sentences(text: str) -> Iterator[str]:
    """The sentences of Markdown or plain text; code is one word, a cell or an item is a text of its own."""
    text = re.sub(r"^```.*?^```$|<!-- .*? -->", "\n\n", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`]+`", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    for part in re.split(r"\n\s*\n|\n\s*(?=[-*#|]|\d+\. )|(?<!\\)\|", text):
        whole = " ".join(part.lstrip("-*# 0123456789.").split())
        yield from re.split(r"(?<=[.?!;])\s+(?=[A-Z`(])", whole)


def turns(text: str) -> list[str]:
    """The turns of a text that are not allowed, each with its sentence and the better form."""
    return [
        f"{sentence!r}: {turn['better']}"
        for sentence in sentences(text)
        for turn in TURNS
        if re.search(turn["turn"], sentence)
    ]


def helps(command: click.Command, name: str) -> Iterator[tuple[str, str]]:
    """Each text that ``--help`` prints of a command and of those below it."""
    yield name, command.help or ""
    for parameter in command.params:
        yield f"{name} {parameter.opts[0]}", getattr(parameter, "help", None) or ""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from helps(found, f"{name} {inner}")


def messages(tree: ast.AST) -> Iterator[str]:
    """The texts of errors that a module raises on purpose; a value in a text is one word."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            for argument in node.exc.args:
                yield _text(argument)


def _text(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_text(value) if isinstance(value, ast.Constant) else "CODE" for value in values)
        case ast.BinOp(left=left, right=right):
            return _text(left) + _text(right)
    return "CODE"


@pytest.mark.parametrize("page", PAGES)
def test_documents_are_plain(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    # The sentences of this list are those of the simulator's cases.
    assert turns(text.partition("<!-- cases: begin -->")[0]) == []


def test_help_is_plain() -> None:
    found = {name: wrong for name, text in helps(syncbot.cli.main, "syncbot") if (wrong := turns(text))}
    assert found == {}


def test_messages_are_plain() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "syncbot").rglob("*.py"))}
    found = {
        f"{path.relative_to(ROOT)}": wrong
        for path, text in texts.items()
        if "raise " in text and (wrong := turns("\n\n".join(messages(ast.parse(text)))))
    }
    assert found == {}


@pytest.mark.parametrize("catalogue", CATALOGUES)
def test_texts_of_reports_are_plain(catalogue: str) -> None:
    def texts(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            for key, inner in value.items():
                if key not in ("before", "after", "ours"):
                    yield from texts(inner)
        elif isinstance(value, str):
            yield value

    known = yaml.safe_load((ROOT / catalogue).read_text(encoding="utf-8"))
    assert [wrong for text in texts(known) for wrong in turns(text)] == []


def test_docstrings_of_the_python_interface_are_plain() -> None:
    public = {name: getattr(syncbot, name) for name in dir(syncbot) if not name.startswith("_")}
    docs = {name: each.__doc__ or "" for name, each in public.items() if not isinstance(each, ModuleType)}
    assert "check" in docs
    assert {name: wrong for name, text in docs.items() if (wrong := turns(text))} == {}


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: turn["example"])
def test_each_turn_is_found_where_it_is_and_nowhere_else(turn: dict[str, str]) -> None:
    assert [found for found in turns(turn["example"]) if found.endswith(turn["better"])]
    assert turns(f"The example is in code: `{turn['example']}`.\n\n```\n{turn['example']}\n```\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "A stand-in binds the name.", "What does it say?", "## What it says\n\nIt lists files.",
        "The report names who said it, and why.", "syncbot is told by its caller.", "Known findings are told apart.",
        "Found in two files.", "After that, a test runs.", "In CI, set a variable.", "It takes more lines.",
    ],
)  # fmt: skip
def test_plain_sentences_are_let_through(text: str) -> None:
    assert turns(text) == []


def docstrings(tree: ast.AST) -> Iterator[str]:
    """The texts of strings that are statements, those below fields included."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('"""What it is."""\n', True),
        ('x = 1\n"""What x is."""\n', True),
        ('"""Whatever."""\nx = "What"\n', False),
    ],
)
def test_a_docstring_that_begins_with_what_is_seen(code: str, found: bool) -> None:
    assert any(re.match(r"What\b", text) for text in docstrings(ast.parse(code))) is found


@pytest.mark.parametrize("folder", ["syncbot", "simulator", "benchmarks", "tests"])
def test_no_docstring_begins_with_what(folder: str) -> None:
    bad = [
        f"{path.relative_to(ROOT)}: {text.splitlines()[0]}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        if '"What' in (code := path.read_text(encoding="utf-8"))
        for text in docstrings(ast.parse(code))
        if re.match(r"What\b", text)
    ]
    assert not bad, "name the thing that it returns or is:\n" + "\n".join(bad)
