"""Imports inside syncbot go one way, and no followed package is named in its code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]

# Lowest first: a part may import itself and the parts before it. A new part has to be given its place here.
LAYERS = (
    "errors",
    "interruption",
    "project_folders",
    "atomic",
    "sealed_values",
    "limits",
    "garbage_collection",
    "package_modules",
    "isolation",
    "setting_values",
    "configuration_file",
    "project_metadata",
    "config",
    "upstream",
    "api",
    "contracts",
    "impact",
    "accepting",
    "typecheck",
    "patching",
    "planning",
    "deriving",
    "version_gates",
    "lanes",
    "starting_files",
    "worktree",
    "verify",
    "overlay",
    "witness",
    "bisect",
    "explain",
    "upgrade",
    "report",
    "steps",
    "publish",
    "triage",
    "running",
    "suites",
    "site",
    "workflows",
    "server",
    "cli",
    "__main__",
)
_PART = re.compile(rf"syncbot\.({'|'.join(LAYERS)})(\.\w+)*")

FOLLOWED = {"vllm", "ascend", "npu"}

# What ``syncbot/__init__.py`` gives to Python, when it is first asked for: tests/test_python_interface.py.
PUBLIC = {"errors", "workflows"}

# Keywords of click's decorators whose text is help for a reader, where an example may name anything.
HELP = {"help", "metavar", "epilog", "short_help"}


class Import(NamedTuple):
    """A name that a module imports, and how many packages up what it is below begins."""

    line: int
    name: str
    level: int = 0


class Read(NamedTuple):
    """The answers of a module to these tests: its tree is walked once, and not kept."""

    imports: tuple[Import, ...]
    named: tuple[int, ...]


@cache
def modules() -> tuple[tuple[Path, str], ...]:
    paths = sorted((ROOT / "syncbot").rglob("*.py"))
    return tuple((path.relative_to(ROOT), path.read_text(encoding="utf-8")) for path in paths)


def part(path: Path) -> str | None:
    """The part of syncbot that a file belongs to, None for ``syncbot/__init__.py``."""
    inside = path.with_suffix("").parts[1:]
    return None if inside == ("__init__",) else inside[0]


@cache
def read(text: str) -> Read:
    imports: list[Import] = []
    found: list[int] = []
    readable: set[int] = set()
    # A node comes before those that are in it.
    for node in ast.walk(ast.parse(text)):
        imports += imports_of(node)
        readable.update(docstring(node), help_texts(node))
        if id(node) not in readable and any(names_followed(word) for word in written(node)):
            found.append(getattr(node, "lineno", 1))
    return Read(tuple(imports), tuple(found))


def imports_of(node: ast.AST) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from (Import(node.lineno, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        start = f"{node.module}." if node.module else ""
        yield from (Import(node.lineno, f"{start}{alias.name}", node.level) for alias in node.names)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _PART.fullmatch(node.value):
        yield Import(node.lineno, node.value)


def imported(text: str, path: Path) -> Iterator[tuple[int, str]]:
    """Every dotted name that a module imports, with the line; texts that are the dotted name of a part,
    as ``import_module`` takes them, included."""
    package = path.with_suffix("").parts[:-1]
    for line, name, level in read(text).imports:
        around = package[: len(package) - level + 1] if level else ()
        yield line, ".".join([*around, name])


def wrong_imports(text: str, path: Path) -> list[str]:
    """The imports of a module that go up, and those of parts that have no layer."""
    mine = part(path)
    found = []
    for line, name in imported(text, path):
        top, _, rest = name.partition(".")
        other = rest.partition(".")[0]
        if top != "syncbot" or other in ("", "__version__") or other == mine:
            continue
        if mine is None and other in PUBLIC:
            continue
        if mine is None or mine not in LAYERS or other not in LAYERS:
            found.append(f"{path}:{line}: {name}: no layer")
        elif LAYERS.index(other) > LAYERS.index(mine):
            found.append(f"{path}:{line}: {mine} imports {name}, which stands above it")
    return found


def needed(files: Iterable[tuple[Path, str]]) -> dict[str, set[str]]:
    """The modules that each module imports anywhere in it, functions and ``TYPE_CHECKING`` included.

    A module needs the packages around what it imports too; a package does not need what discovery finds.
    What syncbot itself gives to Python is imported when somebody asks for it, and needed by nothing in here.
    """
    texts = {dotted(path): (path, text) for path, text in files}
    found: dict[str, set[str]] = {}
    for module, (path, text) in texts.items():
        names = {name for _, name in imported(text, path)}
        around = {".".join(name.split(".")[:end]) for name in names for end in range(1, name.count(".") + 2)}
        lazy = module == "syncbot"
        found[module] = {other for other in around if other in texts and other != module and not lazy}
    return found


def dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def circle(graph: dict[str, set[str]]) -> list[str]:
    """One circle of a graph, empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


@cache
def names_followed(text: str) -> bool:
    """Whether a word of an identifier or text is one of the followed packages' names."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text)
    return "vllm" in text.lower() or any(word.lower() in FOLLOWED for word in words)


def named(text: str) -> list[int]:
    """The lines of a module where an identifier or a string names a followed package.

    Left out are comments, docstrings, and the help texts of click's decorators.
    """
    return [*read(text).named]


def docstring(node: ast.AST) -> Iterator[int]:
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            yield id(first.value)


def help_texts(node: ast.AST) -> Iterator[int]:
    if isinstance(node, ast.Call) and any(keyword.arg in HELP for keyword in node.keywords):
        if not ast.unparse(node.func).startswith("click."):
            return
        for keyword in node.keywords:
            if keyword.arg in HELP:
                yield from (id(inner) for inner in ast.walk(keyword.value))


def written(node: ast.AST) -> Iterator[str]:
    """The identifiers and the text that one node itself holds."""
    for _, value in ast.iter_fields(node):
        if isinstance(value, str):
            yield value
        elif isinstance(value, bytes):
            yield value.decode("latin-1")
        elif isinstance(value, list):
            yield from (item for item in value if isinstance(item, str))


@pytest.mark.long
def test_imports_go_one_way() -> None:
    assert [wrong for path, text in modules() for wrong in wrong_imports(text, path)] == []


@pytest.mark.long
def test_no_module_needs_itself_by_way_of_others() -> None:
    graph = needed(modules())
    assert "syncbot.patching.source" in graph["syncbot.patching.registry"]
    assert circle(graph) == []


@pytest.mark.parametrize(
    ("second", "found"),
    [
        ("from syncbot.api.a import f\n", True),
        ("from syncbot.api import a\n", True),
        ("from .a import f\n", True),
        ("def g():\n    import syncbot.api.a\n", True),
        ("if TYPE_CHECKING:\n    from syncbot.api.a import T\n", True),
        ("from syncbot.api import c\nimport ast\n", False),
        ("text = 'from syncbot.api.a import f'\n", False),
    ],
)
def test_a_circle_is_seen(second: str, found: bool) -> None:
    files = {"__init__": "", "a": "from syncbot.api.b import g\n", "b": second, "c": ""}
    seen = circle(needed((Path(f"syncbot/api/{name}.py"), text) for name, text in files.items()))
    assert set(seen) == ({"syncbot.api.a", "syncbot.api.b"} if found else set())


@pytest.mark.long
def test_workflows_know_no_terminal_and_commands_not_each_other() -> None:
    """Workflows do the work of the commands; in cli each command parses, calls and prints on its own."""
    commands = {
        path for path, text in modules() if part(path) == "cli" and re.search(r"^def command\(", text, re.M)
    }
    assert len(commands) > 15
    names = {dotted(path) for path in commands}
    for path, text in modules():
        uses = {name for _, name in imported(text, path)}
        if part(path) == "workflows":
            assert not {name for name in uses if name.split(".")[0] in ("click", "rich")}, path
        if part(path) == "cli":
            assert not {name for name in uses if name in names or name.rpartition(".")[0] in names}, path


@pytest.mark.long
def test_what_kinds_of_contract_ask_knows_no_kind() -> None:
    """The packages beside ``contracts.kinds`` each answer a question, whichever kind asks it."""
    answering = [
        (path, text)
        for path, text in modules()
        if path.parts[1] == "contracts" and len(path.parts) == 4 and path.parts[2] != "kinds"
    ]
    assert len({path.parts[2] for path, _ in answering}) > 5
    for path, text in answering:
        uses = [name for _, name in imported(text, path)]
        assert not [name for name in uses if name.startswith("syncbot.contracts.kinds")], path


def test_every_part_has_a_layer_and_every_layer_a_part() -> None:
    assert {part(path) for path, _ in modules()} - {None} == set(LAYERS)


def test_the_layers_are_documented_in_their_order() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    order = re.search(r"From the bottom: (.*?)\. A part", text, re.DOTALL)
    assert order is not None
    assert tuple(re.findall(r"`(\w+)`", order[1])) == LAYERS[:-1]


@pytest.mark.parametrize(
    ("path", "text", "wrong"),
    [
        ("syncbot/api/tree.py", "from syncbot.contracts.model import Contract\n", True),
        ("syncbot/api/tree.py", "from syncbot import contracts\n", True),
        ("syncbot/api/tree.py", "import syncbot.cli\n", True),
        ("syncbot/api/tree.py", "from ..lanes import matrix\n", True),
        ("syncbot/api/tree.py", "def f():\n    import_module('syncbot.report.build')\n", True),
        ("syncbot/verify/lane_environment.py", "from syncbot.report.build import build\n", True),
        ("syncbot/errors.py", "from syncbot.config import load\n", True),
        ("syncbot/__init__.py", "from syncbot.cli import main\n", True),
        ("syncbot/__init__.py", "from syncbot.impact.analysis import analyse\n", True),
        ("syncbot/__init__.py", "from syncbot.workflows.check import check\n", False),
        ("syncbot/newcomer/a.py", "from syncbot.errors import UsageError\n", True),
        ("syncbot/api/tree.py", "import syncbot.errors\nfrom syncbot.api import model\n", False),
        ("syncbot/api/tree.py", "from .model import Class\nimport ast\n", False),
        ("syncbot/api/tree.py", "git('-c', 'syncbot.when=x', 'syncbot.when')\n", False),
        ("syncbot/cli/check.py", "import syncbot\nfrom syncbot.report.build import build\n", False),
        ("syncbot/verify/lane_environment.py", "from syncbot import __version__\n", False),
    ],
)  # fmt: skip
def test_an_import_that_goes_up_is_seen(path: str, text: str, wrong: bool) -> None:
    assert bool(wrong_imports(text, Path(path))) is wrong


@pytest.mark.long
def test_no_followed_package_is_named_in_the_code() -> None:
    assert [f"{path}:{line}" for path, text in modules() for line in named(text)] == []
    assert [str(path) for path, _ in modules() if names_followed(str(path))] == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("x = 'vllm.platforms'\n", [1]),
        ("\nclass NPUWorker: ...\n", [2]),
        ("import torch_npu\n", [1]),
        ("f(ascend=1)\n", [1]),
        ("x = f'a{b} vLLM'\n", [1]),
        ("def f(vllm_config): ...\n", [1]),
        ("def f():\n    global AscendPlatform\n", [2]),
        ("x = b'npu'\n", [1]),
        ("other(help='such as vllm')\n", [1]),
        ("x.y.is_npu\n", [1]),
        ("input(ascending, numpy, 'an npuzzle')\n", []),
        ("'''Follows vllm.'''\n\ndef f():\n    '''As torch_npu has it.'''  # for the NPU\n", []),
        ("@click.option('--upstream', metavar='vllm|PATH', help='such as ../vllm')\ndef f(): ...\n", []),
    ],
)
def test_a_name_in_the_code_is_seen(text: str, lines: list[int]) -> None:
    assert sorted(set(named(text))) == lines
