"""Classes whose objects are not changed once they are made.

Sources: https://docs.python.org/3/library/dataclasses.html#frozen-instances,
https://docs.python.org/3/library/collections.html#collections.namedtuple,
https://docs.pydantic.dev/latest/api/config/#pydantic.config.ConfigDict.frozen and
https://jcristharif.com/msgspec/structs.html#frozen-instances.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from syncbot.api.expressions import dotted, expression
from syncbot.api.model import Class
from syncbot.api.symbols import Member, Symbol
from syncbot.api.universe import Universe

_PLAIN = {"object", "ABC", "Generic", "Protocol"}
_SETTABLE = {"Struct": "a frozen Struct of msgspec", "BaseModel": "a frozen model of pydantic"}
_FROZEN = re.compile(r"\bfrozen=\w+")


def is_frozen(decorators: Sequence[str]) -> bool | None:
    """Whether a class with these decorators is a frozen dataclass; None if it is none, or cannot be told."""
    return dataclass_option(decorators, "frozen", default=False)


def dataclass_option(decorators: Sequence[str], name: str, *, default: bool) -> bool | None:
    """Return what the decorators of a dataclass say of an option; None if it is none, or cannot be told."""
    for text in decorators:
        node = expression(text)
        called = node.func if isinstance(node, ast.Call) else node
        if called is None or (dotted(called) or "").rpartition(".")[2] != "dataclass":
            continue
        given = {k.arg: k.value for k in node.keywords} if isinstance(node, ast.Call) else {}
        match given.get(name, ast.Constant(value=default)):
            case ast.Constant(value=bool(told)) if None not in given:
                return told
        return None
    return None


def telling_bases(universe: Universe, class_: Symbol) -> set[str]:
    """The last parts of the names of the bases outside the trees, without those that add nothing."""
    return {base.partition("[")[0].rpartition(".")[2] for base in universe.lineage(class_).external} - _PLAIN


def refuses_changes(universe: Universe, class_: Symbol, name: str) -> str | None:
    """Return what the objects of a class are, in words, where a field of that name cannot be set; None where
    it can be, or where that is not known."""
    member = universe.member(class_, name)
    if (
        member is None
        or not _is_field(member)
        or any(universe.member(class_, own) for own in ("__setattr__", "__getattr__"))
    ):
        return None
    lineage = universe.lineage(class_)
    external = telling_bases(universe, class_)
    if not external:
        home = member.owner.class_
        return "a frozen dataclass" if home is not None and is_frozen(home.decorators) else None
    if external == {"NamedTuple"}:
        return "a named tuple"
    words = _SETTABLE.get(external.pop()) if len(external) == 1 else None
    frozen = words is not None and says_frozen(c.class_ for c in lineage.classes if c.class_ is not None)
    return words if frozen and not name.startswith("_") else None


def _is_field(member: Member) -> bool:
    """Whether a class declares a member as a field of its objects."""
    declared = [a.annotation for a in member.attributes if a.annotation and not a.origin]
    return bool(declared) and not any("ClassVar" in annotation for annotation in declared)


def says_frozen(bodies: Iterable[Class]) -> bool:
    """Whether the nearest of some models or Structs that says something of it says that it is frozen."""
    told = (_FROZEN.search(text) for body in bodies for text in (*body.keywords, *_configured(body)))
    nearest = next(filter(None, told), None)
    return nearest is not None and nearest[0] == "frozen=True"


def _configured(body: Class) -> Iterator[str]:
    """Yield what a model of pydantic says of itself, as keywords."""
    written = (a.value or "" for a in body.attributes if a.name == "model_config")
    yield from (re.sub(r"['\"]frozen['\"]\s*:\s*", "frozen=", text) for text in written)
    inner = (a for c in body.classes if c.name == "Config" for a in c.attributes)
    yield from (f"{a.name}={a.value}" for a in inner)
