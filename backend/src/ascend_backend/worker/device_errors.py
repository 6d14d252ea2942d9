"""Failures on a device that need words: what was wanted, what there was, what helps.

Errors of torch and vLLM that say too little are raised again as subclasses of what they were, with one line.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from ascend_backend import _lane
from ascend_backend.ops.availability import SINCE

#: What torch_npu's allocators say: the amount, the device, its size, what is free.
_OUT_OF_MEMORY = re.compile(
    r"NPU out of memory\.(?P<workspace> NPUWorkspaceAllocator)?.*?[Tt]ried to allocate (?P<asked>[\d.]+ \w+)"
    r"\s*\(NPU (?P<device>\d+); (?P<total>[\d.]+ \w+) total capacity;.*?(?P<free>[\d.]+ \w+) free",
    re.DOTALL,
)
_MISSING_OPERATOR = re.compile(r"'_OpNamespace' '(?P<namespace>\w+)' object has no attribute '(?P<name>\w+)'")

_GIB = 1 << 30


class NPUOutOfMemoryError(torch.OutOfMemoryError):
    """The device has no room for what was asked."""


class MemoryGrewError(AssertionError):
    """Memory became free while vLLM measured how much it takes."""


class MissingOperatorError(AttributeError):
    """A custom operator that no extension of this installation registers."""


def out_of_memory(text: str) -> str | None:
    """Return what was asked, what is free and three settings that help; None if ``text`` says otherwise.

    The workspace of operators is taken apart from torch's caching allocator: what helps differs.
    """
    found = _OUT_OF_MEMORY.search(text)
    if found is None:
        return None
    last = "TASK_QUEUE_ENABLE=1" if found["workspace"] else "PYTORCH_NPU_ALLOC_CONF=expandable_segments:True"
    return (
        f"NPU {found['device']} is out of memory: {found['asked']} asked, {found['free']} of {found['total']} free; "
        "lower --gpu-memory-utilization (leaves more beside the KV cache) or --max-num-batched-tokens (smaller "
        f"activations), or set {last}"
    )


def missing_operator(text: str) -> str | None:
    """Return which custom operator is missing and what has it; None if ``text`` says otherwise.

    Of the operators that the backend calls itself the first release with them is known; of others, what the
    lane was made with.
    """
    found = _MISSING_OPERATOR.search(text)
    if found is None:
        return None
    operator = f"torch.ops.{found['namespace']}.{found['name']}"
    if found["namespace"] == "npu":
        name = found["name"]
        if name in SINCE:
            which = f"torch_npu {SINCE[name]} is the first release that takes the call: run pip install"
            return f"the installed torch_npu has no operator {operator}; {which} 'torch_npu>={SINCE[name]}'"
        return (
            f"the installed torch_npu has no operator {operator}; this wheel was made with torch_npu "
            f"{_lane.TORCH_NPU}: run pip install 'torch_npu=={_lane.TORCH_NPU}'"
        )
    return (
        f"{operator} is not registered: it belongs to vLLM's extension for other devices, which the NPU "
        "does not have; the feature that calls it has to be turned off or overridden by the backend"
    )


def grown(initial: int, current: int) -> str:
    """Return the line for free memory that grew from ``initial`` to ``current`` bytes while profiling."""
    return (
        f"free NPU memory grew from {initial / _GIB:.2f} to {current / _GIB:.2f} GiB while vLLM measured its own "
        "use: another process on the device, or what else runs in this one, gave memory back; wait until it has "
        "done so (npu-smi info shows it), then start again, or set --kv-cache-memory-bytes, which skips the measurement"
    )


@contextmanager
def explained() -> Iterator[None]:
    """Raise what is known to say too little with one line, the original as its cause."""
    try:
        yield
    except RuntimeError as error:
        if (line := out_of_memory(str(error))) is None:
            raise
        raise NPUOutOfMemoryError(line) from error
    except AttributeError as error:
        if (line := missing_operator(str(error))) is None:
            raise
        raise MissingOperatorError(line) from error
