"""Faults that a case has to notice: in the device's operators, in the device itself, in lines of vLLM and of a plugin.

A fault is a function that changes this process; its docstring says what is wrong then.
"""

import os
from collections.abc import Callable, Mapping

from vllm_npu_cases.plugins import plugin

#: Names the fault that every process of a run plants.
VARIABLE = "VLLM_NPU_CASES_FAULT"

_planted: set[str] = set()


def known() -> Mapping[str, Callable[[], None]]:
    """Return all faults by name; where a plugin has its own way to plant one, that."""
    # A run without a fault has nothing to do with them.
    from vllm_npu_cases.faults import in_device, in_engine, in_operators

    return {**in_operators.FAULTS, **in_device.FAULTS, **in_engine.FAULTS, **plugin().faults()}


def plant() -> None:
    """Plant the fault that the environment names, if there is one, once in this process and those forked from it."""
    name = os.environ.get(VARIABLE)
    if name and name not in _planted:
        _planted.add(name)
        known()[name]()
