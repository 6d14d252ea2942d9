"""Counts calls in this process: of torch_npu's operators, and of functions of the backend.

The simulated device counts its operators where it computes them. On a real one the functions of ``torch_npu`` that
the backend calls are wrapped instead; the operators themselves are left alone.
"""

import functools
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import torch

from vllm_npu_cases.plugins import plugin

_calls: Counter[str] = Counter()
#: Calls that became part of a graph: its replays do not come by here.
_captured: Counter[str] = Counter()
_functions: Counter[str] = Counter()


def simulated() -> bool:
    """Return whether the simulated device is in this process."""
    return "torch_npu_sim.operators" in sys.modules


def begin() -> None:
    """Count the plugin's calls of torch_npu from now on, in a process with a real device."""
    import torch_npu

    def note(name: str) -> None:
        (_captured if torch.npu.is_current_stream_capturing() else _calls)[name] += 1

    # Models with a gated delta net alone ask for all of them.
    for name in plugin().counted():
        if hasattr(torch_npu, name):
            setattr(torch_npu, name, _noted(getattr(torch_npu, name), functools.partial(note, name)))


def operators(clear: bool) -> dict[str, int]:
    """Return the calls of every operator since the last ``clear``; on a real device also those of all captures."""
    if simulated():
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
