"""Facts that a function shows by itself: its parameters, the names it binds, statements before a place."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from syncbot.api.every_node import children, every_node
from syncbot.api.expressions import named_arguments
from syncbot.planning.syntax_file import Routine, callee


def parameters(routine: Routine) -> list[str]:
    """The names of a function's parameters, starred ones left out."""
    return [a.arg for a in named_arguments(routine.args)]


def every_parameter(routine: Routine) -> list[str]:
    """The names of a function's parameters, starred ones last."""
    starred = (routine.args.vararg, routine.args.kwarg)
    return [*parameters(routine), *(a.arg for a in starred if a is not None)]


def functions_of(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Routine]]:
    """The functions and methods of a module with their dotted names behind a prefix."""
    for node in children(tree):
        if isinstance(node, ast.ClassDef):
            yield from functions_of(node, f"{prefix}{node.name}.")
        elif isinstance(node, Routine):
            yield f"{prefix}{node.name}", node
        elif isinstance(node, ast.If | ast.Try):
            yield from functions_of(node, prefix)


def behind(after: str | None, ours: Routine, theirs: Routine) -> str | None:
    """The parameter of ours that stands where another function has the one named, where ours has it by a
    name that the other one does not know."""
    mine, other = parameters(ours), parameters(theirs)
    if after is None or after in mine or after not in other or other.index(after) >= len(mine):
        return after
    there = mine[other.index(after)]
    return after if there in other else there


def names(node: ast.AST) -> Iterator[ast.Name]:
    """The names in an expression or statement."""
    return (inner for inner in every_node(node) if isinstance(inner, ast.Name))


def calls_of(node: ast.AST, called: Collection[str]) -> list[ast.Call]:
    """The calls within a node whose callee's last name is one of these."""
    return [n for n in every_node(node) if isinstance(n, ast.Call) and callee(n) in called]


class _Replaced(ast.NodeTransformer):
    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Return the expression that replaces a name, or the name itself."""
        text = self._texts.get(node.id)
        return node if text is None else ast.parse(text, mode="eval").body


def with_names(node: ast.AST, texts: Mapping[str, str]) -> str:
    """An expression or statement as text, with other expressions in the place of names."""
    return ast.unparse(_Replaced(texts).visit(ast.parse(ast.unparse(node))))


def says(tree: ast.AST, name: str) -> bool:
    """Whether code says a name anywhere, as a variable, a parameter, a definition or an import."""
    for node in every_node(tree):
        match node:
            case ast.Name(id=said) | ast.arg(arg=said) | ast.ExceptHandler(name=said):
                pass
            case ast.FunctionDef(name=said) | ast.AsyncFunctionDef(name=said) | ast.ClassDef(name=said):
                pass
            case ast.alias(name=original, asname=local):
                said = local or original
            case _:
                continue
        if said == name:
            return True
    return False


def annotation(routine: Routine, name: str) -> str | None:
    """The annotation of a parameter as text."""
    for argument in named_arguments(routine.args):
        if argument.arg == name and argument.annotation is not None:
            return ast.unparse(argument.annotation)
    return None


def binding(routine: Routine, name: str) -> list[str]:
    """The statements of a function that bind a name, as text."""
    found: list[str] = []
    for node in every_node(routine):
        match node:
            case ast.Assign(targets=targets):
                bound, text = list[ast.expr](targets), ast.unparse(node)
            case ast.AnnAssign(target=target):
                bound, text = [target], ast.unparse(node)
            case ast.For(target=target, iter=source):
                bound, text = [target], f"for {ast.unparse(target)} in {ast.unparse(source)}"
            case ast.AugAssign(target=target) | ast.NamedExpr(target=target) | ast.AsyncFor(target=target):
                # Nothing is like them, not even the same text.
                bound, text = [target], f"{id(node)}"
            case ast.withitem(optional_vars=target) if target is not None:
                bound, text = [target], f"{id(node)}"
            case _:
                continue
        if any(n.id == name and isinstance(n.ctx, ast.Store) for target in bound for n in names(target)):
            found.append(text)
    return found


def unpacked(routine: Routine, name: str) -> str | None:
    """Return the name or attribute that a variable is unpacked from, as text; None for other variables."""
    for node in every_node(routine):
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        elements = target.elts if isinstance(target, ast.Tuple) else []
        if isinstance(node, ast.Assign) and any(isinstance(e, ast.Name) and e.id == name for e in elements):
            plain = isinstance(node.value, ast.Name | ast.Attribute)
            return ast.unparse(node.value) if plain else None
    return None


def result_of(routine: Routine, name: str) -> str | None:
    """The method of the object, as written, that makes the one value of a variable; None where something else
    does."""
    first = parameters(routine)[:1]
    made = [n for n in every_node(routine) if isinstance(n, ast.Assign) and len(n.targets) == 1
            and isinstance(n.targets[0], ast.Name) and n.targets[0].id == name]  # fmt: skip
    if len(made) != 1 or len(binding(routine, name)) != 1:
        return None
    called = made[0].value.func if isinstance(made[0].value, ast.Call) else None
    text = ast.unparse(called) if isinstance(called, ast.Attribute) else ""
    return text if first and text.partition(".")[0] == first[0] else None


def earlier(routine: Routine, place: ast.AST) -> list[ast.stmt]:
    """The statements of a function that are run before a place of it, on every way there."""
    found: list[ast.stmt] = []
    for node, holder in _around(routine, place):
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(holder, block, None)
            if isinstance(statements, list) and node in statements:
                found = statements[: statements.index(node)] + found
    return found


def _around(routine: Routine, place: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """A place of a function and each node around it, innermost first, with what holds it."""
    parents = {child: node for node in every_node(routine) for child in children(node)}
    while place is not routine and place in parents:
        yield place, parents[place]
        place = parents[place]


def bound_times(code: ast.AST, name: str) -> int:
    """How often a function or module sets or deletes a variable, as a name; a definition or an import of it
    counts."""
    found = sum(n.id == name and not isinstance(n.ctx, ast.Load) for n in names(code))
    for node in every_node(code):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node is not code:
            found += node.name == name
        elif isinstance(node, ast.alias):
            found += (node.asname or node.name) == name
        elif isinstance(node, ast.Global | ast.Nonlocal):
            found += 2 * (name in node.names)
    return found


def set_before(routine: Routine, place: ast.AST) -> set[str]:
    """The variables of a function that a plain statement or the loop around has surely set at a place."""
    targets: list[ast.AST] = []
    for statement in earlier(routine, place):
        match statement:
            case ast.Assign(targets=made):
                targets += made
            case ast.AnnAssign(target=target, value=ast.expr()):
                targets.append(target)
    for node, holder in _around(routine, place):
        if isinstance(holder, ast.For | ast.AsyncFor) and node in holder.body:
            targets.append(holder.target)
        if isinstance(holder, ast.With | ast.AsyncWith) and node in holder.body:
            targets += [item.optional_vars for item in holder.items if item.optional_vars is not None]
        if isinstance(holder, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and holder is not routine:
            return set()
    return {n.id for target in targets for n in names(target)}


def only_value(routine: Routine, name: str) -> ast.expr | None:
    """Return the value that a method's only assignment to an attribute of the object assigns; None where
    there are several assignments, or one that does not always run."""
    first = next(iter(parameters(routine)), "")
    found = [
        node
        for node in every_node(routine)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if ast.unparse(target) == f"{first}.{name}"
    ]
    return found[0].value if len(found) == 1 and found[0] in routine.body else None
