"""Removing a project's tests of a version that it no longer supports: the other branch stays."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import libcst as cst
from packaging.version import Version

from syncbot.api.every_node import every_node
from syncbot.patching import comma_lists
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.node_text import code
from syncbot.patching.source import Edits, Source
from syncbot.version_gates.version_tests import Gate

Folded: TypeAlias = "cst.BaseExpression | bool"
#: What an expression as syntax has it comes to, None where it is no gate.
Answer: TypeAlias = Callable[[str], bool | None]


def ungated(text: str, gate: Gate, versions: Sequence[str], path: str) -> str:
    """The text as on any other version, without the gate's import if unused. Raises NoMatch for no gate,
    CannotRewrite for invalid Python."""
    may_have = gate.name in text and any(version in text for version in versions)
    result = selected(text, gate, versions, False, path) if may_have else text
    if result == text:
        raise NoMatch(f"{path}: no gate of {', '.join(versions)}")
    result = _without_import(result, gate, path)
    try:
        compile(result.lstrip("\ufeff"), path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise CannotRewrite(f"{path} would no longer compile: {error}") from error
    return result


def selected(text: str, gate: Gate, versions: Sequence[str], branch: bool, path: str) -> str:
    """Return the text with the gates of these versions decided: True is that version, False any other."""
    source = Source(text, path)
    gates = {gate.normal(version) for version in versions}
    return _decided(source, lambda text: branch if text in gates else None)


def folded(text: str, gate: Gate, version: Version, path: str) -> str:
    """Return the text as it is on one version: its gates and the constants that are one are decided, and an
    import of the gate that nothing needs any more goes. Raises CannotRewrite for invalid Python."""
    if gate.name not in text:
        return text
    source = Source(text, path)
    answers = dict(_constants(source, gate, version))
    result = _decided(source, lambda said: answers.get(said, gate.answer(said, version)))
    return text if result == text else _without_import(result, gate, path)


def _decided(source: Source, answer: Answer) -> str:
    result = source.module.visit(_Folder(answer))
    assert isinstance(result, cst.Module)
    return source.leading + result.code


def _constants(source: Source, gate: Gate, version: Version) -> Iterator[tuple[str, bool]]:
    """The names that a module binds once, to a gate, each with what that is."""
    try:
        tree = ast.parse(source.text.lstrip("\ufeff"))
    except (SyntaxError, ValueError) as error:
        raise CannotRewrite(f"{source.path} is not valid Python: {error}") from error
    nodes = list(every_node(tree))
    bound = [n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    bound += [n.arg for n in nodes if isinstance(n, ast.arg)]
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if bound.count(name) == 1:
                told = gate.answer(ast.unparse(value), version)
                if told is not None:
                    yield name, told


class _Folder(cst.CSTTransformer):
    """Decides conditions that are gates, and what of larger conditions follows from that."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self._answer = answer
        self._elifs: set[cst.If] = set()

    def visit_If(self, node: cst.If) -> None:
        """Remember which are ``elif`` branches of others."""
        if isinstance(node.orelse, cst.If):
            self._elifs.add(node.orelse)

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> Any:
        """The branch that is left, in the place of the whole."""
        test = self._fold(updated_node.test)
        if not isinstance(test, bool):
            return updated_node.with_changes(test=test)
        following = updated_node.orelse
        if original_node in self._elifs:
            if test:
                return cst.Else(updated_node.body, leading_lines=updated_node.leading_lines)
            return cst.RemoveFromParent() if following is None else following
        if test:
            return _unwrapped(updated_node.body, updated_node.leading_lines)
        if following is None:
            return cst.RemoveFromParent()
        if isinstance(following, cst.If):
            return following.with_changes(leading_lines=updated_node.leading_lines)
        return _unwrapped(following.body, updated_node.leading_lines)

    def leave_IfExp(self, original_node: cst.IfExp, updated_node: cst.IfExp) -> cst.BaseExpression:
        """The value that is left."""
        test = self._fold(updated_node.test)
        if not isinstance(test, bool):
            return updated_node.with_changes(test=test)
        kept = updated_node.body if test else updated_node.orelse
        if updated_node.lpar and not kept.lpar:
            return kept.with_changes(lpar=updated_node.lpar, rpar=updated_node.rpar)
        return kept

    def leave_While(self, original_node: cst.While, updated_node: cst.While) -> cst.While:
        """The condition that is left; a loop stays one."""
        test = self._fold(updated_node.test)
        return updated_node.with_changes(test=cst.Name(str(test)) if isinstance(test, bool) else test)

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        """A block that lost everything still has a statement."""
        if updated_node.body:
            return updated_node
        return updated_node.with_changes(body=[cst.SimpleStatementLine([cst.Pass()])])

    def _fold(self, node: cst.BaseExpression) -> Folded:
        """True or False where that is decided, else what is left of the condition."""
        told = self._told(node)
        if told is not None:
            return told
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            inner = self._fold(node.expression)
            return not inner if isinstance(inner, bool) else node.with_changes(expression=inner)
        if isinstance(node, cst.BooleanOperation):
            deciding = isinstance(node.operator, cst.Or)
            left, right = self._fold(node.left), self._fold(node.right)
            if left is deciding or right is deciding:
                return deciding
            if isinstance(left, bool) or isinstance(right, bool):
                return _with_parentheses_of(node, right if isinstance(left, bool) else left)
            return node.with_changes(left=left, right=right)
        return node

    def _told(self, node: cst.BaseExpression) -> bool | None:
        if not isinstance(node, cst.Call | cst.Comparison | cst.Name | cst.Attribute):
            return None
        try:
            return self._answer(ast.unparse(ast.parse(f"({code(node)})", mode="eval")))
        except SyntaxError:
            return None


def _with_parentheses_of(node: cst.BooleanOperation, rest: Folded) -> Folded:
    """Return the rest of a condition; over several lines it gets the parentheses that were around all."""
    if isinstance(rest, bool) or not node.lpar or rest.lpar or "\n" not in code(rest):
        return rest
    return rest.with_changes(lpar=node.lpar, rpar=node.rpar)


def _unwrapped(body: cst.BaseSuite, leading: Sequence[cst.EmptyLine]) -> Any:
    """The statements of a block, with the comments that stood before the gate."""
    if isinstance(body, cst.SimpleStatementSuite):
        return cst.SimpleStatementLine(body.body, leading_lines=leading)
    assert isinstance(body, cst.IndentedBlock)
    if not body.body:
        return cst.RemoveFromParent()
    first, *rest = body.body
    above = [*leading, *getattr(first, "leading_lines", ())]
    note = body.header.comment
    if note is not None:
        above.append(cst.EmptyLine(comment=note))
    lines: list[Any] = [first.with_changes(leading_lines=above), *rest]
    return cst.FlattenSentinel(lines)


def _without_import(text: str, gate: Gate, path: str) -> str:
    """The text without the import of the gate's name, where nothing uses it."""
    source = Source(text, path)
    if "__all__" in text and f'"{gate.name}"' in text:
        return text
    edits = Edits()
    for _, assignment in source.import_assignments():
        unused = assignment.name == gate.name and not assignment.references
        if unused and isinstance(assignment.node, cst.ImportFrom):
            _drop(source, edits, assignment.node, gate.name)
    return source.edited(edits) if edits else text


def _drop(source: Source, edits: Edits, statement: cst.ImportFrom, name: str) -> None:
    if isinstance(statement.names, cst.ImportStar):
        return
    names = [alias.evaluated_alias or alias.evaluated_name for alias in statement.names]
    if len(names) > 1:
        at = names.index(name)
        edits.change(statement, lambda s: s.with_changes(names=comma_lists.remove(s.names, at)))
        return
    line = source.index.lines.get(statement)
    if line is None or len(line.body) > 1:
        edits.replace(statement, cst.RemoveFromParent())
        return
    edits.replace(line, cst.RemoveFromParent())
    above = line.leading_lines
    following = next((node for node, before in source.index.previous.items() if before is line), None)
    if above and following is not None and hasattr(following, "leading_lines"):
        edits.change(following, lambda n: n.with_changes(leading_lines=[*above, *n.leading_lines]))
