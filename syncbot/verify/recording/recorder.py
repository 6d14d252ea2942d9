"""Notes what happens in a run, in each of its processes. It runs there as ``sitecustomize``, beside another
upstream and another Python than syncbot's: it imports the standard library alone, and changes nothing.

A note is a line of JSON, written as soon as it is known, for a worker may be killed at any time. Nothing is
counted, for counts depend on time. A dimension that has had two values is ``n`` from then on, and so is an
operator's option.
"""

from __future__ import annotations

import enum
import importlib.machinery
import json
import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FrameType, ModuleType
from typing import Any

#: JSON: the ``file`` of the notes, and the top packages of ``upstream`` and of the ``plugin``.
VARIABLE = "SYNCBOT_RECORDER"
#: How many frames of other packages, such as torch's, may stand between a caller and what it calls.
_BETWEEN = 30
#: How many functions of upstream above a call are noted.
_ABOVE = 8
#: Where torch calls an operator: the file, and the methods.
_OPERATORS = ("torch._ops", ("OpOverloadPacket.__call__", "OpOverload.__call__"))
_UPSTREAM, _PLUGIN, _CALLED, _OTHER = "upstream", "plugin", "operators", ""
#: The flag of a function's code; the code of a class body or of a module lacks it.
_FUNCTION = 0x01
#: The flags of generators and coroutines.
_RESUMED = 0x20 | 0x80 | 0x200
_SELF = ("self", "cls")

#: The dimensions of a tensor, or the value of an option.
Shape = tuple["int | str", ...]


class Recorder:
    """Notes calls in the file ``output``. ``sides`` says of a top package whose it is."""

    def __init__(self, output: str, upstream: Sequence[str], plugin: Sequence[str]) -> None:
        self.output = output
        self.sides = {**dict.fromkeys(upstream, _UPSTREAM), **dict.fromkeys(plugin, _PLUGIN)}
        self._files: dict[str, str] = {}
        self._shapes: dict[tuple[str, ...], Shape | None] = {}
        self._noted: set[tuple[str, ...]] = set()
        self._names: dict[str, list[str]] = {}

    def watch(self, frame: FrameType, event: str, argument: object) -> None:
        """Note a call of the plugin or of an operator; Python calls this method at each event."""
        if event != "call":
            return
        code = frame.f_code
        side = self._files.get(code.co_filename)
        if side is None:
            side = self._files[code.co_filename] = self._side(code.co_filename, frame)
        if side in (_OTHER, _UPSTREAM) or not code.co_flags & _FUNCTION:
            return
        try:
            if side == _CALLED:
                self._operator(frame)
            else:
                self._method(frame)
        except Exception as error:
            self._note("unreadable", f"{_around(frame)}: {type(error).__name__}")

    def _side(self, file: str, frame: FrameType) -> str:
        module = str(frame.f_globals.get("__name__"))
        if file.startswith("<"):
            return _OTHER
        if module == _OPERATORS[0]:
            return _CALLED
        return self.sides.get(module.partition(".")[0], _OTHER)

    def _method(self, frame: FrameType) -> None:
        name = _name(frame)
        if name is None:
            return
        caller = self._caller(frame)
        if caller is None:
            self._note("ran", name)
            return
        if self._note("called", name, _around(caller)):
            self._above(caller)
        if frame.f_code.co_flags & _RESUMED:
            # This may be a later step of it, when names have other values.
            return
        for parameter, value in _arguments(frame):
            self._kind(("argument", name, parameter), value)

    def _above(self, caller: FrameType) -> None:
        """Note which functions of upstream led to a call."""
        for _ in range(_ABOVE):
            above = self._caller(caller)
            if above is None:
                return
            if _around(above) != _around(caller):
                self._note("led", _around(caller), _around(above))
            caller = above

    def _caller(self, frame: FrameType) -> FrameType | None:
        """The function of upstream that called this, whoever handed the call on, else None."""
        above = frame.f_back
        for _ in range(_BETWEEN):
            if above is None:
                return None
            side = self._files.get(above.f_code.co_filename)
            if side is None:
                side = self._side(above.f_code.co_filename, above)
            if side == _UPSTREAM:
                return above
            if side == _PLUGIN:
                return None
            above = above.f_back
        return None

    def _operator(self, frame: FrameType) -> None:
        if _qualname(frame.f_code) not in _OPERATORS[1]:
            return
        given = frame.f_locals
        operator = given.get("self", given.get("self_"))
        name = getattr(operator, "_qualified_op_name", None) or operator._schema.name  # type: ignore[union-attr]
        name = name.partition(".")[0] if "::" in name else str(name)
        values: Mapping[str, object] = given.get("kwargs", {})
        if _of_a_trace((*given["args"], *values.values())):
            return
        self._note("operator", name)
        known = self._parameters(name)
        for place, value in enumerate(given["args"]):
            self._kind(("input", name, known[place] if place < len(known) else str(place)), value)
        for keyword, value in values.items():
            self._kind(("input", name, keyword), value)

    def _parameters(self, operator: str) -> list[str]:
        if operator not in self._names:
            self._names[operator] = []
            schemas = sys.modules["torch"]._C._jit_get_schemas_for_operator(operator)
            self._names[operator] = [each.name for each in schemas[0].arguments] if schemas else []
        return self._names[operator]

    def _kind(self, what: tuple[str, ...], value: object) -> None:
        kind, shape = _described(value)
        if what[0] == "input" and type(value) in (int, float, str):
            # The options of an operator decide what it computes.
            shape = (str(value),)
        key = (*what, kind, str(len(shape)) if shape is not None else "")
        before = self._shapes.get(key)
        merged = shape if before is None or shape is None else _merged(before, shape)
        if key not in self._shapes or merged != before:
            self._shapes[key] = merged
            self._write([*what, kind, list(merged) if merged is not None else None])

    def _note(self, *fact: str) -> bool:
        """Note a fact, and return whether it is new."""
        if fact in self._noted:
            return False
        self._noted.add(fact)
        self._write(list(fact))
        return True

    def _write(self, fact: Sequence[object]) -> None:
        # One short write at the end of the file: processes share it.
        with open(self.output, "a", encoding="utf-8") as file:
            file.write(f"{json.dumps(fact)}\n")


def _merged(one: Shape, other: Shape) -> Shape:
    return tuple(a if a == b else "n" for a, b in zip(one, other, strict=True))


def _name(frame: FrameType) -> str | None:
    """``module:Class.method``, None for what has no name of its own."""
    qualname = _qualname(frame.f_code)
    return None if qualname.rpartition(".")[2].startswith("<") else _around(frame)


def _around(frame: FrameType) -> str:
    """``module:Class.method`` of the function around a comprehension or the like; ``module:`` of a module."""
    qualname = re.sub(r"(\.<locals>)?\.?<(?!locals>).*", "", _qualname(frame.f_code))
    return f"{frame.f_globals.get('__name__')}:{qualname}"


def _qualname(code: CodeType) -> str:
    return str(getattr(code, "co_qualname", code.co_name))


def _arguments(frame: FrameType) -> Iterator[tuple[str, object]]:
    code, given = frame.f_code, frame.f_locals
    named = code.co_argcount + code.co_kwonlyargcount
    for place, name in enumerate(code.co_varnames[:named]):
        if name in given and not (place == 0 and name in _SELF):
            yield name, given[name]
    rest = code.co_varnames[named : named + bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)]
    for name in rest:
        value = given.get(name)
        if isinstance(value, dict):
            yield from value.items()
        elif isinstance(value, tuple):
            yield from ((f"{name}[{place}]", each) for place, each in enumerate(value))


def _described(value: Any) -> tuple[str, Shape | None]:
    """Return the kind of a value, and the shape of a tensor, in which symbolic dimensions are ``n``."""
    if value is None or isinstance(value, bool):
        return str(value), None
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}", None
    if isinstance(value, type):
        return f"class {value.__qualname__}", None
    if _is_tensor(value):
        dimensions = tuple(d if type(d) is int else "n" for d in value.shape)
        return f"{str(value.dtype).removeprefix('torch.')} on {value.device.type}", dimensions
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        first = next(iter(value), None)
        if first is None:
            return type(value).__name__, None
        kind, shape = _described(first) if not isinstance(first, list | tuple | bool) else ("", None)
        return f"{type(value).__name__} of {kind or type(first).__name__}", shape
    return type(value).__qualname__, None


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _of_a_trace(values: Sequence[object]) -> bool:
    """Whether an operator is only traced: tensors without memory are handed to it."""
    return any(type(each).__name__ in ("FakeTensor", "FunctionalTensor") for each in values)


class _Start:
    """Starts to watch when the plugin is first imported: what runs before is upstream's alone."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find nothing: that is for others."""
        if self.recorder.sides.get(name) == _PLUGIN:
            sys.meta_path.remove(self)
            threading.setprofile(self.recorder.watch)
            sys.setprofile(self.recorder.watch)
        return None


def start(told: str) -> None:
    """Begin to watch this process."""
    given = json.loads(told)
    recorder = Recorder(given["file"], given["upstream"], given["plugin"])
    sys.meta_path.insert(0, _Start(recorder))


if __name__ == "sitecustomize" and VARIABLE in os.environ:
    start(os.environ[VARIABLE])
