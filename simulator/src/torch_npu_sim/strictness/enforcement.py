"""Holds every call of an operator to the rows of its documents, and the device to its limits.

It is put in place around the operators as they are declared; a run that is not strict has none of it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakSet

import torch

from torch_npu_sim import operators
from torch_npu_sim.constraints import ConstraintError
from torch_npu_sim.graphs import recorder
from torch_npu_sim.settings import read_settings
from torch_npu_sim.strictness.call import Call
from torch_npu_sim.strictness.demands import of_results
from torch_npu_sim.strictness.documented import OPERATORS, rows_of
from torch_npu_sim.strictness.excepted import excepted
from torch_npu_sim.strictness.limits import GRAPHS, Limit
from torch_npu_sim.strictness.row import Row


def install() -> None:
    """Hold the operators that are declared from now on, and the graphs that are captured."""
    counted = operators._counted

    def held(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        return held_to(name, counted(name, function))

    operators._counted = held
    recorder.NPUGraph.capture_end = _counting(recorder.NPUGraph.capture_end)  # type: ignore[assignment, method-assign]


def held_to(name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel that raises ConstraintError for calls which the documents of the operator exclude."""
    # A variant that writes into tensors it is given has the rows of the other one.
    operator = name.removesuffix(".out")
    if operator not in OPERATORS:
        return kernel

    @functools.wraps(kernel)
    def strict(*given: Any, **named: Any) -> Any:
        before, after = _parted(operator)
        bound = arguments(name, given, named)
        call = Call(
            operator,
            bound,
            stand_in=read_settings().float32,
            captured=recorder.is_current_stream_capturing(),
        )
        check(before, call)
        result = kernel(*given, **named)
        if after:
            results = result if isinstance(result, list | tuple) else (result,)
            check(after, Call(call.operator, bound, results, call.stand_in, captured=call.captured))
        return result

    return strict


@functools.cache
def _parted(operator: str) -> tuple[Sequence[Row], Sequence[Row]]:
    """Return the rows about what is given to an operator, and those about what it returns."""
    rows = rows_of(operator)
    return (
        [row for row in rows if not of_results(row.demand)],
        [row for row in rows if of_results(row.demand)],
    )


def check(rows: Sequence[Row], call: Call) -> None:
    """Raise ConstraintError with what was given, what is demanded and where for the first row that a call breaks."""
    for row in rows:
        if not all(one.holds(call) for one in row.when) or excepted(row, call):
            continue
        if broken := row.demand.broken(call):
            quote = " ".join(row.quote.split())
            raise ConstraintError(f"{call.operator}: {broken} [{row.name}: {quote} ({row.source})]")


def arguments(name: str, given: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by the names of the operator's schema, with its defaults."""
    return {
        each.name: given[at] if at < len(given) else named.get(each.name, each.default_value)
        for at, each in enumerate(_schema(name).arguments)
    }


@functools.cache
def _schema(name: str) -> Any:
    namespace, _, bare = name.rpartition("::")
    packet, _, overload = bare.partition(".")
    of_namespace = getattr(torch.ops, namespace or operators.NAMESPACE)
    return getattr(getattr(of_namespace, packet), overload or "default")._schema


_captured: WeakSet[recorder.NPUGraph] = WeakSet()


def _counting(capture_end: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return the end of a capture that is refused where the device has no room for one graph more."""

    @functools.wraps(capture_end)
    def counted(graph: Any) -> None:
        capture_end(graph)
        _captured.add(graph)
        held = sum(each._calls is not None for each in _captured)
        within(GRAPHS, held)

    return counted


def within(limit: Limit, held: int) -> None:
    """Raise ConstraintError if there are more of something than the device takes."""
    if held > limit.most:
        raise ConstraintError(f"{held} {limit.what} at a time, the device takes {limit.most} ({limit.source})")
