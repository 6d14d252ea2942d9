"""Checks the documents against the code: keys, commands, names, links, and whole examples."""

from __future__ import annotations

import pkgutil
import re
import shlex
import tomllib
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

import click
import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

import syncbot.cli
from syncbot.config import Config
from syncbot.lanes import matrix as matrices

ROOT = Path(__file__).parents[1]
FOLDERS = (ROOT / "docs", ROOT / "backend" / "docs")
DOCUMENTS = [
    *(ROOT / "README.md", ROOT / "CONTRIBUTING.md"),
    *sorted(page for folder in FOLDERS for page in folder.rglob("*.md")),
]
COMMANDS = syncbot.cli.main
PARTS = [module.name for module in pkgutil.iter_modules(syncbot.__path__)]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def sections(text: str) -> dict[str, str]:
    """The text below each heading of the second level."""
    parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows(text: str) -> list[list[str]]:
    """The cells of the first Markdown table in a text, its head left out."""
    table = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)
    lines = table[0].splitlines() if table else []
    # A backslash comes before a pipe and before the beginning of a tag.
    cells = (re.split(r"(?<!\\)\|", line)[1:-1] for line in lines[2:])
    return [[re.sub(r"\\([<>])", r"\1", cell.strip()) for cell in row] for row in cells]


# Configuration


def tables(model: type[BaseModel], name: str) -> Iterator[tuple[str, type[BaseModel]]]:
    """Every table of the configuration, by the heading that it has in the document."""
    yield name, model
    inner = name.strip("`[]")
    for key, field in model.model_fields.items():
        for kind, found in models(field.annotation):
            path = {dict: f"[{inner}.{key}.NAME]", tuple: f"[[{inner}.{key}]]"}.get(kind, f"[{inner}.{key}]")
            yield from tables(found, f"`{path}`")


def models(annotation: Any, around: Any = None) -> Iterator[tuple[Any, type[BaseModel]]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield around, annotation
    for inner in get_args(annotation):
        origin = get_origin(annotation)
        yield from models(inner, around if origin is types.UnionType else origin)


def default(field: FieldInfo) -> Any:
    """The default as TOML reads it."""
    value = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_defaults=True)
    return list(value) if isinstance(value, tuple) else value


def test_the_configurations_keys_and_defaults_are_those_of_its_models() -> None:
    written = {name: text for name, text in sections(read("docs/configuration.md")).items() if "[" in name}
    expected = dict(tables(Config, "`[tool.syncbot]`"))
    # What one table has of another is told once, in the table that the section names.
    shared = {f"`[tool.syncbot.{name}]`": "`[tool.syncbot.simulate]`" for name in ("plugin",)}
    inner = {name for name in expected for table in shared if name.startswith(table.removesuffix("]`") + ".")}
    assert written.keys() == expected.keys() - inner
    assert all(
        f"has the keys of {other}" in " ".join(written[table].split()) for table, other in shared.items()
    )
    for name, model in expected.items() - {(name, expected[name]) for name in inner}:
        told = expected[shared[name]].model_fields if name in shared else {}
        fields = {k: field for k, field in model.model_fields.items() if not field.exclude and k not in told}
        assert all(default(model.model_fields[key]) == default(told[key]) for key in told), name
        documented = {row[0].strip("`"): row[1] for row in rows(written[name])}
        assert list(documented) == list(fields), name
        for key, shown in documented.items():
            if fields[key].is_required():
                assert shown == "required", f"{name} {key}"
            elif shown == "none":
                assert default(fields[key]) is None, f"{name} {key}"
            else:
                assert tomllib.loads(f"x = {shown.strip('`')}")["x"] == default(fields[key]), f"{name} {key}"


# Links


def links(text: str) -> list[str]:
    """The targets of a text's links that are no web addresses."""
    found = re.findall(r"\]\(([^)\s]+)\)", BLOCK.sub("", text))
    return [target for target in found if "://" not in target]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for target in links(document.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        file = document.parent / path if path else document
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}, target


def test_every_document_is_linked_from_the_index() -> None:
    linked = {(FOLDERS[0] / target.partition("#")[0]).resolve() for target in links(read("docs/README.md"))}
    pages = {path for folder in FOLDERS for path in folder.rglob("*.md") if path.name != "README.md"}
    assert pages - linked == set()


# Names


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_names_of_syncbots_own_exist(document: Path) -> None:
    text = BLOCK.sub("", document.read_text(encoding="utf-8"))
    # Keys of JSON look alike elsewhere; there, only what begins with the package's name is one.
    prefix = r"(?:syncbot\.)?" if document.name == "architecture.md" else r"syncbot\."
    for name in re.findall(rf"`{prefix}((?:{'|'.join(PARTS)})(?:\.\w+)+)(?:\(\))?`", text):
        pkgutil.resolve_name(f"syncbot.{name}")
    for path in re.findall(r"`((?:syncbot|tests|docs|backend|benchmarks)/[\w/.-]*)`(?!:)", text):
        assert (ROOT / path).exists(), path


def test_every_folder_of_the_cache_is_documented() -> None:
    """Those that the code makes directly below the cache directory."""
    made = set()
    for file in (ROOT / "syncbot").rglob("*.py"):
        if "typecheck" not in file.parts:
            code = file.read_text(encoding="utf-8")
            made |= set(re.findall(r"""\bcache(?:_dir\(\))? / "(\w+)\"""", code))
    cells = [row[0] for row in rows(read("docs/cache.md"))]
    assert made | {"typecheck"} == {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


# README


def command(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that a line of the README calls, and the words after it."""
    found: click.Command = COMMANDS
    context = click.Context(COMMANDS)
    while isinstance(found, click.Group) and words:
        name, inner, words = found.resolve_command(context, words)
        assert inner is not None, name
        found = inner
    return found, words


def called() -> list[str]:
    text = read("README.md")
    spans = re.findall(r"`([^`\n]+)`", BLOCK.sub("", text))
    return [*in_blocks(text), *(line.removeprefix("$ ").partition("#")[0].strip() for line in spans)]


def in_blocks(text: str) -> list[str]:
    lines = [line for _, code in BLOCK.findall(text) for line in code.splitlines()]
    return [line.removeprefix("$ ").partition("#")[0].strip() for line in lines]


def test_the_documents_call_syncbot_as_it_is() -> None:
    pages = [line for page in DOCUMENTS[1:] for line in in_blocks(page.read_text(encoding="utf-8"))]
    lines = [line for line in [*called(), *pages] if line.startswith("syncbot ") and "COMMAND" not in line]
    for line in lines:
        # After a double dash, or a pipe, comes another program's command.
        found, words = command(shlex.split(re.split(r" -- | \| ", line)[0])[1:])
        known = {name for parameter in found.params for name in parameter.opts} | {"--help"}
        assert {word for word in words if word.startswith("-")} <= known, line
    context = click.Context(COMMANDS)
    names = {COMMANDS.resolve_command(context, shlex.split(line)[1:])[0] or "" for line in lines}
    assert {name.replace(" ", "-") for name in names} == set(COMMANDS.list_commands(context))


@pytest.mark.parametrize(("page", "words"), [("README.md", 700), ("docs/versions.md", 800)])
def test_what_everybody_reads_is_short(page: str, words: int) -> None:
    assert len(read(page).split()) < words


def test_all_documents_can_be_read_in_a_morning() -> None:
    pages = [*DOCUMENTS, ROOT / "CHANGELOG.md"]
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages) < 35_000


def test_the_pictures_load_nothing() -> None:
    for picture in (ROOT / "docs/pictures").glob("*.svg"):
        addresses = set(re.findall(r"https?://[^\s\"<>]*", picture.read_text(encoding="utf-8")))
        assert addresses <= {"http://www.w3.org/2000/svg", "https://www.textualize.io"}, picture


def test_the_readme_sets_up_and_tests_with_two_commands() -> None:
    made = [re.search(r"\bmake (\w+)", line) for line in called()]
    assert {found[1] for found in made if found} == {"demo", "test"}
    code = syncbot.cli
    told = read("README.md").partition("Other exit codes")[2].partition("\n\n")[0]
    expected = (code.NOTHING_FOUND, code.WRONG_USE, code.ENVIRONMENT_FAILED, code.INTERRUPTED)
    assert re.findall(r"\d+", told) == [str(number) for number in expected]


def table_of_the_matrix(document: str) -> str:
    shown = re.search(r"<!-- matrix -->\n(.*?)<!-- /matrix -->", read(document), re.DOTALL)
    assert shown is not None
    return shown[1]


@pytest.mark.parametrize(("document", "lanes"), [("README.md", 4), ("docs/versions.md", None)])
def test_the_documents_claim_no_more_than_the_matrix(document: str, lanes: int | None) -> None:
    current = list(matrices.load(ROOT / "compat_matrix.yaml"))
    baseline = matrices.load(ROOT / "compat_matrix.yaml").baseline
    table = table_of_the_matrix(document)
    assert len(rows(table)) == (lanes or len(current))
    for row, lane in zip(rows(table), current[:lanes], strict=True):
        cells = dict(zip(_head(table), row, strict=True))
        assert cells["vllm"].removesuffix(" (baseline)") == lane.tag
        assert cells["vllm"].endswith("(baseline)") == (lane.tag == baseline)
        known = {"python": lane.python, "patches": str(len(lane.patches)), "claimed": lane.claimed}
        known |= {name: version or "unknown" for name, version in lane.stack.items()}
        assert {name: known[name] for name in cells if name in known}.items() <= cells.items()
        passed = re.match(r"(\d+) passed", cells["checks"])
        proven = sum(check.status == "pass" for check in lane.checks.values())
        assert (int(passed[1]) if passed else 0) <= proven, lane.tag


def _head(table: str) -> list[str]:
    return [cell.strip() for cell in table.splitlines()[0].split("|")[1:-1]]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_make_is_told_to_make_exists(document: Path) -> None:
    targets = set(re.findall(r"^(\w+):", read("Makefile"), re.MULTILINE))
    assert set(re.findall(r"`(?:\w+=\w+ )?make (\w+)`", document.read_text(encoding="utf-8"))) <= targets
