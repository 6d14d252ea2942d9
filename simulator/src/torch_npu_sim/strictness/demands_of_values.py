"""Documents' demands on the values of a call and on arguments that go together: more of the vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from torch_npu_sim.strictness.call import Call


@dataclass(frozen=True)
class Values:
    """The numbers of arguments lie in bounds, or are among a few; those of a dtype without sign count, too."""

    arguments: tuple[str, ...]
    least: float | None = None
    most: float | None = None
    among: tuple[Any, ...] = ()
    multiple: int = 1

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        for name in self.arguments:
            for value in self._looked_at(call, name):
                if self.among and value not in self.among:
                    return f"{name} is {value}, documented are {', '.join(map(str, self.among))}"
                if self.least is not None and value < self.least:
                    return f"{name} has {value}, at least {self.least} is documented"
                if self.most is not None and value > self.most:
                    return f"{name} has {value}, at most {self.most} is documented"
                if self.multiple > 1 and value % self.multiple:
                    return f"{name} has {value}, multiples of {self.multiple} are documented"
        return None

    def _looked_at(self, call: Call, name: str) -> list[Any]:
        """Return the values that can break it: the bounds of many stand for all where no single one matters."""
        if isinstance(call.value(name), str):
            return [call.value(name)]
        return call.numbers(name) if self.among or self.multiple > 1 else call.bounds(name)


@dataclass(frozen=True)
class NoZeros:
    """No number of arguments is 0."""

    arguments: tuple[str, ...]

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        for name in self.arguments:
            for tensor in call.tensors(name):
                if not bool(tensor.all()):
                    return f"{name} has a 0, which is not documented"
        return None


@dataclass(frozen=True)
class Length:
    """A list, or the only dimension of a tensor, is so long."""

    argument: str
    least: int = 0
    most: int | None = None

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        given = call.value(self.argument)
        if given is None:
            return None
        if len(given) < self.least:
            return f"{self.argument} has {len(given)} entries, at least {self.least} are documented"
        if self.most is not None and len(given) > self.most:
            return f"{self.argument} has {len(given)} entries, at most {self.most} are documented"
        return None


@dataclass(frozen=True)
class SameLength:
    """Two lists, or a list and the first dimension of a tensor, are equally long."""

    argument: str
    other: str

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        one, other = call.value(self.argument), call.value(self.other)
        if one is None or other is None or len(one) == len(other):
            return None
        return f"{self.argument} has {len(one)} entries and {self.other} {len(other)}; as many are demanded"


@dataclass(frozen=True)
class Rising:
    """No number of an argument is below the one before."""

    argument: str

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        for before, after in pairwise(call.numbers(self.argument)):
            if after < before:
                return f"{self.argument} falls from {before} to {after}"
        return None


@dataclass(frozen=True)
class NoRepeats:
    """No number of an argument is there twice."""

    argument: str

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        numbers = call.numbers(self.argument)
        repeated = len(numbers) - len(set(numbers))
        return f"{self.argument} repeats {repeated} of its {len(numbers)} numbers" if repeated else None


@dataclass(frozen=True)
class Total:
    """The sum of an argument's numbers, or the last where they are sums already, is the size of a dimension."""

    argument: str
    of: str
    dimension: int
    sums: bool = False

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        numbers = call.numbers(self.argument)
        tensors = call.tensors(self.of)
        if not numbers or not tensors:
            return None
        size, found = tensors[0].shape[self.dimension], numbers[-1] if self.sums else sum(numbers)
        if found == size:
            return None
        what = "ends with" if self.sums else "sums up to"
        return f"{self.argument} {what} {found}, demanded is dimension {self.dimension} of {self.of}, which is {size}"


@dataclass(frozen=True)
class SizeIs:
    """A dimension of an argument is what another argument says."""

    argument: str
    dimension: int
    said_by: str

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        wanted = call.value(self.said_by)
        for tensor in call.tensors(self.argument) if wanted is not None else ():
            if tensor.shape[self.dimension] != wanted:
                size = tensor.shape[self.dimension]
                return f"dimension {self.dimension} of {self.argument} is {size}, {self.said_by} says {wanted}"
        return None


@dataclass(frozen=True)
class Multiple:
    """A number, or the size of a dimension, is a whole multiple of another, at most so many times.

    The other one's dimension has the same place where none is named for it. ``even`` demands an even number of times.
    """

    argument: str
    of: str
    dimension: int | None = None
    most: int | None = None
    of_dimension: int | None = None
    even: bool = False

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        place = self.dimension if self.of_dimension is None else self.of_dimension
        one, other = self._number(call, self.argument, self.dimension), self._number(call, self.of, place)
        if not one or not other:
            return None
        if one % other:
            return f"{self.argument} ({one}) is no multiple of {self.of} ({other})"
        if self.even and one // other % 2:
            return f"{self.argument} ({one}) is {one // other} times {self.of}, an even number is documented"
        if self.most is not None and one // other > self.most:
            return f"{self.argument} ({one}) is {one // other} times {self.of}, at most {self.most} is documented"
        return None

    @staticmethod
    def _number(call: Call, name: str, dimension: int | None) -> int | None:
        tensors = call.tensors(name)
        if tensors and dimension is not None:
            return int(tensors[0].shape[dimension])
        given = call.value(name)
        return given if isinstance(given, int) else None


@dataclass(frozen=True)
class Sum:
    """The numbers of several arguments sum up to something in bounds."""

    arguments: tuple[str, ...]
    least: int

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        found = sum(number for name in self.arguments for number in call.numbers(name))
        if found >= self.least:
            return None
        return f"{' and '.join(self.arguments)} sum up to {found}, at least {self.least} is documented"


@dataclass(frozen=True)
class SameValue:
    """Two arguments have one value."""

    arguments: tuple[str, str]

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        one, other = (call.value(name) for name in self.arguments)
        if one == other:
            return None
        return f"{self.arguments[0]} is {one} and {self.arguments[1]} {other}; one value is demanded"


@dataclass(frozen=True)
class Demanded:
    """Arguments are given."""

    arguments: tuple[str, ...]

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        missing = [name for name in self.arguments if call.value(name) is None]
        return f"{', '.join(missing)} is not given, and demanded" if missing else None


@dataclass(frozen=True)
class Excluded:
    """Arguments are not given."""

    arguments: tuple[str, ...]

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        given = [name for name in self.arguments if call.value(name) is not None]
        return f"{', '.join(given)} is given, and excluded here" if given else None


@dataclass(frozen=True)
class Together:
    """Of these arguments all are given, or none."""

    arguments: tuple[str, ...]

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        given = [name for name in self.arguments if call.value(name) is not None]
        if not given or len(given) == len(self.arguments):
            return None
        return f"{', '.join(given)} is given alone; demanded are all of {', '.join(self.arguments)} or none"


@dataclass(frozen=True)
class Eager:
    """The call is not part of a captured graph."""

    def broken(self, call: Call) -> str | None:
        """Return what was given and what is demanded, or None."""
        return "called in a graph that is captured, which is not documented" if call.captured else None


@dataclass(frozen=True)
class Unchecked:
    """A demand that nothing here looks at, and why."""

    why: str

    def broken(self, call: Call) -> str | None:
        """Return None: nothing is looked at."""
        return None
