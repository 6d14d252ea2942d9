"""Functions of the backend that stand in for upstream ones: whether they can be called as upstream does."""

from __future__ import annotations

from dataclasses import dataclass

from syncbot.api.methods import definition as counting
from syncbot.api.methods import is_static
from syncbot.api.model import Call, Function
from syncbot.contracts.changes import ChangeKind, ParameterDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.functions_on_objects import ObjectPatchContract
from syncbot.contracts.kinds.overrides import OverrideContract
from syncbot.contracts.kinds.patches import PatchContract
from syncbot.contracts.kinds.siblings import SiblingContract, own_functions
from syncbot.contracts.model import Finding
from syncbot.contracts.overrides.became_values import A_VALUE
from syncbot.contracts.overrides.own_definitions import functions_of
from syncbot.witness.model import NotWitnessable, Program
from syncbot.witness.program_text import definition, looked_up, upstream_class, upstream_symbol
from syncbot.witness.programs.attributes import looked_up_program
from syncbot.witness.registry import maker

_ASKED = {
    *(ChangeKind.PARAMETER_ADDED, ChangeKind.PARAMETER_REQUIRED, ChangeKind.PARAMETER_REMOVED),
    *(ChangeKind.PARAMETER_RENAMED, ChangeKind.PARAMETER_PASSED, ChangeKind.SIBLING_PARAMETER_ADDED),
}
_SURELY_PASSED = (ChangeKind.PARAMETER_REQUIRED, ChangeKind.SIBLING_PARAMETER_ADDED)
_AS_METHOD = 'inspect.getattr_static(owner, "{name}").__get__(object(), owner)'
_HEAD = """\
import inspect
import pkgutil
{imports}

{definition}


owner = {owner}
theirs = inspect.signature({theirs})
ours = inspect.signature({ours})
"""
#: Upstream's signature takes it: it may be passed.
_TAKEN = """\
wide = [p for p in theirs.parameters.values() if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
if wide and len(wide) == len(theirs.parameters):
    raise RuntimeError("a decorator takes any argument: what it calls, only running it shows")
if "{name}" in theirs.parameters:
    ours.bind_partial({name}=None)
"""
#: Upstream's signature does not take it: nobody passes it.
_LOST = """\
if "{name}" not in theirs.parameters and ours.parameters["{name}"].default is inspect.Parameter.empty:
    raise TypeError("missing a required argument: '{name}'")
"""
#: The calls that stand in upstream's own text, those left out that mean another function of that name.
_PASSED = """\
module = importlib.import_module({module!r})
for node in ast.walk(ast.parse(inspect.getsource(module))):
    called = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
    if called != "{called}":
        continue
    by_place = [None for each in node.args if not isinstance(each, ast.Starred)]
    by_name = {{each.arg: None for each in node.keywords if each.arg is not None}}
    try:
        theirs.bind_partial(*by_place, **by_name)
    except TypeError:
        continue
    ours.bind_partial({arguments})
"""
#: Upstream's signature has a default for it now, and a call in its own text leaves it out.
_LEFT_OUT = """\
module = importlib.import_module({module!r})
for node in ast.walk(ast.parse(inspect.getsource(module))):
    called = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
    if called != "{called}" or any(isinstance(each, ast.Starred) for each in node.args):
        continue
    by_name = {{each.arg: None for each in node.keywords}}
    try:
        theirs.bind(*(None for each in node.args), **by_name)
        given = ours.bind_partial(*(None for each in node.args), **by_name).arguments
    except TypeError:
        continue
    if "{name}" not in given:
        raise TypeError("missing a required argument: '{name}'")
"""
_GONE = """\
import inspect
import pkgutil

owner = {owner}
if inspect.getattr_static(owner, "{name}", None) is None:
    raise AttributeError(f"{{owner.__qualname__}} has no '{name}': nothing calls ours")
"""
_VALUE = """\
import inspect
import pkgutil

owner = {owner}
if not callable(inspect.getattr_static(owner, "{name}", None)):
    raise TypeError("{name} is a value now, and no method")
"""


@dataclass(frozen=True, slots=True)
class _Replaced:
    """The upstream function by its owner, and the one of the backend that stands in for it."""

    owner: str
    module: str
    name: str
    ours: Function
    method: bool


@maker(OverrideContract)
def override_program(contract: OverrideContract, finding: Finding, pair: Comparison) -> Program:
    """A call of the override as upstream calls what it overrides."""
    own = pair.new.resolve(contract.receiver)
    ours = pair.new.member(own, contract.name) if own is not None else None
    functions = functions_of(ours, pair.new) if ours is not None else ()
    if not functions:
        raise NotWitnessable(f"{contract.receiver} cannot be followed")
    owner = upstream_class(contract.receiver, pair)
    replaced = _Replaced(looked_up(owner), owner.module, contract.name, counting(functions), True)
    return _program(replaced, finding, pair)


@maker(PatchContract)
def patch_program(contract: PatchContract, finding: Finding, pair: Comparison) -> Program:
    """The look-up of what is replaced, or a call of the replacement as upstream calls what it replaces."""
    if finding.kind is ChangeKind.PATCH_TARGET_REMOVED:
        return looked_up_program(contract.owner, contract.name, pair)
    named = pair.new.resolve(contract.replacement) if contract.replacement else None
    ours = contract.inner or (named.functions[-1] if named is not None and named.functions else None)
    if ours is None:
        raise NotWitnessable("what is put in its place cannot be followed")
    owner = upstream_symbol(contract.owner, pair)
    name = looked_up(owner) if owner.qualname else looked_up(owner.module)
    replaced = _Replaced(name, owner.module, contract.name, ours, owner.kind == "class")
    return _program(replaced, finding, pair)


@maker(ObjectPatchContract)
def object_patch_program(contract: ObjectPatchContract, finding: Finding, pair: Comparison) -> Program:
    """A call of what is put onto an object as upstream calls the method of its class."""
    owner = upstream_class(contract.receiver, pair)
    replaced = _Replaced(looked_up(owner), owner.module, contract.name, contract.ours, True)
    return _program(replaced, finding, pair)


@maker(SiblingContract)
def sibling_program(contract: SiblingContract, finding: Finding, pair: Comparison) -> Program:
    """A call of the backend's method with what the method that it follows takes."""
    functions = own_functions(contract, pair.new)
    if not functions:
        raise NotWitnessable(f"{contract.receiver} cannot be followed")
    owner = upstream_class(contract.receiver, pair)
    replaced = _Replaced(looked_up(owner), owner.module, contract.follows, counting(functions), True)
    return _program(replaced, finding, pair)


def method_program(receiver: str, details: ParameterDetails, finding: Finding, pair: Comparison) -> Program:
    """A call of the backend's method as upstream calls that of a class which it does not derive from."""
    own, owner = pair.new.resolve(receiver), pair.new.resolve(details.base)
    ours = pair.new.member(own, details.method) if own is not None else None
    if ours is None or not ours.functions or owner is None:
        raise NotWitnessable(f"{receiver} cannot be followed")
    named = _Replaced(looked_up(owner), owner.module, details.method, counting(ours.functions), True)
    return _program(named, finding, pair)


def _program(replaced: _Replaced, finding: Finding, pair: Comparison) -> Program:
    details = finding.details
    if finding.kind in (ChangeKind.METHOD_REMOVED, ChangeKind.METHOD_RENAMED):
        gone = _GONE.format(owner=replaced.owner, name=replaced.name)
        return Program(gone, ("AttributeError",), (f"'{replaced.name}'",), (replaced.module,))
    if finding.kind is ChangeKind.METHOD_KIND_CHANGED and finding.subject == A_VALUE:
        value = _VALUE.format(owner=replaced.owner, name=replaced.name)
        return Program(value, ("TypeError",), ("is a value now",), (replaced.module,))
    if finding.kind is ChangeKind.PARAMETER_DEFAULT_ADDED:
        return _left_out_program(replaced, finding, pair)
    if finding.kind not in _ASKED or not isinstance(details, ParameterDetails):
        raise NotWitnessable("the calls fit still; what the change means, only running all of it shows")
    if replaced.name == "__init__":
        raise NotWitnessable("nobody calls a constructor by the signature of a base class")
    name = details.parameter
    imports, words = "", (f"'{name}'",)
    modules: tuple[str, ...] = (replaced.module,)
    caller = _caller(finding, replaced.name, pair)
    if finding.kind is ChangeKind.PARAMETER_REMOVED:
        how = _LOST.format(name=name)
    elif caller is not None:
        by_place = "positional arguments" in finding.reason
        named = f'**{{key: None for key in by_name if key == "{name}"}}'
        how = _PASSED.format(
            module=caller, called=replaced.name, arguments="*by_place" if by_place else named
        )
        imports, modules = "import ast\nimport importlib", (replaced.module, caller)
        words = ("positional arguments",) if by_place else words
    elif finding.kind in _SURELY_PASSED or _is_passed_on(finding, replaced.name, pair):
        how = _TAKEN.format(name=name)
    else:
        raise NotWitnessable("upstream may leave it out, and no call that passes it is seen")
    return Program(_head(replaced, imports) + how, ("TypeError",), words, modules)


def _left_out_program(replaced: _Replaced, finding: Finding, pair: Comparison) -> Program:
    caller = _caller(finding, replaced.name, pair)
    if caller is None:
        raise NotWitnessable("the call that leaves it out is not one by name")
    name = finding.subject
    text = _head(replaced, "import ast\nimport importlib")
    text += _LEFT_OUT.format(module=caller, called=replaced.name, name=name)
    return Program(text, ("TypeError",), (f"'{name}'",), (replaced.module, caller))


def _head(replaced: _Replaced, imports: str) -> str:
    """Return the beginning of a program: both functions, and their signatures."""
    by_itself = is_static(replaced.ours) or not replaced.method
    text = _HEAD.format(
        imports=imports,
        definition=definition(replaced.ours.parameters, "ours"),
        owner=replaced.owner,
        theirs=_AS_METHOD.format(name=replaced.name) if replaced.method else f"owner.{replaced.name}",
        ours="ours" if by_itself else "ours.__get__(object())",
    )
    return text.replace("\n\n\n\n", "\n\n\n")


def _caller(finding: Finding, called: str, pair: Comparison) -> str | None:
    """The upstream module with the call that the finding names as passing what ours does not take."""
    for module, call in pair.new_usage.calls_under_any_name(pair.changed, called):
        if call.direct and _shown(call) in finding.reason:
            return module
    return None


def _is_passed_on(finding: Finding, called: str, pair: Comparison) -> bool:
    """Whether what passes it is no call in upstream's text: the function is handed on, or renamed there."""
    calls = pair.new_usage.calls_under_any_name(pair.changed, called)
    return any(not call.direct and _shown(call) in finding.reason for _, call in calls)


def _shown(call: Call) -> str:
    return f"({call.scope or 'module level'}, line {call.line})"
