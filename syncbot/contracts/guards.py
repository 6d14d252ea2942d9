"""What the conditions around a contract mean for it."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from syncbot.api.expressions import expression

_VERSION = re.compile(r"v?\d+(\.\d+)+([.\-+]?[a-z0-9]+)*$")


def other_version(guards: Sequence[str]) -> bool:
    """Whether code runs on one named upstream version only, and so relies on none that is compared: ``if
    is_version("1.2.3")``, or the else branch of its negation."""
    for guard in guards:
        kind, _, test = guard.partition(" ")
        if kind not in ("if", "else"):
            continue
        negated = test.startswith("not ")
        if negated == (kind == "else") and _names_version(test.removeprefix("not ")):
            return True
    return False


def tolerates_import(guards: Sequence[str]) -> bool:
    """Whether a failing import is caught."""
    wide = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
    return any(guard.startswith("try ") and wide & set(re.findall(r"\w+", guard[4:])) for guard in guards)


def type_checking(guards: Sequence[str]) -> bool:
    """Whether the code is for type checkers only."""
    return any(guard in ("if TYPE_CHECKING", "if typing.TYPE_CHECKING") for guard in guards)


def tests_for(guards: Sequence[str], name: str) -> bool:
    """Whether the code runs only where an attribute of that name is present."""
    quoted = (f"'{name}'", f'"{name}"')
    return any(
        ("hasattr(" in guard or "getattr(" in guard) and any(q in guard for q in quoted) for guard in guards
    )


def _names_version(test: str) -> bool:
    node = expression(test)
    if isinstance(node, ast.BoolOp):
        return all(_names_version(ast.unparse(value)) for value in node.values)
    if not isinstance(node, ast.Call) or node.keywords or not node.args:
        return False
    return all(isinstance(a, ast.Constant) and _is_version(a.value) for a in node.args)


def _is_version(value: object) -> bool:
    return isinstance(value, str) and _VERSION.match(value) is not None
