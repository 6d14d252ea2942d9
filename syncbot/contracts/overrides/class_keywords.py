"""Keywords that a class statement of the backend passes to upstream's ``__init_subclass__``: each keyword but
``metaclass`` (https://docs.python.org/3/reference/datamodel.html#object.__init_subclass__)."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.signatures import Arguments, Signature, function_signatures
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.calls.binding import compare_binding
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.model import Contract, Finding

_HOOK = "__init_subclass__"
_PLAIN = {"object", "ABC", "abc.ABC", "Generic", "typing.Generic", "Protocol", "typing.Protocol"}
_META = "metaclass="
_KNOWN = (f"{_META}ABCMeta", f"{_META}abc.ABCMeta")
# What ``object`` has takes no keyword.
_NOTHING = (Signature(()),)


def other_keywords(contract: Contract, old: Symbol, new: Symbol, pair: Comparison) -> Iterator[Finding]:
    """Yield what upstream does not take any more, or newly requires, of the statement that makes a class."""
    theirs = pair.new.member(new, _HOOK, 1) or pair.old.member(old, _HOOK, 1)
    if theirs is None or pair.new.tree_of(theirs.owner.module) is not pair.new_tree:
        return
    before, after = _signatures(pair.old, old), _signatures(pair.new, new)
    body = pair.new.body(new)
    if before is None or after is None or body is None:
        return
    written = [keyword for keyword in body.keywords if not keyword.startswith(_META)]
    names = tuple(keyword.partition("=")[0] for keyword in written if not keyword.startswith("**"))
    arguments = Arguments(0, names, double_starred=len(names) < len(written))
    symbol = f"{theirs.owner.name}.{_HOOK}"
    yield from compare_binding(contract, symbol, f"{symbol}()", arguments, before, after)


def _signatures(universe: Universe, class_: Symbol) -> tuple[Signature, ...] | None:
    """Return what the class above is told of a class that derives from it; None where something else may be
    asked first: a metaclass, or a base that nobody sees."""
    lineage = universe.lineage(class_)
    bodies = [one.class_ for one in lineage.classes if one.class_ is not None]
    metaclasses = {k for body in bodies for k in body.keywords if k.startswith(_META)}
    if not metaclasses.issubset(_KNOWN) or {b.partition("[")[0] for b in lineage.external} - _PLAIN:
        return None
    hook = universe.member(class_, _HOOK, 1)
    if hook is None:
        return _NOTHING
    plain = all(set(f.decorators) <= {"classmethod"} for f in hook.functions)
    known = bool(hook.functions) and len(hook.functions) == len(hook.nodes)
    return function_signatures(hook.functions, bound=True) if plain and known else None
