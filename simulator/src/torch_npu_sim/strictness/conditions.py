"""When a row of constraints holds: a closed vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from torch_npu_sim.strictness.call import Call, is_transposed


class Condition(Protocol):
    """Something that is so of a call, or is not."""

    def holds(self, call: Call) -> bool:
        """Say whether it is so."""
        ...


@dataclass(frozen=True)
class Given:
    """An argument is given."""

    argument: str

    def holds(self, call: Call) -> bool:
        """Say whether it is there."""
        return call.value(self.argument) is not None


@dataclass(frozen=True)
class Is:
    """An argument has one of these values; one that is a list of tensors is told by the dtype of the first."""

    argument: str
    among: tuple[Any, ...]

    def __init__(self, argument: str, *among: Any) -> None:
        object.__setattr__(self, "argument", argument)
        object.__setattr__(self, "among", among)

    def holds(self, call: Call) -> bool:
        """Say whether it has."""
        return call.value(self.argument) in self.among


@dataclass(frozen=True)
class OfDtype:
    """The tensors of an argument have one of these dtypes."""

    argument: str
    among: tuple[str, ...]

    def __init__(self, argument: str, *among: str) -> None:
        object.__setattr__(self, "argument", argument)
        object.__setattr__(self, "among", among)

    def holds(self, call: Call) -> bool:
        """Say whether they have; not of an argument that is not given."""
        found = call.tensors(self.argument)
        return bool(found) and all(call.is_one_of(each, self.among) for each in found)


@dataclass(frozen=True)
class OfSize:
    """A dimension of an argument has one of these sizes."""

    argument: str
    dimension: int
    among: tuple[int, ...]

    def __init__(self, argument: str, dimension: int, *among: int) -> None:
        object.__setattr__(self, "argument", argument)
        object.__setattr__(self, "dimension", dimension)
        object.__setattr__(self, "among", among)

    def holds(self, call: Call) -> bool:
        """Say whether it has; not of an argument that is not given."""
        found = call.tensors(self.argument)
        return bool(found) and all(
            -each.dim() <= self.dimension < each.dim() and each.shape[self.dimension] in self.among for each in found
        )


@dataclass(frozen=True)
class OfAxis:
    """An axis of an argument, by its letter in the call's layout, has a size in bounds."""

    argument: str
    axis: str
    least: int = 0
    most: int | None = None

    def holds(self, call: Call) -> bool:
        """Say whether it has; not where the layout has no such axis."""
        size = call.axes(self.argument, self.axis)
        return size is not None and size >= self.least and (self.most is None or size <= self.most)


@dataclass(frozen=True)
class OfRank:
    """The tensors of an argument have one of these numbers of dimensions."""

    argument: str
    among: tuple[int, ...]

    def __init__(self, argument: str, *among: int) -> None:
        object.__setattr__(self, "argument", argument)
        object.__setattr__(self, "among", among)

    def holds(self, call: Call) -> bool:
        """Say whether they have; not of an argument that is not given."""
        found = call.tensors(self.argument)
        return bool(found) and all(each.dim() in self.among for each in found)


@dataclass(frozen=True)
class Transposed:
    """The last two dimensions of an argument are swapped in memory."""

    argument: str

    def holds(self, call: Call) -> bool:
        """Say whether they are; not where nothing tells."""
        found = call.tensors(self.argument)
        return bool(found) and all(bool(is_transposed(each)) for each in found)


@dataclass(frozen=True)
class OfLength:
    """An argument is a list of so many."""

    argument: str
    length: int

    def holds(self, call: Call) -> bool:
        """Say whether it is."""
        given = call.value(self.argument)
        return isinstance(given, list | tuple) and len(given) == self.length


@dataclass(frozen=True)
class Not:
    """Another condition does not hold."""

    other: Condition

    def holds(self, call: Call) -> bool:
        """Say whether the other one does not."""
        return not self.other.holds(call)
