"""Forms for type checkers in the place of a class: ``Literal["a", "b"]``, ``A | B``, ``Annotated[A | B, …]``.
At run time such a form has none of a class's attributes, makes no objects and is nobody's base.

https://docs.python.org/3/library/typing.html#typing.Literal, https://peps.python.org/pep-0604/
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from syncbot.api.expressions import dotted, expression
from syncbot.api.model import Attribute
from syncbot.api.symbols import Symbol

_FORMS = ("Literal", "Union", "Optional")


def type_form(symbol: Symbol) -> ast.expr | None:
    """The form that a name stands for, None where it is defined otherwise, or more than once."""
    values = [node.value for node in symbol.nodes if isinstance(node, Attribute)]
    written = expression(values[0]) if len(values) == len(symbol.nodes) == 1 and values[0] else None
    return written if written is not None and _is_form(written) else None


def _is_form(written: ast.expr) -> bool:
    match written:
        case ast.BinOp(op=ast.BitOr()):
            return True
        case ast.Subscript(value=head) if _last_part(head) in _FORMS:
            return True
        # What is annotated alone makes objects and has subclasses, as without.
        case ast.Subscript(slice=ast.Tuple(elts=[inner, *_])) if is_annotated(written):
            return _is_form(inner)
    return False


def refuses_tests(form: ast.expr) -> bool:
    """Whether ``isinstance`` raises TypeError for a form: a union of plain classes it takes."""
    match form:
        case ast.BinOp(left=left, right=right, op=ast.BitOr()):
            return refuses_tests(left) or refuses_tests(right)
        case ast.Subscript(value=head, slice=arms) if _last_part(head) in ("Union", "Optional"):
            return any(map(refuses_tests, arms.elts if isinstance(arms, ast.Tuple) else [arms]))
    return is_annotated(form) or bool(listed_values(form))


def is_annotated(form: ast.expr) -> bool:
    """Whether a form is ``Annotated[…]``."""
    return isinstance(form, ast.Subscript) and _last_part(form.value) == "Annotated"


def type_form_of_class(before: Symbol | None, after: Symbol | None) -> ast.expr | None:
    """The form in the place of what was a class."""
    was_class = before is not None and before.kind == "class"
    return type_form(after) if was_class and after is not None and after.kind == "variable" else None


def no_class_any_more(symbol: str, form: ast.expr) -> str:
    """Return what a reader is told who calls the class, derives from it or tests for it."""
    return f"{symbol} was a class and is now {ast.unparse(form)}: it makes no objects and has no subclasses"


def listed_values(form: ast.expr) -> Sequence[object]:
    """Return what the objects of a ``Literal`` are; none where it lists more than constants."""
    match form:
        case ast.Subscript(value=head, slice=several) if _last_part(head) == "Literal":
            values = several.elts if isinstance(several, ast.Tuple) else [several]
            known = tuple(value.value for value in values if isinstance(value, ast.Constant))
            return known if len(known) == len(values) else ()
    return ()


def _last_part(node: ast.expr) -> str:
    """The last part of a dotted name, empty for another expression."""
    return (dotted(node) or "").rpartition(".")[2]
