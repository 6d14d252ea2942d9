"""Documents' demands on axes that a call's layout names, as in BSND, and on what has to be as large: more vocabulary."""

from __future__ import annotations

from dataclasses import dataclass

from torch_npu_sim.strictness.call import Call
from torch_npu_sim.strictness.demands import outside


@dataclass(frozen=True)
class Axis:
    """An axis of an argument, or the product of several, lies in bounds, is a multiple, or is one of a few.

    Axes are named by their letters in the layout of the call; those that it does not have do not count.
    """

    argument: str
    axes: str
    least: int | None = None
    most: int | None = None
    multiple: int = 1
    among: tuple[int, ...] = ()

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        size = call.axes(self.argument, self.axes)
        if size is None:
            return None
        said = outside(size, self.least, self.most, self.multiple, self.among)
        return f"{self.axes} of {self.argument} is {size}, {said}" if said else None


@dataclass(frozen=True)
class Within:
    """No number of an argument is above an axis of another."""

    argument: str
    of: str
    axis: str

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        size, numbers = call.axes(self.of, self.axis), call.bounds(self.argument)
        if size is None or not numbers or max(numbers) <= size:
            return None
        return f"{self.argument} has {max(numbers)}, {self.axis} of {self.of} is {size}"


@dataclass(frozen=True)
class Entries:
    """An argument has one entry, or at least as many as an axis of another."""

    argument: str
    of: str
    axis: str

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        size, given = call.axes(self.of, self.axis), call.value(self.argument)
        if size is None or given is None or len(given) == 1 or len(given) >= size:
            return None
        return f"{self.argument} has {len(given)} entries; one is demanded, or {self.axis} of {self.of}, {size}"


@dataclass(frozen=True)
class Reaches:
    """A dimension of an argument is at least as large as an axis of another."""

    argument: str
    dimension: int
    of: str
    axis: str

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        size = call.axes(self.of, self.axis)
        for tensor in call.tensors(self.argument) if size is not None else ():
            if -tensor.dim() <= self.dimension < tensor.dim() and tensor.shape[self.dimension] < size:
                found = tensor.shape[self.dimension]
                return f"dimension {self.dimension} of {self.argument} is {found}, {self.axis} of {self.of} is {size}"
        return None


@dataclass(frozen=True)
class ReachesBlocks:
    """The last dimension of an argument has room for the tokens of all blocks in a row of a block table."""

    argument: str
    of: str = "block_table"
    said_by: str = "block_size"

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        found, tables = call.tensors(self.argument), call.tensors(self.of)
        if not found or not tables:
            return None
        size, wanted = found[0].shape[-1], tables[0].shape[-1] * call.value(self.said_by)
        return f"{self.argument} has {size} columns, those of {self.of} have {wanted} tokens" if size < wanted else None


@dataclass(frozen=True)
class OneOrAll:
    """An argument has one element, or one for each place of axes of another."""

    argument: str
    of: str
    axes: str

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        size = call.axes(self.of, self.axes)
        for tensor in call.tensors(self.argument) if size is not None else ():
            if tensor.numel() not in (1, size):
                return f"{self.argument} has {tensor.numel()} elements, demanded are 1 or {size}"
        return None
