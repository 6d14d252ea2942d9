"""Attributes of modules, classes and objects."""

from __future__ import annotations

from syncbot.api.symbols import Symbol
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.answered_attributes import AnsweredAttributeContract
from syncbot.contracts.kinds.attributes import AttributeContract
from syncbot.contracts.kinds.own_attributes import OwnAttributesContract
from syncbot.contracts.kinds.set_attributes import SetAttributeContract
from syncbot.contracts.model import Finding
from syncbot.witness.model import NotWitnessable, Program
from syncbot.witness.program_text import SETTERS, looked_up, upstream_class, upstream_symbol
from syncbot.witness.registry import maker

_GONE = {
    *(ChangeKind.ATTRIBUTE_REMOVED, ChangeKind.ATTRIBUTE_RENAMED, ChangeKind.SYMBOL_MOVED),
    *(ChangeKind.SYMBOL_REMOVED, ChangeKind.SYMBOL_RENAMED),
    *(ChangeKind.MODULE_MOVED, ChangeKind.MODULE_REMOVED),
}

_OF_OBJECT = '''\
import pkgutil
{setters}
kind = {kind}


def gives(base: type) -> bool:
    """Whether a class has the attribute, declares it, or sets it on its objects."""
    own = vars(base)
    declared = (own, getattr(base, "__annotations__", ()), own.get("__slots__", ()))
    field = own.get("__dataclass_fields__", {{}}).get(NAME)
    given_only = getattr(getattr(field, "_field_type", None), "name", "") == "_FIELD_INITVAR"
    if any(NAME in known for known in declared) and not given_only:
        return True
    return any(sets(code) for member in own.values() for code in functions(member))


upstream = [base for base in kind.__mro__ if base.__module__.partition(".")[0] == "{package}"]
if not hasattr(kind, NAME) and not any(map(gives, upstream)):
    raise AttributeError(f"nothing gives objects of {{kind.__qualname__}} the attribute '{{NAME}}'")
'''

_ANSWERED = """\
import pkgutil

kind = {kind}
if not hasattr(kind, "__getattr__"):
    raise AttributeError(f"objects of {{kind.__qualname__}} no longer answer for '{name}'")
"""

_READ_ONLY = """\
import pkgutil

class Mine({kind}): ...


object.__setattr__(object.__new__(Mine), "{name}", None)
"""


@maker(AttributeContract)
def attribute_program(contract: AttributeContract, finding: Finding, pair: Comparison) -> Program:
    """The look-up of the attribute; of an object, whether anything gives it one."""
    if contract.instance and finding.kind in (*_GONE, ChangeKind.NAME_VANISHED):
        owner = upstream_class(contract.receiver, pair)
        if pair.vanished(pair.new.resolve(owner.name)):
            return _owner_program(owner, pair)
    if finding.kind not in _GONE:
        raise NotWitnessable("the attribute is there still; what it means changed")
    if contract.instance:
        owner = upstream_class(contract.receiver, pair)
        package = owner.module.partition(".")[0]
        setters = SETTERS.format(name=contract.name)
        text = _OF_OBJECT.format(setters=setters, kind=looked_up(owner), package=package)
        return Program(text, ("AttributeError",), (f"'{contract.name}'",), (owner.module,))
    return looked_up_program(contract.receiver, contract.name, pair)


@maker(AnsweredAttributeContract)
def answered_program(contract: AnsweredAttributeContract, finding: Finding, pair: Comparison) -> Program:
    """The look-up of what answered for the attribute."""
    owner = upstream_class(contract.receiver, pair)
    text = _ANSWERED.format(kind=looked_up(owner), name=contract.name)
    return Program(text, ("AttributeError",), (f"'{contract.name}'",), (owner.module,))


def _owner_program(owner: Symbol, pair: Comparison) -> Program:
    """The look-up of a class that is gone, with all that its objects had."""
    text = f"import pkgutil\n\n{looked_up(owner)}\n"
    words = (f"'{owner.qualname}'",) if pair.new_tree.exists(owner.module) else ()
    return Program(text, ("AttributeError", "ImportError"), words, (owner.module,))


def looked_up_program(owner: str, name: str, pair: Comparison) -> Program:
    """The look-up of a name in an upstream module or class. Raises NotWitnessable."""
    found = upstream_symbol(owner, pair)
    path = f"{found.qualname}.{name}" if found.qualname else name
    text = f"import pkgutil\n\n{looked_up(f'{found.module}:{path}')}\n"
    parts = owner.split(".")
    # A submodule is an attribute once it was imported; a part of the path may be what is gone.
    words = () if pair.new.resolve(owner) is None else (f"'{name}'",)
    return Program(text, ("AttributeError", "ImportError"), words, (found.module, ".".join([*parts, name])))


@maker(SetAttributeContract)
def set_attribute_program(contract: SetAttributeContract, finding: Finding, pair: Comparison) -> Program:
    """Setting it on an object of a subclass; no constructor runs."""
    if finding.kind is not ChangeKind.ATTRIBUTE_READ_ONLY:
        raise NotWitnessable("setting it works still; nobody may read it")
    owner = upstream_class(contract.receiver, pair)
    text = _READ_ONLY.format(kind=looked_up(owner), name=contract.name)
    return Program(text, ("AttributeError",), (f"'{contract.name}'",), (owner.module,))


@maker(OwnAttributesContract)
def own_attribute_program(contract: OwnAttributesContract, finding: Finding, pair: Comparison) -> Program:
    """The same for a name that upstream's class did not set itself."""
    owner = upstream_class(contract.receiver, pair)
    text = _READ_ONLY.format(kind=looked_up(owner), name=finding.subject)
    return Program(text, ("AttributeError",), (f"'{finding.subject}'",), (owner.module,))
