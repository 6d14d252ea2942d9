"""Defines rewrite rules and finds them: one module each in ``syncbot/patching/rewrites``. The class's fields
validate a patch file and document it (docs/schemas/patch.json). A rule may name its mirror, whose class
registration makes."""

from __future__ import annotations

import inspect
import types
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from syncbot.contracts.changes import NOTHING_MORE, AnyDetails, ChangeKind
from syncbot.package_modules import import_all
from syncbot.patching import yaml_documents
from syncbot.patching.source import Source


@dataclass(frozen=True, slots=True)
class ApiChange:
    """The question to a rule: one API change where it meets the backend, in the words of an Impact."""

    kind: ChangeKind
    symbol: str
    details: AnyDetails = NOTHING_MORE
    contract: str = ""
    classes: tuple[str, ...] = ()


class Rule(BaseModel, ABC):
    """A rewrite with its arguments. ``forward`` follows upstream's change, ``backward`` undoes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: ClassVar[str]
    #: What upstream did, in one line; patch files have it as their reason.
    reason: ClassVar[str]
    #: The kinds of change that the rule may answer.
    answers: ClassVar[tuple[ChangeKind, ...]] = ()
    #: The rule that does the opposite, where that has a name of its own.
    twin: ClassVar[type[Rule] | None] = None

    @abstractmethod
    def forward(self, source: Source) -> str:
        """Return the text after the upstream change. Raises NoMatch, CannotRewrite."""

    def backward(self, source: Source) -> str:
        """Return the text before the upstream change. Raises NoMatch, CannotRewrite."""
        return self.mirror().forward(source)

    def mirror(self) -> Rule:
        """The rule whose ``forward`` is this one's ``backward``: the twin, or two arguments exchanged."""
        if self.twin is not None:
            return self.twin(**self.model_dump())
        one, other = _exchanged_arguments(type(self))
        return self.model_copy(update={one: getattr(self, other), other: getattr(self, one)})

    def decided_by(self) -> str | None:
        """Return all that decides what it makes of a text, beside code of syncbot; None where that is not
        known."""
        return f"{self.name} {self.model_dump_json()}"

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Return texts that a file must all contain to be worth parsing."""
        return ()

    def names(self) -> tuple[str, ...]:
        """Return texts of which a file must contain one to be worth parsing; empty: there are none such."""
        return ()

    def concerns(self, path: str) -> bool:
        """Return whether the rule may touch the file at ``path``."""
        return True

    def may_change(self, path: str, text: str, forward: bool) -> bool:
        """Return whether a file is worth parsing for the rule."""
        names = self.names()
        return (
            self.concerns(path)
            and all(needle in text for needle in self.needles(forward))
            and (not names or any(name in text for name in names))
        )

    @classmethod
    def answer(cls, change: ApiChange) -> Rule | None:
        """Return what it proposes to a kind that it answers; None where what is known cannot be arguments."""
        try:
            return cls.propose(change) if change.kind in cls.answers else None
        except ValidationError:
            return None

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Return the rule that answers an API change of a kind in ``answers``, or None."""
        return None


@dataclass(frozen=True, slots=True)
class Mirror:
    """The opposite of a rule under a name of its own: what it ``does`` is its docstring."""

    name: str
    reason: str
    does: str
    answers: tuple[ChangeKind, ...] = ()


R = TypeVar("R", bound=type[Rule])
_RULES: dict[str, type[Rule]] = {}


def rule(name: str, answers: tuple[ChangeKind, ...] = (), mirror: Mirror | None = None) -> Callable[[R], R]:
    """Register a class as the rule of that name, and its mirror. Raises TypeError for one without."""

    def register(cls: R) -> R:
        cls.name, cls.answers = name, answers
        cls.reason = (inspect.getdoc(inspect.getmodule(cls)) or name).splitlines()[0]
        cls.twin = None
        if mirror is not None:
            if cls.backward is Rule.backward:
                raise TypeError(f"rule {name} has a mirror of another name: define backward()")
            twin = _mirrored(cls, mirror)
            cls.twin, twin.twin = twin, cls
            _RULES[mirror.name] = twin
        elif cls.mirror is Rule.mirror and not _exchanged_arguments(cls):
            raise TypeError(f"rule {name} has no mirror: name one in @rule, or define mirror()")
        _RULES[name] = cls
        return cls

    return register


def _exchanged_arguments(cls: type[Rule]) -> tuple[str, ...]:
    """The two arguments that change places in a mirror under the same name; empty where there are none."""
    pairs = (("old", "new"), ("before", "after"))
    return next((pair for pair in pairs if cls.model_fields.keys() >= set(pair)), ())


def _mirrored(cls: type[Rule], mirror: Mirror) -> type[Rule]:
    """The class of a mirror: the same arguments, forward and backward exchanged."""

    def needles(self: Rule, forward: bool) -> tuple[str, ...]:
        return cls.needles(self, not forward)

    def forward(self: Rule, source: Source) -> str:
        return cls.backward(self, source)

    def backward(self: Rule, source: Source) -> str:
        return cls.forward(self, source)

    title = "".join(part.capitalize() for part in mirror.name.split("_"))
    body = {"__doc__": mirror.does, "__module__": cls.__module__}
    methods = {"needles": needles, "forward": forward, "backward": backward}
    twin: type[Rule] = types.new_class(title, (cls,), {}, lambda space: space.update(body | methods))
    twin.name, twin.reason, twin.answers = mirror.name, mirror.reason, mirror.answers
    return twin


def rules() -> dict[str, type[Rule]]:
    """Return all rules by name, sorted."""
    import_all("syncbot.patching.rewrites")
    return dict(sorted(_RULES.items()))


def find(name: str) -> type[Rule]:
    """Return the rule of that name. Raises ConfigurationError that names the nearest one."""
    return yaml_documents.chosen("rule", name, rules())
