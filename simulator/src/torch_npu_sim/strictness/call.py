"""A call of an operator, as rows of constraints see it: by the names of its schema."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    import torch

#: What a row calls the results of the operator.
OUTPUT = "output"
_HALF = frozenset({"float16", "bfloat16"})


@dataclass(frozen=True)
class Call:
    """A call with the arguments that were given or have a default, and its results once there are some.

    ``stand_in`` says that float32 stands in for the half types.
    """

    operator: str
    arguments: Mapping[str, Any]
    results: Sequence[Any] | None = None
    stand_in: bool = False
    captured: bool = field(default=False, kw_only=True)

    def value(self, name: str) -> Any:
        """Return an argument, None where it was left out or is an empty list."""
        if name == OUTPUT:
            return self.results
        given = self.arguments.get(name)
        return None if isinstance(given, list | tuple) and not given else given

    def tensors(self, name: str) -> list[torch.Tensor]:
        """Return the tensors of an argument: one, those of a list, or none."""
        given = self.value(name)
        among = given if isinstance(given, list | tuple) else [given]
        return [each for each in among if is_tensor(each)]

    def numbers(self, name: str) -> list[float]:
        """Return the numbers of an argument: of a tensor, of a list, or the one that it is."""
        given = self.value(name)
        if is_tensor(given):
            return list(given.flatten().tolist())
        among = given if isinstance(given, list | tuple) else [given]
        return [each for each in among if isinstance(each, int | float)]

    def bounds(self, name: str) -> list[float]:
        """Return the least and the greatest number of an argument; nothing where there are none."""
        given = self.value(name)
        if is_tensor(given) and given.numel():
            return [each.item() for each in given.aminmax()]
        return self.numbers(name)

    def axes(self, name: str, letters: str) -> int | None:
        """Return the product of the axes of an argument that the call's layout has by these letters, None for none.

        Of two layouts, as in BNSD_BSND, the first is that of what is given.
        """
        layout = str(self.value("input_layout")).partition("_")[0]
        at = [layout.index(letter) for letter in letters if letter in layout]
        found = self.tensors(name)
        if not at or not found or found[0].dim() != len(layout):
            return None
        return math.prod(found[0].shape[each] for each in at)

    def is_one_of(self, tensor: torch.Tensor, accepted: Sequence[str]) -> bool:
        """Say whether a tensor has one of these dtypes, or stands in for one that has."""
        dtype = named(tensor.dtype)
        return dtype in accepted or (self.stand_in and dtype == "float32" and bool(_HALF & set(accepted)))


def is_tensor(value: object) -> TypeGuard[torch.Tensor]:
    """Say whether something is a tensor: without torch, which whoever only reads the rows need not have."""
    return hasattr(value, "untyped_storage")


def named(dtype: torch.dtype) -> str:
    """Return the name of a dtype without its module."""
    return str(dtype).removeprefix("torch.")


def is_transposed(tensor: torch.Tensor) -> bool | None:
    """Say whether the last two dimensions are swapped in memory; None where one of them has one entry at most."""
    if tensor.dim() < 2 or min(tensor.shape[-2:]) < 2:
        return None
    return tensor.stride(-2) == 1 and tensor.stride(-1) != 1
