"""Where in a function an edit applies. Statements and expressions are compared without their layout."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import libcst as cst
from pydantic import AfterValidator

from syncbot.patching.argument_types import statements
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.node_text import code


def normal(text: str) -> str:
    """Return code as Python itself would write it, layout aside. Raises ValueError for what is no Python."""
    # In a function, so that return, yield and await may stand alone.
    wrapped = "async def _():\n" + textwrap.indent(textwrap.dedent(text).strip("\n"), " ") + "\n"
    return ast.unparse(statements(wrapped, "not Python")[0]).partition("\n")[2]


def _statements(text: str) -> str:
    normal(text)
    return textwrap.dedent(text).strip("\n")


Statements = Annotated[str, AfterValidator(_statements)]


def lines(text: str) -> list[cst.BaseStatement]:
    """Return the statements of a text as nodes."""
    # Wrapped, for return and await; the statements keep their comments.
    wrapped = "async def _():\n" + textwrap.indent(text, "    ") + "\n"
    function = cst.ensure_type(cst.parse_module(wrapped).body[0], cst.FunctionDef)
    return list(cst.ensure_type(function.body, cst.IndentedBlock).body)


class _AtStatement(cst.CSTTransformer):
    def __init__(self, wanted: str, put: Callable[[cst.BaseStatement], Sequence[cst.BaseStatement]]) -> None:
        super().__init__()
        self._wanted, self._put, self.found = wanted, put, 0

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        body: list[Any] = []
        for old, new in zip(original_node.body, updated_node.body, strict=True):
            if self._is(old):
                self.found += 1
                body.extend(self._put(new))
            else:
                body.append(new)
        if not body:
            body.append(cst.SimpleStatementLine([cst.Pass()]))
        return updated_node.with_changes(body=body)

    def _is(self, node: cst.CSTNode) -> bool:
        return normal(code(node.with_changes(leading_lines=()))) == self._wanted


def at_statement(
    function: cst.FunctionDef, statement: str, put: Callable[[cst.BaseStatement], Sequence[cst.BaseStatement]]
) -> cst.FunctionDef:
    """Return the function with what ``put`` makes of one statement. Raises NoMatch, CannotRewrite."""
    visitor = _AtStatement(normal(statement), put)
    changed = cst.ensure_type(function.visit(visitor), cst.FunctionDef)
    first = statement.strip().splitlines()[0]
    if not visitor.found:
        raise NoMatch(f"it does not hold {first!r}")
    if visitor.found > 1:
        raise CannotRewrite(f"it holds {first!r} {visitor.found} times: give more of it")
    return changed


class _AtExpression(cst.CSTTransformer):
    def __init__(self, matches: Callable[[cst.BaseExpression], bool], put: cst.BaseExpression) -> None:
        super().__init__()
        self._matches, self._put, self.found = matches, put, 0

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        if isinstance(original_node, cst.BaseExpression) and self._matches(original_node):
            self.found += 1
            return self._put.deep_clone()
        return super().on_leave(original_node, updated_node)


def at_expressions(
    function: cst.FunctionDef, matches: Callable[[cst.BaseExpression], bool], put: str
) -> tuple[cst.FunctionDef, int]:
    """Return the function with ``put`` in the place of matching expressions of its body, and how many."""
    visitor = _AtExpression(matches, cst.parse_expression(put))
    body = function.body.visit(visitor)
    return function.with_changes(body=body), visitor.found
