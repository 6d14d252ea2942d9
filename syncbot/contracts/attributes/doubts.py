"""Doubts whether an attribute is gone that its class is not seen to have any more."""

from __future__ import annotations

import ast
import re
from typing import Protocol

from syncbot.api.model import Attribute, Function
from syncbot.api.symbols import Member, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.lazy_values import is_set_lazily
from syncbot.contracts.attributes.left_paths import is_set_where_left
from syncbot.contracts.attributes.set_by_makers import maker_setting
from syncbot.contracts.attributes.set_elsewhere import own_setter
from syncbot.contracts.attributes.set_from_outside import outside_setter
from syncbot.contracts.calls.kept_keywords import keeps_the_rest
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.derived_classes import derived_from
from syncbot.contracts.function_sources import function_node
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Place

_ANSWERING = ("__getattr__", "__getattribute__")


def answering_class(name: str, old: Symbol, new: Symbol, pair: Comparison) -> Symbol | None:
    """The class whose ``__getattr__`` may answer for an attribute that is gone: one that is new, or says
    something else than it did, or whose module has the name as a text as it did not before."""
    for method in _ANSWERING:
        after = pair.new.member(new, method)
        if after is None or not after.functions:
            continue
        before = pair.old.member(old, method)
        changed = before is None or _text(before, pair.old) != _text(after, pair.new)
        if changed or (_quotes(after, name, pair.new) and not (before and _quotes(before, name, pair.old))):
            return after.owner
    return None


def _text(member: Member, universe: Universe) -> str:
    found = [function_node(universe, member.owner.module, f, member.owner.qualname) for f in member.functions]
    return "\n".join(ast.unparse(node) for node in found if node is not None)


def _quotes(member: Member, name: str, universe: Universe) -> bool:
    """Whether the module of a method has a name as a text, such as in a table of names of old."""
    source = universe.source(member.owner.module) or b""
    return f'"{name}"'.encode() in source or f"'{name}'".encode() in source


class UsedAttribute(Protocol):
    """The words of a contract on an attribute that the backend uses."""

    @property
    def name(self) -> str:
        """The attribute."""
        ...

    @property
    def use(self) -> str:
        """``read``, ``write``, ``call`` or ``mock``."""
        ...

    @property
    def skip(self) -> int:
        """How many classes ``super()`` passes over."""
        ...

    @property
    def place(self) -> Place:
        """Where it is used."""
        ...


def put_there(name: str, owner: Symbol, pair: Comparison, skip: int = 0) -> bool:
    """Whether the backend itself assigns a member onto the class or one that it derives from; ``skip`` so
    many classes."""
    classes = pair.new.lineage(owner).classes[skip:]
    return any(pair.shadows.takes_the_name(f"{c.name}.{name}") is not None for c in classes) or any(
        _is_grafted(name, c, pair) for c in classes
    )


def put_by_another(name: str, class_: Symbol, module: str, pair: Comparison) -> str | None:
    """A module of the backend other than ``module``, no test, that assigns onto a member of a class, or of a
    base of it, under no condition."""
    kin = {c.name for c in pair.new.lineage(class_).classes} if class_.kind == "class" else set[str]()
    assigning = pair.own_tree.mentioning(pair.own_tree.modules, f".{name} = ") if kin else []
    for other in (m for m in assigning if m != module and m not in pair.tests):
        table = pair.own_tree.table(other)
        for item in table.given if table is not None else ():
            owner, _, last = item.name.rpartition(".")
            found = pair.new.local(other, owner) if last == name and not item.guards else None
            if found is not None and found.name in kin:
                return other
    return None


def _is_grafted(name: str, owner: Symbol, pair: Comparison) -> bool:
    """Whether a class of the backend defines a member that its base puts into an upstream class."""
    written = f"{owner.qualname.rpartition('.')[2]}]"
    for module in pair.own_tree.mentioning(pair.own_tree.modules, written):
        table = pair.own_tree.table(module)
        for class_ in table.classes if table is not None else ():
            own = pair.new.local(module, class_.name) if any(written in b for b in class_.bases) else None
            target = pair.new.graft(own) if own is not None else None
            if own is not None and target is not None and target.name == owner.name:
                pair.own_tree.note((module,))
                nodes = pair.new.defined(own, name)
                # What a method sets on its object is only there once that has run.
                if any(isinstance(n, Function) or (isinstance(n, Attribute) and not n.origin) for n in nodes):
                    return True
    return False


def doubt(contract: UsedAttribute, old: Symbol, new: Symbol, pair: Comparison) -> tuple[Ground, str] | None:
    """Why an object may have a member all the same that its class is not seen to have any more."""
    if (below := in_subclasses(contract.name, new, pair)) is not None:
        return below
    if _is_of_subclasses(contract.name, old, pair):
        return Ground.IN_SUBCLASSES, ", but upstream set it only on objects that have it: classes below do"
    if _was_a_keyword(contract.name, old, pair) and keeps_the_rest(pair.new, new):
        return Ground.DOUBTED, ", unless the constructor is given it: it keeps what it does not know"
    hidden = unseen(contract, old, new, pair)
    if hidden is not None:
        return hidden
    if contract.use == "write":
        return None
    if (answering := answering_class(contract.name, old, new, pair)) is not None:
        return Ground.DOUBTED, f", unless __getattr__ of {answering.name} answers for it"
    if is_set_on_self(contract.name, contract.place, new, pair):
        return Ground.SET_HERE, ", but the code here sets it on self as well"
    if (method := own_setter(contract.name, new, pair)) is not None:
        return Ground.SET_HERE, f", but {method} of the project sets it on such an object"
    if (maker := maker_setting(contract.name, new, contract.place.module, pair)) is not None:
        return Ground.SET_HERE, f", but {maker}() sets it on what it returns"
    function = outside_setter(contract.name, new, pair)
    return None if function is None else (Ground.DOUBTED, f", unless {function} sets it from outside")


def is_sure_to_lack(name: str, old: Symbol, new: Symbol, pair: Comparison) -> bool:
    """Whether objects of the new class lack what those of the old one were given by upstream: no base of
    another package that the old one does not have may give it, and nobody answers for it or sets it."""
    if any(pair.new.member(new, each) is not None for each in (name, "__getattr__")):
        return False
    return pair.unseen_base(old, new, name) is None and outside_setter(name, new, pair) is None


def in_subclasses(name: str, class_: Symbol, pair: Comparison) -> tuple[Ground, str] | None:
    """The classes that derive from one, as a doubt: each of them has the member."""
    if _all_subclasses_have(name, class_, pair):
        return Ground.IN_SUBCLASSES, ", but each class that derives from that one upstream has it"
    if _own_subclasses_have(name, class_, pair):
        return Ground.IN_SUBCLASSES, ", but each class that derives from that one here has it"
    return None


def unseen(contract: UsedAttribute, old: Symbol, new: Symbol, pair: Comparison) -> tuple[Ground, str] | None:
    """The base that may give the member unseen, as a doubt."""
    base = pair.unseen_base(old, new, contract.name)
    why = f", unless it comes from {base}, a base that cannot be followed"
    return (Ground.UNSEEN_BASE, why) if base is not None else None


def _was_a_keyword(name: str, old: Symbol, pair: Comparison) -> bool:
    """Whether the value was one of the keywords that a constructor takes out by name."""
    member = pair.old.member(old, name)
    taken = re.compile(rf"\w+\.(pop|get)\(['\"]{re.escape(name)}['\"]")
    values = [a.value or "" for a in member.attributes] if member is not None else []
    return any(map(taken.match, values))


def _is_of_subclasses(name: str, old: Symbol, pair: Comparison) -> bool:
    """Whether the class did no more than set anew what ``hasattr`` found on its object."""
    member = pair.old.member(old, name)
    found = re.compile(rf"if hasattr\(self, ['\"]{re.escape(name)}['\"]\)( and .*)?")
    return (
        member is not None
        and len(member.attributes) == len(member.nodes)
        and all(any(map(found.fullmatch, attribute.guards)) for attribute in member.attributes)
    )


def _all_subclasses_have(name: str, owner: Symbol, pair: Comparison) -> bool:
    """Whether upstream derives at least two classes from one of its own, and each of them has the member."""
    if pair.new.tree_of(owner.module) is not pair.new_tree:
        return False
    derived = derived_from(owner, pair.new_tree, pair)
    return len(derived) > 1 and all(pair.new.member(c, name) is not None for c in derived)


def _own_subclasses_have(name: str, owner: Symbol, pair: Comparison) -> bool:
    """Whether the backend derives classes from an upstream one, and each of them has the member."""
    if pair.new.tree_of(owner.module) is not pair.new_tree:
        return False
    derived = derived_from(owner, pair.own_tree, pair)
    return bool(derived) and all(pair.new.member(c, name) is not None for c in derived)


def is_set_on_self(attribute: str, place: Place, new: Symbol, pair: Comparison) -> bool:
    """Whether ``self.attribute`` is read at a place and set in one class; in one module, if upstream's
    ``self``."""
    name = re.escape(attribute).encode()
    source = pair.own_tree.source(place.module) or b""
    lines = source.split(b"\n")
    here = lines[place.location.line - 1] if place.location.line <= len(lines) else b""
    if re.match(rb"self\.%s\b" % name, here[place.location.column - 1 :]) is None:
        return False
    if new.module == place.module and new.class_ is not None:
        lines = lines[new.class_.line - 1 : new.class_.end_line]
    if not any(re.search(rb"\bself\.%s[ \t]*(?::[^=]+)?=(?!=)" % name, line) for line in lines):
        return False
    if is_set_lazily(source, place.location.line, attribute):
        return False
    return not is_set_where_left(source, place.location.line, place.location.column - 1, attribute)
