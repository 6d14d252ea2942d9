"""The types that a call gives the type variables in a function's annotations."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from syncbot.api.expressions import expression
from syncbot.api.model import Parameter
from syncbot.api.symbols import Symbol
from syncbot.contracts.inference.declared_types import Declared

_OF_CLASS = re.compile(r"(?:typing\.)?[tT]ype\[(\w+)\]")

#: The class that an expression is (True), or whose object it is (False).
Ask = Callable[[ast.expr, bool], Symbol | None]


def result_type(
    call: ast.Call,
    result: str,
    parameters: Sequence[Parameter],
    is_variable: Callable[[str], bool],
    ask: Ask,
) -> Declared | None:
    """The type that a call gives by the class that it passes for a type variable, as in ``def of(kind:
    type[T]) -> dict[str, T]``: of the module of that class. None where the result has no variable, or no
    class is seen."""
    for place, parameter in enumerate(parameters):
        whole = parameter.annotation or ""
        of_class = _OF_CLASS.fullmatch(whole)
        variable = of_class[1] if of_class is not None else whole
        named = re.compile(rf"\b{variable}\b") if variable.isidentifier() else None
        if named is None or not named.search(result) or not is_variable(variable):
            continue
        passed = _argument(call, parameter.name, place)
        class_ = ask(passed, of_class is not None) if passed is not None else None
        filled = expression(named.sub(class_.qualname, result)) if class_ is not None else None
        if class_ is not None and filled is not None:
            return Declared(class_.module, filled)
    return None


def _argument(call: ast.Call, name: str, place: int) -> ast.expr | None:
    """Return what a call passes for a parameter; None where it is not seen."""
    if any(isinstance(argument, ast.Starred) for argument in call.args[: place + 1]):
        return None
    named = (keyword.value for keyword in call.keywords if keyword.arg == name)
    return call.args[place] if place < len(call.args) else next(named, None)
