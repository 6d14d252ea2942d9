"""The backend's modules import one way, and so do its folders: no module needs, by any way, itself."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "backend" / "src"


def modules(sources: Path) -> dict[str, Path]:
    """Every module below ``sources`` by its dotted name."""
    found = {}
    for path in sources.rglob("*.py"):
        parts = path.relative_to(sources).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(sources: Path) -> dict[str, set[str]]:
    """Which modules each imports, wherever: in functions and for type checkers alone as well."""
    known = modules(sources)
    graph = {}
    for name, path in known.items():
        asked = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                asked |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                whole = {f"{node.module}.{alias.name}" for alias in node.names}
                asked |= whole & known.keys() or {node.module or ""}
        graph[name] = asked & known.keys() - {name}
    return graph


def parts(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The same between the folders and files directly below the package."""

    def part(name: str) -> str:
        return ".".join(name.split(".")[:2])

    found: dict[str, set[str]] = {}
    for name, asked in graph.items():
        found.setdefault(part(name), set()).update(part(each) for each in asked)
    return {name: asked - {name} for name, asked in found.items()}


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Some modules that import each other in a circle; empty without one."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = imports(SOURCES)
    assert len(graph) > 50
    assert circle(graph) == []


def test_no_folder_imports_itself_by_way_of_others() -> None:
    graph = imports(SOURCES)
    assert graph["ascend_backend.worker.npu_worker"] >= {"ascend_backend.kv_offload.connector"}
    assert circle(parts(graph)) == []


def test_a_circle_is_seen_and_a_chain_is_none(tmp_path: Path) -> None:
    package = tmp_path / "mine"
    texts = {"__init__": "", "a": "from mine import b\n", "b": "def f():\n    import mine.c\n", "c": ""}
    package.mkdir()
    for name, text in texts.items():
        (package / f"{name}.py").write_text(text)
    assert circle(imports(tmp_path)) == []
    (package / "c.py").write_text("if TYPE_CHECKING:\n    from mine.a import thing\n")
    assert set(circle(imports(tmp_path))) == {"mine.a", "mine.b", "mine.c"}
    assert circle(parts({"mine.a.x": {"mine.b.x"}, "mine.b.y": {"mine.a.y"}})) != []
    assert circle({"mine.a.x": {"mine.b.x"}, "mine.b.y": {"mine.a.y"}}) == []
