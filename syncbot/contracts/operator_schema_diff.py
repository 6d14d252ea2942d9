"""What two schemas of an operator say differently to a call that fits both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.signatures import Arguments, Signature
from syncbot.contracts.certainty import Certainty
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.model import Contract, Finding, Verdict
from syncbot.contracts.operator_registrations import split


@dataclass(frozen=True, slots=True)
class Schema:
    """What an operator takes, and what it returns as the schema writes it."""

    signature: Signature
    results: str | None


def compare_schemas(
    contract: Contract, arguments: Arguments, unpacked: int | None, was: Schema, now: Schema
) -> Iterator[Finding]:
    """Another number of results, another default of what the call leaves out, and parameters that come or
    go: these concern who implements or documents the operator. ``unpacked`` is the number of results that
    the call is unpacked into."""
    old, new, name = was.signature, now.signature, contract.symbol
    returned, returns = _count(was.results), _count(now.results)
    if returned != returns:
        verdict = Verdict.BREAKS if unpacked == returned else Verdict.AT_RISK
        reason = f"the operator {name} returned {returned} results and now returns {returns}"
        kind, certainty = ChangeKind.OPERATOR_RESULTS, Certainty.SCHEMA_SAYS
        yield Finding(contract, kind, name, verdict, reason, certainty=certainty)
    passed = {*arguments.keywords, *(p.name for p in old.positional[: arguments.positional])}
    for parameter in old.parameters if not (arguments.starred or arguments.double_starred) else ():
        kept = new.get(parameter.name)
        if kept is None or parameter.name in passed or kept.default == parameter.default:
            continue
        reason = (
            f"{name} took {parameter.name}={parameter.default} by default and now takes {kept.default}: "
            "this call leaves it to the default"
        )
        yield Finding(
            contract, ChangeKind.OPERATOR_DEFAULT, name, Verdict.AT_RISK, reason,
            certainty=Certainty.DEFAULT_OF_SCHEMA, subject=parameter.name,
        )  # fmt: skip
    added = [p.name for p in new.parameters if old.get(p.name) is None]
    gone = [p.name for p in old.parameters if new.get(p.name) is None]
    if added or gone:
        says = [f"takes {', '.join(added)} as well"] if added else []
        says += [f"no longer takes {', '.join(gone)}"] if gone else []
        reason = f"the operator {name} {' and '.join(says)}; this call still fits"
        kind, certainty = ChangeKind.OPERATOR_EXTENDED, Certainty.STILL_FITS
        yield Finding(contract, kind, name, Verdict.DRIFT, reason, certainty=certainty)


def _count(results: str | None) -> int:
    """How many results a schema returns: ``(Tensor, Tensor)`` are two, ``Tensor`` is one, ``()`` none."""
    return sum(1 for _ in split((results or "").removeprefix("(").removesuffix(")")))
