"""Keeps definitions that upstream removed: checks whether their text still means the same, and finds their
imports. A definition can be kept if everything that it reads still exists: names that its module imported or
defined and the new upstream has as the same kind of thing, attributes of the object that the same statements
set, builtins, and names that it binds itself."""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Collection

from syncbot.api.every_node import every_node
from syncbot.api.model import Attribute
from syncbot.api.symbols import Member, Symbol
from syncbot.contracts.comparison import Comparison
from syncbot.planning.function_facts import names, parameters
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine

_BINDING_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_PLAIN_RESULTS = ("bool", "int", "float", "str")


def imports_of(
    context: PlanningContext,
    module: str,
    node: ast.AST,
    own: Symbol | None = None,
    receiver: str = "",
    given: Collection[str] = (),
) -> tuple[str, ...] | None:
    """The imports that a piece of an old upstream module needs elsewhere; None where it does not mean what it
    meant. ``receiver`` is its name for the object, whose class ``own`` is now; ``given`` are names that it
    finds there, and ``receiver.name`` attributes that are kept too."""
    inner = [n for n in every_node(node) if n is not node]
    if any(isinstance(n, (*_BINDING_SCOPES, ast.Global, ast.Nonlocal)) for n in inner):
        return None
    bound = {*given}
    bound |= {n.id for n in names(node) if not isinstance(n.ctx, ast.Load)}
    imports = [n for n in inner if isinstance(n, ast.Import | ast.ImportFrom)]
    bound |= {a.asname or a.name.partition(".")[0] for n in imports for a in n.names}
    bound |= {n.name for n in inner if isinstance(n, ast.ExceptHandler) and n.name}
    if any(isinstance(n, ast.ImportFrom) and n.level for n in imports):
        return None
    found: dict[str, None] = {}
    receivers = _receivers(node, receiver)
    for name in names(node):
        if name.id == receiver != "":
            attribute = receivers.get(name)
            if own is None or attribute is None:
                return None
            if f"{receiver}.{attribute.attr}" not in given and not _same_member(context, own, attribute):
                return None
        elif name.id not in bound:
            line = _import(context.pair, module, name.id)
            if line is None:
                return None
            if line:
                found[line] = None
    return tuple(sorted(found, key=lambda line: (line.startswith("from"), line)))


def attributes_of(node: ast.AST, receiver: str) -> set[str]:
    """The attributes that a piece of code reads of the object by one name, and does not set."""
    found = _receivers(node, receiver).values()
    return {a.attr for a in found} - {a.attr for a in found if not isinstance(a.ctx, ast.Load)}


def _receivers(node: ast.AST, receiver: str) -> dict[ast.Name, ast.Attribute]:
    found: dict[ast.Name, ast.Attribute] = {}
    for inner in every_node(node):
        match inner:
            case ast.Attribute(value=ast.Name(id=name) as value) if name == receiver:
                found[value] = inner
            case ast.Call(
                func=ast.Name("getattr"), args=[ast.Name(id=name) as value, ast.Constant(str(attribute)), _]
            ) if name == receiver:
                found[value] = ast.Attribute(value, attribute, ast.Load())
    return found


def _same_member(context: PlanningContext, own: Symbol, attribute: ast.Attribute) -> bool:
    """Whether the object has an attribute in the new upstream as it had it in the old one."""
    name = attribute.attr
    before = context.pair.old.resolve(own.name)
    was = context.pair.old.member(before, name) if before is not None else None
    now = context.pair.new.member(own, name)
    if was is None or now is None or (name.startswith("__") and not name.endswith("__")):
        return False
    if not isinstance(attribute.ctx, ast.Load):
        return not (was.functions or now.functions)
    if was.functions or now.functions:
        return [f.decorators for f in was.functions] == [f.decorators for f in now.functions]
    return _set_to(was) == _set_to(now)


def _set_to(member: Member) -> list[str]:
    return sorted(str(a.value) for a in member.attributes)


def _import(pair: Comparison, module: str, name: str) -> str | None:
    """The import that makes a global name of an old upstream module known elsewhere, empty for a builtin;
    None where the new upstream does not have it as it was."""
    symbol = pair.old.local(module, name)
    if symbol is None or pair.old.tree_of(symbol.module) is None:
        return _import_from_elsewhere(pair, module, name)
    now = pair.now(symbol.name)
    if now is None or now.kind != symbol.kind or "." in now.qualname:
        return None
    if now.kind == "module":
        parent, _, last = now.module.rpartition(".")
        return f"from {parent} import {_shown(last, name)}" if parent else f"import {last}"
    same = now.kind in ("class", "function") or _values(now) == _values(symbol)
    return f"from {now.module} import {_shown(now.qualname, name)}" if same else None


def _import_from_elsewhere(pair: Comparison, module: str, name: str) -> str | None:
    """The same for a name that is not upstream's own: as the module imports it."""
    table = pair.old.table(module)
    lines = [i for i in table.imports if i.local == name and not i.scope] if table is not None else []
    if not lines:
        return "" if hasattr(builtins, name) else None
    only = lines[0]
    if len(lines) > 1 or only.level or only.guards:
        return None
    if only.name is None:
        shown = only.module
        return f"import {shown}" if shown.partition(".")[0] == name else f"import {shown} as {name}"
    return f"from {only.module} import {_shown(only.name, name)}"


def _values(symbol: Symbol) -> list[str | None]:
    return [n.value for n in symbol.nodes if isinstance(n, Attribute)]


def _shown(name: str, local: str) -> str:
    return name if name == local else f"{name} as {local}"


def function_text(node: Routine, imports: tuple[str, ...], name: str, since: str) -> str | None:
    """A function of upstream as it is written here: without annotations, whose names may mean nothing here,
    and with the imports that it needs; None where its head says more than that."""
    kept = copy.deepcopy(node)
    kept.name, kept.returns = name, None
    decorators = [ast.unparse(d) for d in node.decorator_list]
    if any(d not in ("staticmethod", "classmethod", "property") for d in decorators):
        return None
    defaults = [*kept.args.defaults, *(d for d in kept.args.kw_defaults if d is not None)]
    if not all(isinstance(d, ast.Constant) for d in defaults):
        return None
    for argument in every_node(kept.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    body = kept.body[1:] if ast.get_docstring(node) is not None else kept.body
    said = ast.Expr(
        ast.Constant(
            f"As upstream had it before {since}." if since else "As another version of upstream has it."
        )
    )
    kept.body = [said, *(s for line in imports for s in ast.parse(line).body), *body]
    for statement in every_node(kept):
        if isinstance(statement, ast.AnnAssign) and statement.value is None:
            return None
    return ast.unparse(ast.fix_missing_locations(_Plain().visit(kept)))


class _Plain(ast.NodeTransformer):
    """Assignments without their annotations."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """The plain assignment."""
        assert node.value is not None
        return ast.Assign([node.target], node.value)


def body_of(node: Routine) -> ast.Module:
    """The body of a function, as far as running it reads it."""
    plain = copy.deepcopy(node)
    for inner in every_node(plain):
        if isinstance(inner, ast.AnnAssign):
            inner.annotation = ast.Constant(None)
    return ast.Module(plain.body, [])


def makes_a_value(context: PlanningContext, module: str, expression: ast.expr) -> bool:
    """Whether an expression only names what is there, or makes a number, truth value or text: nothing that
    others could fill later."""
    for node in every_node(expression):
        if isinstance(node, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp
                      | ast.GeneratorExp | ast.Lambda | ast.Await | ast.Yield | ast.NamedExpr):  # fmt: skip
            return False
        if isinstance(node, ast.Call):
            called = context.pair.old.local(module, ast.unparse(node.func))
            functions = called.functions if called is not None else ()
            if len(functions) != 1 or functions[0].annotation not in _PLAIN_RESULTS:
                return False
    return True


def hands_on(routine: Routine, call: ast.Call, name: str) -> bool:
    """Whether a constructor hands one of its parameters on, by its name or place, as it is."""
    rebound = any(n.id == name and isinstance(n.ctx, ast.Store) for n in names(routine))
    given = [*call.args, *(k.value for k in call.keywords)]
    return (
        name in parameters(routine)
        and not rebound
        and any(isinstance(v, ast.Name) and v.id == name for v in given)
    )
