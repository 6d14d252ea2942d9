"""Monkey-patches: assignments onto upstream modules and classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import FunctionNode, dotted, expression, string
from syncbot.api.extract import function_in
from syncbot.api.model import Attribute, Function
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.calls.made_functions import called_object, made_function
from syncbot.contracts.changes import ChangeKind, NameDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.guards import tests_for
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.values import Scope, Value
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.new_homes import met_at_home
from syncbot.contracts.overrides.former_fit import fitted_before
from syncbot.contracts.overrides.lacking_methods import is_called_outside, newly_called
from syncbot.contracts.overrides.replaced_bindings import replaced_binding
from syncbot.contracts.overrides.replacement_fit import compare_replacement
from syncbot.contracts.overrides.replacements_that_call import calls_by_itself
from syncbot.contracts.registry import finder, judge
from syncbot.contracts.spelled_names import is_there


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchContract(Contract):
    """``owner.name = replacement`` (empty if none of the backend); a function that no name leads to, such as
    one inside another, is ``inner``; one that a function of the backend makes of ``wrapped`` has no name
    either; ``launched`` is what an object gives that is subscripted first, as kernels are; ``guarded``: only
    if it exists; ``only_fit``: whether it does, others say."""

    owner: str
    name: str
    replacement: str = ""
    inner: Function | None = None
    wrapped: str = ""
    maker: str = ""
    launched: str = ""
    guarded: bool = False
    only_fit: bool = False


@finder(ast.Assign)
def find_assignments(node: ast.Assign, context: Context) -> Iterator[PatchContract]:
    """``module.name = …`` and ``Class.name = …``."""
    for target in node.targets:
        match target, node.value:
            case ast.Attribute(value=owner, attr=name), value:
                yield from patched(owner, name, value, node, context)
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for part, value in zip(targets, values, strict=True):
                    if isinstance(part, ast.Attribute):
                        yield from patched(part.value, part.attr, value, node, context)


@finder(ast.AnnAssign)
def find_annotated(node: ast.AnnAssign, context: Context) -> Iterator[PatchContract]:
    """The same with an annotation."""
    if isinstance(node.target, ast.Attribute) and node.value is not None:
        yield from patched(node.target.value, node.target.attr, node.value, node, context)


@finder(ast.Call, words=("setattr",))
def find_setattr(node: ast.Call, context: Context) -> Iterator[PatchContract]:
    """``setattr(owner, "name", replacement)``."""
    match node:
        case ast.Call(func=ast.Name(id="setattr"), args=[owner, name, value]):
            written = string(name) or _text(name, context)
            if written:
                yield from patched(owner, written, value, node, context)


def _text(name: ast.expr, context: Context) -> str | None:
    """The text that a variable of a module is."""
    found = context.universe.local(context.file.module, dotted(name) or "") if dotted(name) else None
    match found.nodes if found is not None and context.function is None else ():
        case [Attribute(value=str(value), guards=())]:
            return string(expression(value))
    return None


def patched(
    owner: ast.expr,
    name: str,
    value: ast.expr,
    node: ast.stmt | ast.expr,
    context: Context,
    function: FunctionNode | None = None,
    *,
    only_fit: bool = False,
) -> Iterator[PatchContract]:
    """Yield what ``owner.name = value`` at a node replaces, if that is upstream's: by the one ``function``
    where this is known."""
    base = _owner(owner, context)
    if base is None or not context.is_upstream(base.module):
        return
    replacement = context.infer(value)
    named = replacement is not None and not replacement.instance
    several = function is not None and replacement is not None and len(replacement.symbol.nodes) > 1
    yield PatchContract(
        symbol=f"{base.name}.{name}",
        owner=base.name,
        name=name,
        replacement=replacement.symbol.name if replacement is not None and named and not several else "",
        inner=_made(value, replacement, function, context) if several or not named else None,
        wrapped=_wrapped(value, context),
        maker=_maker(value, context),
        launched=_launched(replacement, value, context) if replacement is not None else "",
        guarded=tests_for(context.guards, name),
        only_fit=only_fit,
        place=context.place(node),
    )


def _owner(node: ast.expr, context: Context) -> Symbol | None:
    """The module or class that an expression is."""
    base = context.infer(node)
    known = base is not None and not base.instance and base.symbol.kind in ("module", "class")
    return base.symbol if base is not None and known else None


def _made(
    value: ast.expr, replacement: Value | None, function: FunctionNode | None, context: Context
) -> Function | None:
    """The function that an expression makes, or that is called where its object is."""
    if function is not None:
        return function_in(function, b"")
    if replacement is not None and replacement.symbol.kind == "class":
        own = _is_own(replacement.symbol, context)
        return called_object(replacement.symbol, context.universe) if own else None
    return made_function(value, context)


def _wrapped(value: ast.expr, context: Context) -> str:
    """The backend's function that ``value`` makes another one of: ``wrap(function)``."""
    match value:
        case ast.Call(func=maker, args=[ast.Name() | ast.Attribute() as function], keywords=[]):
            named = [context.infer(part) for part in (maker, function)]
            known = [v.symbol for v in named if v is not None and not v.instance]
            if len(known) == 2 and all(s.kind == "function" and _is_own(s, context) for s in known):
                return known[1].name
    return ""


def _maker(value: ast.expr, context: Context) -> str:
    """The backend's function whose result ``value`` is."""
    called = context.infer(value.func) if isinstance(value, ast.Call) else None
    known = called is not None and not called.instance and called.symbol.kind == "function"
    return called.symbol.name if called is not None and known and _is_own(called.symbol, context) else ""


def _launched(object_: Value, value: ast.expr, context: Context) -> str:
    """The function that an object was made of, ``Launched(function)``, and gives where it is subscripted."""
    written = dotted(value) if object_.instance and _is_own(object_.symbol, context) else None
    gives = context.universe.member(object_.symbol, "__getitem__") if written is not None else None
    if written is None or gives is None or not any(f.result.startswith("self.") for f in gives.functions):
        return ""
    found = context.universe.local(context.file.module, written)
    last = found.nodes[-1] if found is not None and found.nodes else None
    made = expression(last.value or "") if isinstance(last, Attribute) else None
    match made:
        case ast.Call(args=[ast.Name(id=function)], keywords=[]) if found is not None:
            known = context.universe.local(found.module, function)
            return known.name if known is not None and known.kind == "function" else ""
    return ""


def _is_own(symbol: Symbol, context: Context) -> bool:
    return context.universe.tree_of(symbol.module) is context.universe.tree_of(context.file.module)


@judge(PatchContract)
def judge_patch(contract: PatchContract, pair: Comparison) -> Iterator[Finding]:
    """The patched name is gone or only an alias now; or the replacement no longer fits."""
    old_owner, new_owner = pair.old.resolve(contract.owner), pair.now(contract.owner)
    if old_owner is None or new_owner is None:
        return
    before = pair.old.attribute(old_owner, contract.name)
    after = pair.new.attribute(new_owner, contract.name)
    if before is None or not is_there(pair.old, before):
        return
    if after is None or pair.vanished(after):
        if not contract.only_fit and not _an_object_has_it(contract, old_owner, new_owner, pair):
            yield from _of_lost(contract, before, old_owner, new_owner, pair)
        return
    at_home = before.module == contract.owner and after.module != new_owner.module
    if old_owner.kind == "module" and at_home and not contract.only_fit:
        yield _moved(contract, after, pair)
        return
    if before.kind == after.kind == "class":
        yield from _as_class(contract, before, after, pair)
    home = new_owner if new_owner.kind == "class" else Symbol("module", after.module, "")
    yield from _as_function(contract, before, after, home, new_owner, pair)


def _moved(contract: PatchContract, after: Symbol, pair: Comparison) -> Finding:
    """The patched name is only an alias now."""
    reason = (
        f"{contract.symbol} is now only imported there; {after.name} is the definition, "
        "so patching this name does not reach those who import it from its new home"
    )
    moved = Finding(
        contract, ChangeKind.PATCH_TARGET_MOVED, contract.symbol, Ground.PATCHED_ALIAS, reason,
        details=NameDetails(old=contract.symbol, new=after.name),
    )  # fmt: skip
    stood = pair.old.resolve(after.name)
    if stood is not None and stood.name == after.name:
        aside = "; but they had the one there before as well"
    elif not met_at_home(after, contract.owner, pair.new_tree):
        aside = "; but nobody upstream is seen to take it from there"
    else:
        return moved
    return moved.doubted(Ground.DOUBTED, aside)


def _as_function(
    contract: PatchContract,
    before: Symbol,
    after: Symbol,
    home: Symbol,
    new_owner: Symbol,
    pair: Comparison,
) -> Iterator[Finding]:
    """A function of the backend in the place of upstream's."""
    ours = contract.inner or _function(pair.new, contract.replacement or contract.launched)
    if ours is None or not before.functions or not after.functions:
        return
    old, new = before.functions[-1], after.functions[-1]
    if contract.inner is None or fitted_before(ours, old, home):
        binding = replaced_binding(new_owner, after)
        yield from compare_replacement(contract, ours, old, new, after.name, home, pair, binding=binding)


def _an_object_has_it(contract: PatchContract, old: Symbol, new: Symbol, pair: Comparison) -> bool:
    """Whether the name of a class stands for an object now, of a class that has what is patched."""
    written = expression(new.qualname) if old.kind == "class" and new.kind == "variable" else None
    made = pair.in_new.infer(written, Scope(new.module)) if written is not None else None
    if made is None or not made.instance:
        return False
    return pair.new.member(made.symbol, contract.name) is not None


def _of_lost(
    contract: PatchContract, before: Symbol, old_owner: Symbol, new_owner: Symbol, pair: Comparison
) -> Iterator[Finding]:
    """The patched name is gone: nobody reads what is put there, but what Python itself calls of any class."""
    classes = old_owner.kind == new_owner.kind == "class"
    if classes and contract.name.startswith("__") and contract.name.endswith("__"):
        return
    gone = _without_effect(contract, before, pair)
    if classes and calls_by_itself(contract.owner, contract.name, new_owner, pair):
        gone = gone.doubted(Ground.DOUBTED, "; but the project itself calls what it puts there")
    unseen = pair.unseen_base(old_owner, new_owner, contract.name) if classes else None
    why = f", unless it comes from {unseen}, a base that cannot be followed"
    yield gone.doubted(Ground.UNSEEN_BASE, why) if unseen is not None else gone


def _as_class(contract: PatchContract, before: Symbol, after: Symbol, pair: Comparison) -> Iterator[Finding]:
    """A class of the backend in the place of upstream's: whoever made and called this one meets it. Of one
    that derives from upstream's, the overrides tell."""
    ours = pair.new.resolve(contract.replacement) if contract.replacement else None
    if ours is None or ours.class_ is None or before.class_ is None or after.class_ is None:
        return
    if after.name in {c.name for c in pair.new.lineage(ours).classes}:
        return
    theirs = {f.name: f for f in after.class_.functions}
    earlier = {f.name: f for f in before.class_.functions}
    for function in ours.class_.functions:
        inside = function.name.startswith("_") and not function.name.startswith("__")
        if inside and not is_called_outside(function.name, pair):
            continue
        if function.name in theirs and function.name in earlier:
            old, new = earlier[function.name], theirs[function.name]
            name = f"{after.name}.{function.name}"
            yield from compare_replacement(contract, function, old, new, name, after, pair)
    # What stands in for it in a test needs no more than the test asks for.
    if contract.place.module not in pair.tests:
        yield from newly_called(contract, ours, before, after, pair)


def _without_effect(contract: PatchContract, before: Symbol, pair: Comparison) -> Finding:
    moved = pair.relocation(contract.symbol) if before.qualname.count(".") == 0 else None
    reason = f"{contract.symbol} no longer exists, so this patch has no effect"
    if moved is not None:
        reason += f"; {contract.name} is now {moved.name}"
    if contract.guarded:
        reason += " (and the test for its presence hides that)"
    return Finding(
        contract, ChangeKind.PATCH_TARGET_REMOVED, contract.symbol, Ground.REGISTRATION_GONE, reason,
        subject=contract.name,
        details=NameDetails(old=contract.symbol, new=moved.name if moved is not None else None),
    )  # fmt: skip


def _function(universe: Universe, name: str) -> Function | None:
    found = universe.resolve(name) if name else None
    return found.functions[-1] if found is not None and found.functions else None
