"""Functions of the backend in the place of an upstream method that newly sets attributes: ours leaves them
out, and the other methods of the class read them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted, string
from syncbot.api.model import Function
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.doubts import put_there
from syncbot.contracts.attributes.read_first import sets_unread
from syncbot.contracts.attributes.reads import reads_in
from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.function_sources import function_node
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.patches import PatchContract, find_assignments, find_setattr
from syncbot.contracts.model import Contract, Finding, Place
from syncbot.contracts.reached_constructors import initialised, is_plain_super
from syncbot.contracts.registry import finder, judge

# What only asks something of an object that it is given.
_ASKING = {"hasattr", "getattr", "isinstance", "callable", "type", "id", "repr", "str", "len", "print"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacedSetterContract(Contract):
    """``owner.name = replacement``, of a method of an upstream class."""

    owner: str
    name: str
    replacement: str


@finder(ast.Assign)
def find_assigned(node: ast.Assign, context: Context) -> Iterator[ReplacedSetterContract]:
    """``Class.method = function``."""
    yield from _of_methods(find_assignments(node, context), context)


@finder(ast.Call, words=("setattr",))
def find_set(node: ast.Call, context: Context) -> Iterator[ReplacedSetterContract]:
    """``setattr(Class, "method", function)``."""
    yield from _of_methods(find_setattr(node, context), context)


@finder(ast.FunctionDef)
def find_grafted(node: ast.FunctionDef, context: Context) -> Iterator[ReplacedSetterContract]:
    """Methods of a class whose base puts them into an upstream class."""
    own = context.own_class()
    target = context.universe.graft(own) if own is not None else None
    if own is None or target is None or target.kind != "class" or not context.is_upstream(target.module):
        return
    yield from _of_method(target, node.name, f"{own.name}.{node.name}", context.place(node), context)


def _of_methods(patches: Iterator[PatchContract], context: Context) -> Iterator[ReplacedSetterContract]:
    for patch in patches:
        owner = context.universe.resolve(patch.owner) if patch.replacement else None
        if owner is not None and owner.kind == "class":
            yield from _of_method(owner, patch.name, patch.replacement, patch.place, context)


def _of_method(
    owner: Symbol, name: str, replacement: str, place: Place, context: Context
) -> Iterator[ReplacedSetterContract]:
    """The contract of what stands in the place of an upstream method; none where there was no method."""
    member = context.universe.member(owner, name)
    if member is not None and member.functions:
        yield ReplacedSetterContract(
            symbol=f"{owner.name}.{name}", owner=owner.name, name=name, replacement=replacement, place=place
        )


@judge(ReplacedSetterContract)
def judge_setter(contract: ReplacedSetterContract, pair: Comparison) -> Iterator[Finding]:
    """The method sets an attribute now that it did not set, and that nothing else gives the object."""
    before, after = pair.old.resolve(contract.owner), pair.now(contract.owner)
    if before is None or after is None or before.class_ is None or after.class_ is None:
        return
    setters = _setters(after, contract.name, pair)
    names = _newly_set(contract.name, before, setters, pair)
    ours = _ours(contract, pair) if names else None
    given = _given(ours, _handing_on(after, contract.name, pair)) if ours is not None else None
    if given is None or ours is None or _goes_back(ours, after, pair):
        return
    for name, setter in names.items():
        if (
            name in given
            or put_there(name, after, pair)
            or any(_else_set(c, contract, name, pair.new) for c in setters)
        ):
            continue
        known = (before.name, after.name)
        where = next((w for c in setters for w in _readers(c, known, contract.name, name, pair)), None)
        if where is not None:
            through = f" sets {name}" if setter is after else f" sets {name} by {setter.name}"
            reason = (
                f"{after.name}.{contract.name}(), which is replaced here, now{through}, and upstream "
                f"reads it ({where}): what stands in its place does not set it"
            )
            yield Finding(
                contract, ChangeKind.ATTRIBUTE_ADDED, f"{after.name}.{name}", Ground.READ_OF_SELF, reason,
                subject=name, details=MemberDetails(name=name),
            )  # fmt: skip


def _newly_set(
    method: str, before: Symbol, setters: Sequence[Symbol], pair: Comparison
) -> Mapping[str, Symbol]:
    """The attributes that no class had ``before``, each with the first of the setters that sets it."""
    known = {a.name for c in pair.old.lineage(before).classes if c.class_ for a in c.class_.attributes}
    return {name: c for c in reversed(setters) for name in _set_in(c, method) if name not in known}


def _goes_back(ours: FunctionNode, owner: Symbol, pair: Comparison) -> bool:
    """Whether a function calls a method of its object that upstream's class is not seen to have: it may be
    what stood there before, kept under another name."""
    calls = (n.func for n in every_node(ours) if isinstance(n, ast.Call))
    called = (f.attr for f in calls if isinstance(f, ast.Attribute) and dotted(f.value) == "self")
    return any(pair.new.member(owner, name) is None for name in called)


def _setters(owner: Symbol, method: str, pair: Comparison) -> list[Symbol]:
    """The classes whose method of that name runs where that of ``owner`` does: of constructors, those that
    each runs by a plain ``super()``."""
    if method != "__init__":
        return [owner]
    found = []
    for class_ in pair.new.lineage(owner).classes:
        if pair.new.tree_of(class_.module) is not pair.new_tree:
            break
        functions = [n for n in pair.new.defined(class_, method) if isinstance(n, Function)]
        if not functions:
            continue
        found.append(class_)
        node = function_node(pair.new, class_.module, functions[-1], class_.qualname)
        if node is None or not any(map(is_plain_super, initialised(node))):
            break
    return found


def _set_in(owner: Symbol, method: str) -> list[str]:
    return [a.name for a in owner.class_.attributes if a.origin == method] if owner.class_ is not None else []


def _else_set(owner: Symbol, contract: ReplacedSetterContract, name: str, universe: Universe) -> bool:
    """Whether the class gives its objects the attribute in another way as well: a value of its own, or a
    method that does not read it first."""
    node = owner.class_
    if node is None:
        return True
    given = [a for a in node.attributes if a.name == name and a.origin != contract.name]
    if any(not a.origin and a.value for a in given):
        return True
    setting = {a.origin for a in given if a.origin}
    methods = (f for f in node.functions if f.name in setting)
    bodies = [function_node(universe, owner.module, f, owner.qualname) for f in methods]
    return any(body is None or sets_unread(body.body, name) for body in bodies) or not setting <= {
        f.name for f in node.functions
    }


def _ours(contract: ReplacedSetterContract, pair: Comparison) -> FunctionNode | None:
    found = pair.new.resolve(contract.replacement)
    if found is None or not found.functions:
        return None
    owner = found.qualname.rpartition(".")[0]
    return function_node(pair.new, found.module, found.functions[-1], owner)


def _handing_on(owner: Symbol, method: str, pair: Comparison) -> frozenset[str]:
    """The names of what upstream's method hands its own object to."""
    member = pair.new.member(owner, method)
    node = None
    if member is not None and member.functions:
        node = function_node(pair.new, owner.module, member.functions[-1], owner.qualname)
    calls = [n for n in every_node(node) if isinstance(n, ast.Call)] if node is not None else []
    return frozenset(
        _called(c) for c in calls if any(isinstance(a, ast.Name) and a.id == "self" for a in c.args)
    )


def _called(call: ast.Call) -> str:
    return (dotted(call.func) or "").rpartition(".")[2]


def _given(node: FunctionNode, harmless: frozenset[str]) -> frozenset[str] | None:
    """The attributes that a function sets on its first parameter; None where what it hands that to may set
    more, such as the function that it replaces, and is not ``harmless``."""
    parameters = [*node.args.posonlyargs, *node.args.args]
    if not parameters:
        return None
    own, found = parameters[0].arg, set[str]()
    for inner in every_node(node):
        match inner:
            case ast.Attribute(value=ast.Name(id=name), attr=attr, ctx=ast.Store()) if name == own:
                found.add(attr)
            case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=name), key, _]) if name == own:
                written = string(key)
                if written is None:
                    return None
                found.add(written)
            case ast.Call(func=ast.Name(id=asking)) if asking in _ASKING:
                pass
            case ast.Call(args=args, keywords=keywords) if _called(inner) not in harmless:
                if any(_is_or_holds(a, own) for a in (*args, *(k.value for k in keywords))):
                    return None
    return frozenset(found)


def _is_or_holds(argument: ast.expr, name: str) -> bool:
    """Whether an argument is what a name stands for, or several values of which it is one."""
    match argument:
        case ast.Name(id=id):
            return id == name
        case ast.Starred(value=inner):
            return _is_or_holds(inner, name)
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return any(_is_or_holds(element, name) for element in elements)
    return False


def _readers(owner: Symbol, known: Sequence[str], method: str, name: str, pair: Comparison) -> Iterator[str]:
    """The other methods of a class, that run where the backend does, which read the attribute of self: of
    objects of the class that is ``known`` by these names, on which the backend may have put others."""
    for read in reads_in(pair.new_tree.source(owner.module) or b"", name):
        within, _, reader = read.scope.rpartition(".")
        if not read.of_self or within != owner.qualname or reader == method:
            continue
        if any(pair.shadows.gives_way(f"{class_}.{reader}") for class_ in known):
            continue
        if not pair.shadows.hide(owner.module, read.scope):
            pair.new_tree.note((owner.module,))
            yield f"{owner.module}.{read.scope}"
