"""Which calls of a source surely call an upstream function, class or method."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pydantic import Field

from syncbot.patching import lazy_libcst as cst
from syncbot.patching.argument_types import Aliases, Dotted, Instances, Subclasses
from syncbot.patching.class_rules import Family, Receivers, is_super, last_names
from syncbot.patching.node_text import unparametrised
from syncbot.patching.registry import Rule
from syncbot.patching.source import Edits, Source

if TYPE_CHECKING:
    from syncbot.patching.node_edits import Edit


class CallRule(Rule):
    """A rule about calls of one upstream function, class or method, where the source shows what is called."""

    callee: Dotted = Field(description="dotted function, class or method", examples=["pkg.module.Class"])
    aliases: Aliases = ()
    classes: Subclasses = ()
    receivers: Instances = ()

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that contain the method's name, or the name or the initialiser of a class."""
        last = self._names()[0].rpartition(".")[2]
        return () if last[:1].isupper() else (last,)

    def names(self) -> tuple[str, ...]:
        """Of a class, only files that name it or one of the backend's own."""
        names = last_names(*self._names())
        return (*names, *last_names(*self.classes)) if names[0][:1].isupper() else ()

    def calls(self, source: Source) -> Iterator[cst.Call]:
        """Yield the calls of the callee."""
        names = self._names()
        as_class = Family(source, names, self.classes)
        owners = [owner for owner, dot, _ in (name.rpartition(".") for name in names) if dot]
        method = names[0].rpartition(".")[2]
        receivers = Receivers(source, Family(source, owners, self.classes), self.receivers)
        for call in source.index.calls:
            function = call.func
            if source.qualified(unparametrised(function)) & set(names):
                yield call
            elif isinstance(function, cst.Attribute):
                if function.attr.value == "__init__" and is_super(function.value):
                    if as_class.around(call) is not None:
                        yield call
                elif function.attr.value == method and receivers.proves(function.value):
                    yield call

    def changed(self, source: Source, wanted: Callable[[cst.Call], bool], edit: Edit) -> str:
        """Return the text with every wanted call of the callee passed through ``edit``. Raises NoMatch."""
        edits = Edits()
        for call in self.calls(source):
            if wanted(call):
                edits.change(call, edit)
        return source.rewritten(edits, f"no call of {self.callee} to change")

    def _names(self) -> tuple[str, ...]:
        return tuple(name.removesuffix(".__init__") for name in (self.callee, *self.aliases))
