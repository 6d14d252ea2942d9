"""Which files of tests are run first: those that import what changed, then those that reach it."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from syncbot.api.every_node import every_node
from syncbot.api.import_lines import import_lines
from syncbot.api.syntax import syntax_tree
from syncbot.contracts.sources import module_name
from syncbot.impact.trees import Trees
from syncbot.running.project_copy import Project


def changed_modules(trees: Trees, old: str, new: str) -> frozenset[str]:
    """The modules of upstream that are another or none on the newer end."""
    before, after = trees.tree(old).modules, trees.tree(new).modules
    return frozenset(name for name, (_, blob) in before.items() if after.get(name, ("", ""))[1] != blob)


def nearest_first(project: Project, changed: frozenset[str], breaking: Collection[str]) -> tuple[str, ...]:
    """A project's files of tests: first those that import what changed themselves or a ``breaking``
    file of ours, then those that import such a file by way of others, then those that so reach a change."""
    imported = {f.module: frozenset(_imports(f.text, f.package)) for f in project.backend.files}
    modules = {f.path: f.module for f in project.backend.files}
    broken = {modules[path] for path in breaking if path in modules}
    touching = {module for module, names in imported.items() if names & changed}

    def distance(path: str) -> tuple[int, str]:
        text = (project.root / path).read_bytes()
        direct = frozenset(_imports(text, module_name(path).rpartition(".")[0]))
        reached = _closure(direct, imported)
        if direct & (changed | broken):
            return 0, path
        return (1 if reached & broken else 2 if reached & touching else 3), path

    return tuple(sorted(project.test_files, key=distance))


def changed_lines(trees: Trees, old: str, new: str, modules: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """The lines of upstream's modules, as they are on the older end, that are others on the newer."""
    before, after = trees.tree(old), trees.tree(new)
    found = {}
    for module in sorted(modules):
        was, now = before.source(module) or b"", after.source(module) or b""
        lines = was.splitlines()
        matcher = difflib.SequenceMatcher(None, lines, now.splitlines(), autojunk=False)
        changed = [
            number
            for tag, first, last, _, _ in matcher.get_opcodes()
            if tag != "equal"
            # Between two lines something is new: the one before it leads there.
            for number in range(first + 1, max(last, first + 1) + 1)
        ]
        found[module] = tuple(number for number in changed if number <= len(lines))
    return {module: lines for module, lines in found.items() if lines}


def installed_file(tree: Path, module: str, path: str) -> Path:
    """Where a module of upstream is installed below a folder; ``path`` is its own in the repository."""
    place = tree.joinpath(*module.split("."))
    return place / "__init__.py" if path.endswith("__init__.py") else place.with_suffix(".py")


def functions_at(source: bytes, module: str, lines: Iterable[int]) -> tuple[str, ...]:
    """The functions, by their dotted names, that lines of a module stand in."""
    try:
        spans = list(_functions(syntax_tree(source).body, module))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    inner = (
        min((last - first, name) for first, last, name in spans if first <= line <= last)[1]
        for line in lines
        if any(first <= line <= last for first, last, _ in spans)
    )
    return tuple(dict.fromkeys(inner))


def _functions(body: Sequence[ast.stmt], around: str) -> Iterator[tuple[int, int, str]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            # The line of the definition itself runs when the module is imported.
            yield node.body[0].lineno, node.end_lineno or node.lineno, f"{around}.{node.name}"
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{around}.{node.name}")
        elif isinstance(node, ast.If | ast.Try | ast.With):
            inner = [each for each in every_node(node) if isinstance(each, ast.FunctionDef | ast.ClassDef)]
            yield from _functions(inner, around)


def _imports(text: bytes, package: str) -> Iterator[str]:
    """The dotted names that a module may import."""
    for bound in import_lines(text):
        above = package.split(".") if bound.level else []
        parts = above[: len(above) - bound.level + 1] if bound.level else []
        source = ".".join([*parts, *([bound.module] if bound.module else [])])
        yield source
        if bound.name not in (None, "*"):
            yield f"{source}.{bound.name}"


def _closure(direct: Iterable[str], imported: Mapping[str, frozenset[str]]) -> frozenset[str]:
    found: set[str] = set()
    waiting = list(direct)
    while waiting:
        name = waiting.pop()
        while name and name not in found:
            if name in imported:
                found.add(name)
                waiting.extend(imported[name])
            name = name.rpartition(".")[0]
    return frozenset(found)
