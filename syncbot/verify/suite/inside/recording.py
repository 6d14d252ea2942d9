"""Which functions of some packages are executed between two questions: a call more at their start."""

from __future__ import annotations

import ast
import builtins
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType
from typing import Any

MARK = "__syncbot_ran__"
#: Decorators that leave a function Python's own: what others compile may know no such call.
_HARMLESS = {
    *("property", "cached_property", "setter", "staticmethod", "classmethod", "abstractmethod", "override"),
    *("contextmanager", "asynccontextmanager", "cache", "lru_cache", "wraps", "overload", "final"),
    *("inference_mode", "no_grad", "register", "patch", "field_validator", "model_validator", "dataclass"),
}
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Recording:
    """Marks what is imported of ``packages`` from its start on. ``modules`` are those, by their paths."""

    def __init__(self, packages: Iterable[str]) -> None:
        self.packages = frozenset(packages)
        self.modules: list[str] = []
        self._names: list[tuple[str, str]] = []
        self._ran: set[int] = set()

    def start(self) -> None:
        """Mark modules from here on."""

        def ran(number: int) -> None:
            self._ran.add(number)

        # torch.compile takes it for a constant while it reads a function.
        ran._dynamo_marked_constant = True  # type: ignore[attr-defined]
        setattr(builtins, MARK, ran)
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find a module of the packages, as Python asks its finders to."""
        if name.partition(".")[0] not in self.packages:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Marking(spec.loader.name, spec.loader.path, self)
        return spec

    def marked(self, source: bytes, path: str) -> ast.Module:
        """The tree of a module with a mark at the start of each function; the second ``f`` is ``f#2``."""
        tree, seen = ast.parse(source), Counter[str]()
        self.modules.append(path)
        for dotted, function in functions(tree):
            seen[dotted] += 1
            self._names.append((path, dotted if seen[dotted] == 1 else f"{dotted}#{seen[dotted]}"))
            number = len(self._names) - 1
            if all(_keeps(decorator) for decorator in function.decorator_list):
                _insert(function.body, number)
            else:
                # It counts as if it ran.
                self._ran.add(number)
        return tree

    def told(self) -> dict[str, list[str]]:
        """Return the functions that ran since the last call, by the path of the module."""
        found: dict[str, list[str]] = {}
        for path, name in sorted(self._names[number] for number in self._ran):
            found.setdefault(path, []).append(name)
        self._ran.clear()
        return found


class _Marking(SourceFileLoader):
    def __init__(self, name: str, path: str, recording: Recording) -> None:
        super().__init__(name, path)
        self._recording = recording

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        file = os.path.basename(path)
        parts = fullname.split(".") if file == "__init__.py" else fullname.split(".")[:-1]
        with open(path, "rb") as source:
            tree = self._recording.marked(source.read(), "/".join([*parts, file]))
        return compile(tree, path, "exec", dont_inherit=True)


def functions(tree: ast.AST, outer: str = "") -> Iterator[tuple[str, _Function]]:
    """Yield the functions of a module and of its classes, by dotted name; not those inside of others."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield outer + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{outer}{node.name}.")
        elif not isinstance(node, ast.expr):
            yield from functions(node, outer)


def _keeps(decorator: ast.expr) -> bool:
    named = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (named.attr if isinstance(named, ast.Attribute) else getattr(named, "id", "")) in _HARMLESS


def _insert(body: list[ast.stmt], number: int) -> None:
    first = body[0]
    has_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    at = 1 if has_text else 0
    call = ast.Expr(ast.Call(ast.Name(MARK, ast.Load()), [ast.Constant(number)], []))
    line = body[min(at, len(body) - 1)].lineno
    for node in ast.walk(call):
        if isinstance(node, ast.expr | ast.stmt):
            node.lineno = node.end_lineno = line
            node.col_offset = node.end_col_offset = 0
    body.insert(at, call)
