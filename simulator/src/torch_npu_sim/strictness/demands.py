"""Documents' demands on a call: a closed vocabulary, each word with the sentence for a broken demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from torch_npu_sim.strictness.call import OUTPUT, Call, named

if TYPE_CHECKING:
    import torch


class Demand(Protocol):
    """Something that a document demands."""

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None where the call is as demanded."""
        ...


def of_results(demand: Demand) -> bool:
    """Say whether a demand is about what the operator returns: it can be told once there are results."""
    return OUTPUT in getattr(demand, "arguments", ())


@dataclass(frozen=True)
class Dtypes:
    """Arguments have one of these dtypes, if they are given."""

    arguments: tuple[str, ...]
    accepted: tuple[str, ...]

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        for name, tensor in _each(call, self.arguments):
            if not call.is_one_of(tensor, self.accepted):
                return f"{name} is {named(tensor.dtype)}, documented are {', '.join(self.accepted)}"
        return None


@dataclass(frozen=True)
class SameDtype:
    """Arguments that are given have one dtype."""

    arguments: tuple[str, ...]

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        found = {name: named(tensor.dtype) for name, tensor in _each(call, self.arguments)}
        return f"{_listed(found)}; one dtype is demanded" if len(set(found.values())) > 1 else None


#: In a combination: the argument is not given.
NONE = "none"


@dataclass(frozen=True)
class Combinations:
    """The dtypes of arguments, and of the output, are those of one of the columns of a table.

    A cell names what is taken with a bar between, and none where the argument may be left out.
    """

    arguments: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        nearest = min((self._misfits(call, column) for column in self.columns), key=len)
        if not nearest:
            return None
        found = {name: _dtype_of(call, name) for name in self.arguments}
        mends = ", ".join(f"{name} would have to be {cell.replace('|', ' or ')}" for name, cell in nearest.items())
        return f"{_listed(found)}; of {len(self.columns)} documented combinations the nearest has it so: {mends}"

    def _misfits(self, call: Call, column: tuple[str, ...]) -> dict[str, str]:
        """Return the cells of a column that the call does not fit, by argument."""
        return {
            name: cell
            for name, cell in zip(self.arguments, column, strict=True)
            if not self._fits(call, name, cell.split("|"))
        }

    @staticmethod
    def _fits(call: Call, name: str, accepted: Sequence[str]) -> bool:
        tensors = call.tensors(name)
        return all(call.is_one_of(each, accepted) for each in tensors) if tensors else NONE in accepted


@dataclass(frozen=True)
class Ranks:
    """Arguments have so many dimensions, if they are given."""

    arguments: tuple[str, ...]
    least: int
    most: int

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        for name, tensor in _each(call, self.arguments):
            if not self.least <= tensor.dim() <= self.most:
                return f"{name} has {tensor.dim()} dimensions, documented are {self.least} to {self.most}"
        return None


@dataclass(frozen=True)
class Sizes:
    """A dimension of arguments lies in bounds, is a multiple, or is one of a few."""

    arguments: tuple[str, ...]
    dimension: int
    least: int | None = None
    most: int | None = None
    multiple: int = 1
    among: tuple[int, ...] = ()

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        for name, tensor in _each(call, self.arguments):
            if tensor.dim() == 0 or not -tensor.dim() <= self.dimension < tensor.dim():
                continue
            size = tensor.shape[self.dimension]
            if said := outside(size, self.least, self.most, self.multiple, self.among):
                return f"dimension {self.dimension} of {name} is {size}, {said}"
        return None


@dataclass(frozen=True)
class SameSize:
    """A dimension of one argument is as large as one of another."""

    argument: str
    dimension: int
    other: str
    of_other: int

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        for one, other in zip(call.tensors(self.argument), call.tensors(self.other), strict=False):
            if one.shape[self.dimension] != other.shape[self.of_other]:
                return (
                    f"dimension {self.dimension} of {self.argument} is {one.shape[self.dimension]}, "
                    f"demanded is dimension {self.of_other} of {self.other}, which is {other.shape[self.of_other]}"
                )
        return None


@dataclass(frozen=True)
class SizeOrOne:
    """A dimension of one argument is 1, or as large as one of another."""

    argument: str
    dimension: int
    other: str
    of_other: int

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        for tensor in call.tensors(self.argument):
            if tensor.shape[self.dimension] == 1:
                return None
        return SameSize(self.argument, self.dimension, self.other, self.of_other).broken(call)


@dataclass(frozen=True)
class SameShape:
    """Arguments that are given have one shape, but for the last dimensions that are left out."""

    arguments: tuple[str, ...]
    but_last: int = 0

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        found = {name: tuple(tensor.shape) for name, tensor in _each(call, self.arguments)}
        compared = {shape[: len(shape) - self.but_last] for shape in found.values()}
        return f"{_listed(found)}; one shape is demanded" if len(compared) > 1 else None


@dataclass(frozen=True)
class Elements:
    """Arguments have at most so many elements, and at least so many."""

    arguments: tuple[str, ...]
    most: int | None = None
    least: int = 0

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        for name, tensor in _each(call, self.arguments):
            if said := outside(tensor.numel(), self.least, self.most, 1, ()):
                return f"{name} has {tensor.numel()} elements ({tuple(tensor.shape)}), {said}"
        return None


@dataclass(frozen=True)
class Contiguous:
    """Arguments are contiguous, if they are given."""

    arguments: tuple[str, ...]

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        for name, tensor in _each(call, self.arguments):
            if not tensor.is_contiguous():
                return f"{name} has strides {tensor.stride()} of shape {tuple(tensor.shape)}, contiguous is demanded"
        return None


def _each(call: Call, names: Sequence[str]) -> Iterator[tuple[str, torch.Tensor]]:
    for name in names:
        for tensor in call.tensors(name):
            yield name, tensor


def _dtype_of(call: Call, name: str) -> str:
    found = sorted({named(tensor.dtype) for tensor in call.tensors(name)})
    return "|".join(found) or NONE


def _listed(found: dict[str, object] | dict[str, str] | dict[str, tuple[int, ...]]) -> str:
    return ", ".join(f"{name} {value}" for name, value in found.items())


def outside(value: float, least: float | None, most: float | None, multiple: int, among: tuple[int, ...]) -> str | None:
    """Return what is documented of a number that lies outside of it, or None."""
    if among and value not in among:
        return f"documented are {', '.join(map(str, among))}"
    if least is not None and value < least:
        return f"at least {least} is documented"
    if most is not None and value > most:
        return f"at most {most} is documented"
    if value % multiple:
        return f"multiples of {multiple} are documented"
    return None
