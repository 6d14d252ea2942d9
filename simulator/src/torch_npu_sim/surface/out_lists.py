"""Operators with several results, given as a list: ``operator.out(..., out=[a, b])``, as torch_npu takes them."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch


class OutLists:
    """An operator whose form ``out`` takes its results as a list; for the rest it is the operator itself."""

    def __init__(self, packet: Any, results: Sequence[str]) -> None:
        self._packet = packet
        self._results = tuple(results)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call the operator."""
        return self._packet(*arguments, **keywords)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._packet, name)

    def out(self, *arguments: Any, out: Sequence[torch.Tensor] | None = None, **keywords: Any) -> Any:
        """Call the form with given results; TypeError where their number is another."""
        given = list(out or ())
        if out is not None and len(given) != len(self._results):
            raise TypeError(f"{self._packet}.out has {len(self._results)} results, and out has {len(given)}")
        return self._packet.out(*arguments, **dict(zip(self._results, given, strict=False)), **keywords)


def with_out_lists(schemas: Mapping[str, str]) -> dict[str, OutLists]:
    """Return the operators that have a form ``out`` with several results, by name."""
    found = {}
    for name in schemas:
        bare, _, overload = name.partition(".")
        if overload != "out":
            continue
        packet = getattr(torch.ops.npu, bare)
        written = [each.name for each in packet.out._schema.arguments if each.kwarg_only and each.is_out]
        if len(written) > 1:
            found[bare] = OutLists(packet, written)
    return found
