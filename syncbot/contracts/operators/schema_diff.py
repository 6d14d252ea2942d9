"""The differences of two schemas of an operator to a call that fits both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.signatures import Arguments, Signature
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.operators.registrations import split


@dataclass(frozen=True, slots=True)
class Schema:
    """The parameters of an operator, and its result as the schema writes it."""

    signature: Signature
    results: str | None


def compare_schemas(
    contract: Contract, arguments: Arguments, unpacked: int | None, was: Schema, now: Schema
) -> Iterator[Finding]:
    """Another number of results, other defaults of what the call leaves out, and parameters that come or go.
    ``unpacked`` counts the results that the call unpacks."""
    old, new, name = was.signature, now.signature, contract.symbol
    returned, returns = _count(was.results), _count(now.results)
    if returned != returns:
        ground = Ground.RESULTS_UNPACKED if unpacked == returned else Ground.RESULTS_CHANGED
        reason = f"the operator {name} returned {returned} results and now returns {returns}"
        kind = ChangeKind.OPERATOR_RESULTS
        yield Finding(contract, kind, name, ground, reason)
    passed = {*arguments.keywords, *(p.name for p in old.positional[: arguments.positional])}
    for parameter in old.parameters if not (arguments.starred or arguments.hides_keywords) else ():
        kept = new.get(parameter.name)
        if kept is None or parameter.name in passed or kept.default == parameter.default:
            continue
        reason = (
            f"{name} took {parameter.name}={parameter.default} by default and now takes {kept.default}: "
            "this call leaves it to the default"
        )
        yield Finding(
            contract, ChangeKind.OPERATOR_DEFAULT, name, Ground.DEFAULT_OF_SCHEMA, reason,
            subject=parameter.name,
        )  # fmt: skip
    added = [p.name for p in new.parameters if old.get(p.name) is None]
    gone = [p.name for p in old.parameters if new.get(p.name) is None]
    if added or gone:
        says = [f"takes {', '.join(added)} as well"] if added else []
        says += [f"no longer takes {', '.join(gone)}"] if gone else []
        reason = f"the operator {name} {' and '.join(says)}; this call still fits"
        kind, ground = ChangeKind.OPERATOR_EXTENDED, Ground.STILL_FITS
        yield Finding(contract, kind, name, ground, reason)


def _count(results: str | None) -> int:
    """How many results a schema returns: ``(Tensor, Tensor)`` are two, ``Tensor`` is one, ``()`` none."""
    return sum(1 for _ in split((results or "").removeprefix("(").removesuffix(")")))
