"""Counts calls in this process: of torch_npu's operators, and of functions of the backend.

The simulated device counts its operators where it computes them. On a real one the functions of ``torch_npu`` that
the backend calls are wrapped instead; the operators themselves are left alone.
"""

import functools
from collections import Counter
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import torch
from ascend_backend import device

_calls: Counter[str] = Counter()
#: Calls that became part of a graph: its replays do not come by here.
_captured: Counter[str] = Counter()
_functions: Counter[str] = Counter()


def begin() -> None:
    """Count the backend's calls of torch_npu from now on, in a process with a real device."""
    import torch_npu
    from ascend_backend.ops.availability import SINCE

    def note(name: str) -> None:
        (_captured if torch.npu.is_current_stream_capturing() else _calls)[name] += 1

    # Models with a gated delta net alone ask for all of them.
    for name in SINCE:
        if hasattr(torch_npu, name):
            setattr(torch_npu, name, _noted(getattr(torch_npu, name), functools.partial(note, name)))


def operators(clear: bool) -> dict[str, int]:
    """Return the calls of every operator since the last ``clear``; on a real device also those of all captures."""
    if device.simulated():
        from torch_npu_sim.operators import calls

        found = dict(calls)
    else:
        calls = _calls
        found = dict(calls + _captured)
    if clear:
        calls.clear()
    return found


def functions(module: ModuleType, names: Iterable[str]) -> dict[str, int]:
    """Return the calls of the functions that are counted; count those of ``names`` from now on."""
    for name in names:
        if name not in _functions:
            _functions[name] = 0
            note = functools.partial(_functions.update, [name])
            setattr(module, name, _noted(getattr(module, name), note))
    return dict(_functions)


def _noted(function: Callable[..., Any], note: Callable[[], None]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        note()
        return function(*arguments, **keywords)

    return call
