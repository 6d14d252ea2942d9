"""Classes whose objects take no attributes but those that they declare.

Sources: https://docs.python.org/3/reference/datamodel.html#slots,
https://docs.pydantic.dev/latest/api/config/#pydantic.config.ConfigDict.extra and
https://jcristharif.com/msgspec/structs.html.
"""

from __future__ import annotations

import re

from syncbot.api.model import Class
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe

#: What models of pydantic derive from.
MODELS = {"pydantic.BaseModel", "pydantic.main.BaseModel", "pydantic.v1.BaseModel"}
_STRUCTS = {"msgspec.Struct"}
_PLAIN = {"object", "ABC", "abc.ABC", "Generic", "typing.Generic"}
_LITERALS = ("(", "[", "{", "'", '"')
_SLOTS = re.compile(r"(?:\w+\.)*dataclass\(.*\bslots=True")


def refuses(universe: Universe, class_: Symbol, name: str) -> str | None:
    """Why objects of a class refuse an attribute that it does not declare; None where they take it, or where
    that cannot be told."""
    lineage = universe.lineage(class_)
    bodies = [c.class_ for c in lineage.classes]
    external = {base.partition("[")[0] for base in lineage.external} - _PLAIN
    if None in bodies or any(universe.member(class_, own) for own in ("__setattr__", "__getattr__")):
        return None
    known = [body for body in bodies if body is not None]
    if external and external <= MODELS:
        open_ = name.startswith("_") or any(map(_takes_more, known))
        return None if open_ else "a model of pydantic refuses what it does not declare"
    if external and external <= _STRUCTS:
        open_ = any("dict=True" in keyword for body in known for keyword in body.keywords)
        return None if open_ else "a Struct of msgspec refuses what it does not declare"
    if not external and all(_leaves_no_room(body, name) for body in known):
        return "its __slots__ leave no room for it"
    return None


def _takes_more(body: Class) -> bool:
    """Whether a model says that it takes more than its fields."""
    written = [a.value or "" for a in body.attributes if a.name == "model_config"]
    written += [a.value or "" for c in body.classes if c.name == "Config" for a in c.attributes]
    return any("allow" in text.lower() for text in (*written, *body.keywords))


def _leaves_no_room(body: Class, name: str) -> bool:
    return _has_slots(body) and not _has_slot(body, name)


def _has_slot(body: Class, name: str) -> bool:
    """Whether a class may name an attribute among its slots."""
    texts = [a.value or "" for a in body.attributes if a.name == "__slots__"]
    named = re.compile(rf"['\"]{re.escape(name)}['\"]")
    return any(named.search(text) or not text.startswith(_LITERALS) for text in texts)


def _has_slots(body: Class) -> bool:
    if any(_SLOTS.match(decorator) for decorator in body.decorators):
        return True
    slots = [a.value or "" for a in body.attributes if a.name == "__slots__"]
    return bool(slots) and "__dict__" not in slots[-1]
