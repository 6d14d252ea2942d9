"""Classes whose objects are not changed once they are made.

Sources: https://docs.python.org/3/library/dataclasses.html#frozen-instances,
https://docs.python.org/3/library/collections.html#collections.namedtuple,
https://docs.pydantic.dev/latest/api/config/#pydantic.config.ConfigDict.frozen and
https://jcristharif.com/msgspec/structs.html#frozen-instances.
"""

from __future__ import annotations

import re

from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.inference.named_tuples import tuple_fields

_FROZEN = re.compile(r"\bfrozen=True\b|['\"]frozen['\"]: True\b")
_DATACLASS = re.compile(r"(?:\w+\.)*dataclass\(.*\bfrozen=True\b")
_STRUCTS = {"msgspec.Struct"}


def freezes(universe: Universe, class_: Symbol, name: str) -> str | None:
    """Why an attribute of an object of a class cannot be set; None where it can, or where that is not
    known."""
    if universe.member(class_, "__setattr__") is not None:
        return None
    lineage = universe.lineage(class_)
    bodies = [one.class_ for one in lineage.classes if one.class_ is not None]
    declared = universe.member(class_, name)
    is_field = declared is not None and any(a.annotation for a in declared.attributes)
    # Objects of a plain class below a frozen one take what is no field.
    concerned = bodies if is_field else bodies[:1]
    if any(_DATACLASS.match(decorator) for body in concerned for decorator in body.decorators):
        return "its class is a frozen dataclass"
    if is_field and tuple_fields(universe, class_) is not None:
        return "its class is a named tuple"
    if _STRUCTS.issuperset(lineage.external) and bodies and _FROZEN.search(" ".join(bodies[0].keywords)):
        return "its class is a frozen Struct"
    config = universe.member(class_, "model_config")
    values = [a.value or "" for a in config.attributes] if config is not None else []
    return "its class is a frozen model" if any(map(_FROZEN.search, values)) else None
