"""Methods and attributes of the object that upstream's class lost, and that ours goes on to use: kept here.
Upstream dropped them because it has no use for them any more. The backend has, and they did nothing but with
what is still there: the class of ours gets the method as it was, or its constructor sets the attribute."""

from __future__ import annotations

import ast

from syncbot.api.every_node import every_node
from syncbot.api.symbols import Member, Symbol
from syncbot.contracts.changes import ChangeKind
from syncbot.impact.model import Impact, Location
from syncbot.patching.rewrites.add_method import AddMethod
from syncbot.patching.rewrites.add_statement import AddStatement
from syncbot.planning import kept_definitions
from syncbot.planning.answer_registry import Phase, place_answerer
from syncbot.planning.answers.copied_statements import rewritten_there
from syncbot.planning.function_facts import every_parameter, names, only_value, parameters
from syncbot.planning.model import Answer, Author, Name, Reply, joined
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine

_NOTHING = Answer(())


@place_answerer(Phase.KEPT, (ChangeKind.ATTRIBUTE_REMOVED,), "attribute")
def kept_here(impact: Impact, place: Location, context: PlanningContext) -> Reply:
    """The method, or the statement of upstream's constructor, in each class of ours that uses it."""
    name = impact.details.subject
    own = _class_at(place, name, context)
    found = _kept(context, place.file, own, name, impact.commit[:10], 2) if own is not None else None
    if found is None:
        return None
    if not found.rules or rewritten_there(place, context):
        return Author(f"{name} cannot be kept: what it uses is no longer there, or upstream changed it")
    return found


def _kept(
    context: PlanningContext, path: str, own: Symbol, name: str, since: str, depth: int
) -> Answer | None:
    """Return the rewrites that keep a lost member, without rules if that fails; None for other names."""
    before = context.pair.old.resolve(own.name)
    member = context.pair.old.member(before, name) if before is not None else None
    if member is None or context.pair.new.member(own, name) is not None:
        return None
    if not member.functions:
        return _attribute(context, path, own, member)
    return _method(context, path, own, member, since, depth)


def _class_at(place: Location, name: str, context: PlanningContext) -> Symbol | None:
    """The class of ours whose own object, ``self`` or ``cls``, an attribute is read of."""
    for node in context.nodes(place.file):
        if isinstance(node, ast.Attribute) and node.attr == name and node.lineno == place.line:
            plain = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            at_place = node.col_offset + 1 == place.column
            if plain and at_place and isinstance(node.ctx, ast.Load):
                return context.own_class(place.file, node)
    return None


def _method(
    context: PlanningContext, path: str, own: Symbol, member: Member, since: str, depth: int
) -> Answer:
    if len(member.nodes) != 1 or member.functions[0].guards or member.functions[0].is_async:
        return _NOTHING
    node = context.upstream_node(context.pair.old, member.owner.module, member.functions[0])
    if node is None or member.owner.module.partition(".")[0] == own.module.partition(".")[0]:
        return _NOTHING
    static = any(ast.unparse(d) == "staticmethod" for d in node.decorator_list)
    given = every_parameter(node)
    receiver = parameters(node)[0] if parameters(node) and not static else ""
    along: list[Answer] = []
    for attribute in sorted(kept_definitions.attributes_of(node, receiver)) if receiver and depth else ():
        too = _kept(context, path, own, attribute, since, depth - 1)
        if too is not None and too.rules:
            given.append(f"{receiver}.{attribute}")
            along.append(too)
    imports = kept_definitions.imports_of(
        context, member.owner.module, kept_definitions.body_of(node), own, receiver, given
    )
    code = kept_definitions.function_text(node, imports, member.name, since) if imports is not None else None
    if code is None:
        return _NOTHING
    return joined([*along, Answer((AddMethod(file=path, within=own.qualname, code=code),))])


def _attribute(context: PlanningContext, path: str, own: Symbol, member: Member) -> Answer:
    """The attribute set in our constructor behind the call of upstream's, as that one set it."""
    syntax = context.syntax(path)
    theirs = context.method(member.owner.name, "__init__", new=False)
    ours = next((n for n in every_node(syntax.tree) if isinstance(n, Routine) and n.name == "__init__"
                 and syntax.within(n) == own.qualname), None) if syntax is not None else None  # fmt: skip
    if syntax is None or ours is None or theirs is None or theirs.owner is None:
        return _NOTHING
    if theirs.owner.name != member.owner.name:
        return _NOTHING
    plain = len(member.nodes) == 1 and not member.attributes[0].guards
    value = only_value(theirs.node, member.name) if plain else None
    calls = [n for n in every_node(ours) if isinstance(n, ast.Call)]
    calls = [call for call in calls if ast.unparse(call.func) == "super().__init__"]
    if value is None or len(calls) != 1 or _set_elsewhere(context, member):
        return _NOTHING
    statement = next((s for s in ours.body if any(n is calls[0] for n in every_node(s))), None)
    if not isinstance(statement, ast.Expr | ast.With) or _read_by(context, own, member.name):
        return _NOTHING
    first = parameters(theirs.node)[0]
    mine = parameters(ours)[0] if parameters(ours) else ""
    used = {n.id for n in names(value)} & {*parameters(theirs.node)} - {first}
    later = context.overridden(own, "__init__", new=True)
    still = parameters(later.node) if later is not None else []
    # What upstream's constructor does not take any more, ours is not handed much longer.
    given = [name for name in used if name in still and kept_definitions.hands_on(ours, calls[0], name)]
    imports = kept_definitions.imports_of(context, theirs.module, value, own, first, given)
    if imports is None or len(given) < len(used) or mine != first:
        return _NOTHING
    if not kept_definitions.makes_a_value(context, theirs.module, value):
        return _NOTHING
    lines = [*imports, f"{mine}.{member.name} = {ast.unparse(value)}"]
    within = f"{own.qualname}.__init__"
    rule = AddStatement(
        file=path, within=within, code="\n".join(lines), position="after", anchor=syntax.source(statement)
    )
    return Answer((rule,), tuple(Name(path, within, name) for name in given))


def _set_elsewhere(context: PlanningContext, member: Member) -> bool:
    """Whether anything of the old upstream sets an attribute of that name on anything but its own object, or
    the class itself sets it again."""
    tree = context.pair.old_tree
    name = member.name
    for module in tree.mentioning(tree.modules, f".{name}"):
        syntax = context.upstream_tree(context.pair.old, module)
        for node in every_node(syntax) if syntax is not None else ():
            if isinstance(node, ast.Attribute) and node.attr == name and not isinstance(node.ctx, ast.Load):
                own = isinstance(node.value, ast.Name) and node.value.id == "self"
                if not own or (module == member.owner.module and _owner_sets_again(syntax, node, member)):
                    return True
    return False


def _owner_sets_again(syntax: ast.AST | None, node: ast.Attribute, member: Member) -> bool:
    for owner in every_node(syntax) if syntax is not None else ():
        if isinstance(owner, ast.ClassDef) and owner.name == member.owner.qualname:
            found = [n for n in every_node(owner) if isinstance(n, ast.Attribute) and n.attr == member.name
                     and not isinstance(n.ctx, ast.Load)]  # fmt: skip
            return node in found and len(found) > 1
    return False


def _read_by(context: PlanningContext, own: Symbol, name: str) -> bool:
    """Whether upstream's constructor now calls a method of ours that reads the attribute: too early."""
    classes = (n for n in context.nodes(context.path(own.module) or "") if isinstance(n, ast.ClassDef))
    body = next((n for n in classes if n.name == own.qualname), None)
    upstream = context.overridden(own, "__init__", new=True)
    if body is None or upstream is None:
        return True
    called = {n.func.attr for n in every_node(upstream.node)
              if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)}  # fmt: skip
    return any(
        isinstance(method, Routine) and method.name in called
        and any(isinstance(n, ast.Attribute) and n.attr == name for n in every_node(method))
        for method in body.body
    )  # fmt: skip
