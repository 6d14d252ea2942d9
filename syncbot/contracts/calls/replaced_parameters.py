"""Parameters that have another name and another type than what stood in their place: what is passed by place
was meant for the old one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import dotted, expression
from syncbot.api.model import Parameter
from syncbot.api.universe import Universe
from syncbot.contracts.annotation_differences import builtin_name
from syncbot.contracts.calls.declared_arguments import converts, excluded
from syncbot.contracts.calls.natures import NATURES
from syncbot.contracts.calls.targets import CallContract, Target
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Finding

# What declares such a series or dictionary as well.
_NATURES = {
    **NATURES,
    **dict.fromkeys(("Sequence", "MutableSequence"), NATURES["list"]),
    **dict.fromkeys(("Mapping", "MutableMapping"), NATURES["dict"]),
}
_HOLDING = (NATURES["list"], NATURES["dict"], NATURES["set"])


def replaced_by_place(
    contract: CallContract, before: Target, after: Target, pair: Comparison
) -> Iterator[Finding]:
    """Yield a finding where what is passed by place was of the type that stood there, and cannot be of the
    one that does now."""
    if len(before.running) != 1 or len(after.running) != 1 or contract.arguments.starred:
        return
    old, new = before.signatures[-1], after.signatures[-1]
    named, literals = contract.arguments.named, dict(contract.arguments.constants)
    for place, (was, now) in enumerate(zip(old.positional, new.positional, strict=False)):
        if place >= contract.arguments.positional:
            return
        passed = named[place] if place < len(named) else ""
        if new.get(was.name) or old.get(now.name) or passed == now.name or str(place) in literals:
            continue
        sorts = _Sorts(pair.old, before.module), _Sorts(pair.new, after.module)
        taken, takes = (s.of(expression(p.annotation or "")) for s, p in zip(sorts, (was, now), strict=True))
        if _differ(taken, takes) and not _tests(after, now, pair):
            reason = (
                f"positional argument {place + 1} of {after.symbol}() was {was.name}, {was.annotation}, "
                f"and is now {now.name}, {now.annotation}"
            )
            yield Finding(
                contract, ChangeKind.PARAMETER_TYPE_CHANGED, after.symbol, Ground.PASSED_OF_OTHER_TYPE,
                reason, subject=was.name,
            )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Sort:
    """The values that a parameter takes: the nature of built-in types, or an object of a class of upstream;
    what a series, a set or a dictionary has in it."""

    nature: str
    held: _Sort | None = None


@dataclass(frozen=True, slots=True)
class _Sorts:
    """Tells sorts in one universe, of what a module writes."""

    universe: Universe
    module: str

    def of(self, node: ast.expr | None) -> _Sort | None:
        """None for what takes several, or nobody knows what."""
        match node:
            case None:
                return None
            case ast.Constant(value=str(text)):
                return self.of(expression(text))
            case ast.BinOp(left=inner, op=ast.BitOr(), right=ast.Constant(value=None)):
                return self.of(inner)
            case ast.Subscript(value=value, slice=inner) if _head(value) == "Optional":
                return self.of(inner)
        head = _head(node)
        if (nature := _NATURES.get(head)) is not None:
            holds = nature in _HOLDING and head != "tuple"
            inside = node.slice if holds and isinstance(node, ast.Subscript) else None
            return _Sort(nature, self.of(inside.elts[-1] if isinstance(inside, ast.Tuple) else inside))
        class_ = excluded(self.universe, self.module, ast.unparse(node), "")
        return _Sort("an object") if class_ is not None else None


def _head(node: ast.expr) -> str:
    whole = node.value if isinstance(node, ast.Subscript) else node
    return builtin_name((dotted(whole) or "").rpartition(".")[2])


def _differ(was: _Sort | None, now: _Sort | None) -> bool:
    """Whether nothing is of both sorts. Of objects of two classes more has to be known."""
    if was is None or now is None:
        return False
    return was.nature != now.nature or _differ(was.held, now.held)


def _tests(after: Target, now: Parameter, pair: Comparison) -> bool:
    """Whether the function looks at what it is given, or makes an object of it."""
    owner = after.owner.qualname if after.owner is not None else ""
    class_ = (now.annotation or "").rpartition(".")[2].rpartition("[")[2].strip("]\"'")
    return converts(pair.new, after.module, after.running[0], owner, now.name, class_)
