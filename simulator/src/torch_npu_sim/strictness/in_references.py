"""How much the references themselves demand of calls: counted in their sources, without importing them."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from importlib import resources

#: The functions of ``torch_npu_sim.constraints``; a call of one is a demand.
_DEMANDING = frozenset({"require", "dtype", "same_dtype", "contiguous", "rank", "within", "absent"})
_OPERATOR = re.compile(r"_?npu_\w+$")
_PACKAGE = "torch_npu_sim.references"


def demanded() -> Counter[str]:
    """Return how many demands the reference of each operator makes, those of functions that it calls with them."""
    found: Counter[str] = Counter()
    for file in resources.files(_PACKAGE).iterdir():
        if file.name.endswith(".py"):
            found.update(dict(_of_module(ast.parse(file.read_text(encoding="utf-8")))))
    return found


def _of_module(tree: ast.Module) -> Iterator[tuple[str, int]]:
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    # Where a name is made up as references are registered, all of the module is demanded of those it names.
    everything = sum(map(_demands, functions.values()))
    yield from ((name, everything) for name in constants.values() if isinstance(name, str) and _OPERATOR.match(name))
    for function in functions.values():
        for decorator in function.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "reference":
                given = decorator.args[0]
                name = constants.get(given.id) if isinstance(given, ast.Name) else getattr(given, "value", None)
                if isinstance(name, str):
                    yield name, sum(_demands(functions[one]) for one in _reached(function.name, functions))


def _reached(first: str, functions: dict[str, ast.FunctionDef]) -> set[str]:
    """Return the functions of the module that one reaches by calls, itself among them."""
    reached, open_ = set(), [first]
    while open_:
        name = open_.pop()
        if name not in reached:
            reached.add(name)
            open_ += [called for called in _called(functions[name]) if called in functions]
    return reached


def _demands(function: ast.FunctionDef) -> int:
    return sum(name in _DEMANDING for name in _called(function))


def _called(function: ast.FunctionDef) -> list[str]:
    return [
        node.func.id for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
