"""Documents' demands on shapes that go together, and on how tensors lie in memory: more of the vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch_npu_sim.strictness.call import Call, is_transposed

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class OneSize:
    """A dimension of all tensors of arguments that are given has one size."""

    arguments: tuple[str, ...]
    dimension: int

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        found = [
            (name, tensor.shape[self.dimension])
            for name, tensor in _each(call, self.arguments)
            if -tensor.dim() <= self.dimension < tensor.dim()
        ]
        if len({size for _, size in found}) < 2:
            return None
        listed = ", ".join(f"{name} {size}" for name, size in found)
        return f"dimension {self.dimension} is of {listed}; one size is demanded"


@dataclass(frozen=True)
class SameRank:
    """All tensors of arguments that are given have equally many dimensions."""

    arguments: tuple[str, ...]

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        found = [(name, tensor.dim()) for name, tensor in _each(call, self.arguments)]
        if len({rank for _, rank in found}) < 2:
            return None
        listed = ", ".join(f"{name} has {rank}" for name, rank in found)
        return f"of dimensions {listed}; as many are demanded"


@dataclass(frozen=True)
class Layout:
    """The last two dimensions of arguments are swapped in memory, or they are not."""

    arguments: tuple[str, ...]
    transposed: bool

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None; either will do where a dimension has one entry."""
        for name, tensor in _each(call, self.arguments):
            found = is_transposed(tensor)
            if found is not None and found != self.transposed:
                wanted = "a transposed one" if self.transposed else "one that is not transposed"
                return f"{name} has strides {tensor.stride()} of shape {tuple(tensor.shape)}, {wanted} is demanded"
        return None


@dataclass(frozen=True)
class NotAbove:
    """A number, or the size of a dimension, has a bound in another argument.

    The bound is the size of a dimension, how many dimensions there are where none is named, or the number that the
    other argument is; ``less`` is taken off. Of a list or a tensor of numbers the greatest counts.
    """

    argument: str
    of: str
    dimension: int | None = None
    of_dimension: int | None = None
    less: int = 0

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        bound = self._bound(call)
        found = self._numbers(call)
        if bound is None or not found or max(found) <= bound:
            return None
        which = "" if self.dimension is None else f"dimension {self.dimension} of "
        return f"{which}{self.argument} has {max(found)}, {self.of} allows at most {bound}"

    def _numbers(self, call: Call) -> list[float]:
        if self.dimension is None:
            return call.bounds(self.argument)
        return [tensor.shape[self.dimension] for tensor in call.tensors(self.argument)]

    def _bound(self, call: Call) -> float | None:
        tensors = call.tensors(self.of)
        if not tensors:
            given = call.value(self.of)
            return given - self.less if isinstance(given, int) else None
        sizes = [each.dim() if self.of_dimension is None else each.shape[self.of_dimension] for each in tensors]
        return min(sizes) - self.less


def _each(call: Call, names: tuple[str, ...]) -> list[tuple[str, torch.Tensor]]:
    return [(name, tensor) for name in names for tensor in call.tensors(name)]
