"""Models and data classes of pydantic: what is passed and not declared, they leave out, or keep, unless they
are told to forbid it.

Source: https://docs.pydantic.dev/latest/api/config/#pydantic.config.ConfigDict.extra
"""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.model import Class
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.closed_classes import MODELS

_DATACLASS = "pydantic.dataclasses.dataclass"


def leaves_out_undeclared(universe: Universe, class_: Symbol) -> bool:
    """Whether calling a class with a keyword that it does not declare goes well, as far as can be seen."""
    lineage = universe.lineage(class_)
    bodies = [body for one in lineage.classes if (body := universe.body(one)) is not None]
    made = not MODELS.isdisjoint(lineage.external) or _is_dataclass(universe, class_)
    return made and not any("forbid" in text.lower() for body in bodies for text in _said(body))


def _is_dataclass(universe: Universe, class_: Symbol) -> bool:
    """Whether pydantic's decorator stands last, so that no other one makes the constructor anew."""
    node = class_.class_
    last = node.decorators[-1].partition("(")[0] if node is not None and node.decorators else ""
    return universe.external_name(class_.module, last) == _DATACLASS


def _said(body: Class) -> Iterator[str]:
    """Yield what a class says of itself."""
    yield from body.keywords
    yield from body.decorators
    yield from (a.value or "" for a in body.attributes if a.name in ("model_config", "__pydantic_config__"))
    yield from (f"{a.name}={a.value}" for c in body.classes if c.name == "Config" for a in c.attributes)
