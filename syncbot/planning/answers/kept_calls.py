"""Methods that upstream's objects lost, and that ours calls: a function of our file does what the method did.
The method only uses what such an object still has, and no class that is still there did anything else."""

from __future__ import annotations

import ast

from syncbot.api.symbols import Member, Symbol
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.kinds.attributes import AttributeContract
from syncbot.impact.model import Impact, Location
from syncbot.patching.rewrites.add_method import AddMethod
from syncbot.patching.rewrites.replace_statement import ReplaceStatement
from syncbot.planning import kept_definitions
from syncbot.planning.answer_registry import Phase, place_answerer
from syncbot.planning.function_facts import every_parameter, parameters, says
from syncbot.planning.model import Answer, Reply
from syncbot.planning.planning_context import PlanningContext


@place_answerer(Phase.KEPT, (ChangeKind.ATTRIBUTE_REMOVED,), "attribute")
def kept_in_function(impact: Impact, place: Location, context: PlanningContext) -> Reply:
    """The method as a function that gets the object, where each place calls it."""
    name, since = impact.details.subject, impact.commit[:10]
    syntax, node = context.syntax(place.file), context.attribute_at(place, name)
    contract = next((c for c in context.contracts_at(place, AttributeContract) if c.name == name), None)
    call = syntax.parents.get(node) if syntax is not None and node is not None else None
    if syntax is None or node is None or contract is None or not isinstance(call, ast.Call):
        return None
    given = _given(node, place, context)
    holder = _holder(node, place, contract, context)
    if call.func is not node or given is None or holder is None:
        return None
    local = f"_{name.lstrip('_')}"
    code = _function(holder, name, local, contract.skip, since, context)
    statement = next(n for n in syntax.around(call) if isinstance(n, ast.stmt))
    within = syntax.within(statement)
    if code is None or within is None or hasattr(statement, "body") or says(syntax.tree, local):
        return None
    text = syntax.source(statement)
    called = ast.Call(ast.Name(local), [given, *call.args], call.keywords)
    after = ast.unparse(_Instead(ast.dump(call), called).visit(ast.parse(text)))
    statement_now = ReplaceStatement(file=place.file, within=within, before=text, after=after)
    return Answer((statement_now, AddMethod(file=place.file, code=code)))


def _given(node: ast.Attribute, place: Location, context: PlanningContext) -> ast.expr | None:
    """Return the object to pass to the function; None for ``self``, whose class keeps the method."""
    if ast.unparse(node.value) == "super()":
        syntax = context.syntax(place.file)
        around = syntax.definitions(node) if syntax is not None else []
        own = around[-1] if around else None
        first = parameters(own)[:1] if isinstance(own, ast.FunctionDef) else []
        return ast.Name(first[0]) if first else None
    return None if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls") else node.value


def _holder(
    node: ast.Attribute, place: Location, contract: AttributeContract, context: PlanningContext
) -> Symbol | None:
    """The class of the object as the new upstream has it."""
    if contract.skip:
        return context.own_class(place.file, node)
    return context.pair.now(contract.receiver) if contract.instance else None


def _function(
    holder: Symbol, name: str, local: str, skip: int, since: str, context: PlanningContext
) -> str | None:
    """The method as a function; None where it cannot be kept."""
    before = context.pair.old.resolve(holder.name)
    member = context.pair.old.member(before, name, skip) if before is not None else None
    if before is None or member is None or len(member.nodes) != 1 or not member.functions:
        return None
    function = member.functions[0]
    plain = not (function.guards or function.decorators or function.is_async or function.unimplemented)
    own = member.owner.module.partition(".")[0] not in context.trees.packages
    node = context.upstream_node(context.pair.old, member.owner.module, function)
    if node is None or not plain or own or (not skip and _overridden(before, member, context)):
        return None
    receiver, body = parameters(node)[0], kept_definitions.body_of(node)
    imports = kept_definitions.imports_of(
        context, member.owner.module, body, holder, receiver, every_parameter(node)[1:]
    )
    return kept_definitions.function_text(node, imports, local, since) if imports is not None else None


def _overridden(receiver: Symbol, member: Member, context: PlanningContext) -> bool:
    """Whether a class that the new upstream has too did something else in the method."""
    pair = context.pair
    for module in pair.old_tree.mentioning(pair.old_tree.modules, f"def {member.name}"):
        table = pair.old_tree.table(module)
        for class_ in table.classes if table is not None else ():
            found = pair.old.local(module, class_.name)
            if found is None or all(f.name != member.name for f in class_.functions):
                continue
            above = {c.name for c in pair.old.lineage(found).classes[1:]}
            if receiver.name in above and pair.now(found.name) is not None:
                return True
    return False


class _Instead(ast.NodeTransformer):
    """One call in the place of another."""

    def __init__(self, before: str, after: ast.Call) -> None:
        self._before, self._after = before, after

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """The other call, where it is this one."""
        return self._after if ast.dump(node) == self._before else self.generic_visit(node)
