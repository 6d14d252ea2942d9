"""Modules of the backend that nothing imports, or names in a text, but code which does not run on the
upstream at hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.remembered_answers import remembered
from syncbot.api.statement_parts import absolute, imported
from syncbot.api.syntax import parsed
from syncbot.contracts.conditions.turned_off_spans import At, Span
from syncbot.contracts.sources import SourceFile

_DOTTED = re.compile(r"\w+(?:\.\w+)+(?::[\w.]*)?")

#: All of a file.
WHOLE = Span((0, 0), (1 << 30, 0))


def gated_modules(
    files: Mapping[str, SourceFile], off: Mapping[str, Sequence[Span]], among: Sequence[SourceFile]
) -> list[SourceFile]:
    """The modules that the files ``among`` import, or name in a text, where they are ``off`` (by path), and
    that nothing else imports or names; ``files`` are all of the backend's, by module."""
    asked: dict[str, None] = {}
    for file in among:
        spans = off.get(file.path, ())
        for target, at in (*_imported(file), *_named(file.text)) if spans else ():
            if any(span.holds(at) for span in spans):
                asked.update((name, None) for name in _own(target, files))
    return [
        files[name]
        for name in asked
        if WHOLE not in off.get(files[name].path, ()) and _only(name, files, off)
    ]


def _only(name: str, files: Mapping[str, SourceFile], off: Mapping[str, Sequence[Span]]) -> bool:
    """Whether nothing that runs imports a module, or what is in it, nor names it in a text."""
    last = name.rpartition(".")[2].encode()
    spelled = re.compile(rb"[\"']%s(?:[.:][\w.:]*)?[\"']" % re.escape(name.encode()))
    for file in files.values():
        if file.is_test or last not in file.text or file.module == name or file.module.startswith(f"{name}."):
            continue
        spans = off.get(file.path, ())
        if spelled.search(file.text) and not spans:
            return False
        for target, at in (*_imported(file), *_named(file.text)):
            inside = target == name or target.startswith(f"{name}.")
            if inside and not any(span.holds(at) for span in spans):
                return False
    return True


def _own(target: str, files: Mapping[str, SourceFile]) -> Iterator[str]:
    """The modules of the backend that run when a dotted name is imported, but for the package that holds all
    of it: what else is in that begins there."""
    while target:
        above = target.rpartition(".")[0]
        if target in files and (above in files or not files[target].path.endswith("__init__.py")):
            yield target
        target = above


def _imported(file: SourceFile) -> tuple[tuple[str, At], ...]:
    package = file.module if file.path.endswith("__init__.py") else file.module.rpartition(".")[0]
    return _imports(file.text, package)


# Asked again in each round, and for each state of the upstream.
@remembered(4096)
def _imports(source: bytes, package: str) -> tuple[tuple[str, At], ...]:
    """The dotted names that a module imports, from functions too, each with its place."""
    tree = parsed(source)
    found: list[tuple[str, At]] = []
    for node in every_node(tree) if tree is not None else ():
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for bound in imported(node, ""):
            base = absolute(package, bound.level, bound.module)
            name = base if bound.name is None else f"{base}.{bound.name}"
            found.append((name, (node.lineno, node.col_offset)))
    return tuple(found)


@remembered(4096)
def _named(source: bytes) -> tuple[tuple[str, At], ...]:
    """The dotted names that stand alone in the texts of a module, what is behind a colon left out, each with
    its place."""
    tree = parsed(source)
    texts = (n for n in every_node(tree) if isinstance(n, ast.Constant)) if tree is not None else ()
    return tuple(
        (node.value.partition(":")[0], (node.lineno, node.col_offset))
        for node in texts
        if isinstance(node.value, str) and _DOTTED.fullmatch(node.value)
    )
