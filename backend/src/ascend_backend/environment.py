"""The environment that a device needs before a worker imports torch_npu: what is set, and what is not compatible.

What the user has set stays. Workers are processes of their own, which inherit it from the one that starts them.
"""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Default:
    """A variable, its value where the user has set none of ``unless``, and who says so."""

    name: str
    value: str
    source: str
    unless: tuple[str, ...] = ()


_SPAWN = Default(
    "VLLM_WORKER_MULTIPROC_METHOD",
    "spawn",
    "vLLM asks for the device's memory in the first process, and torch_npu cannot begin again in a fork of it",
)
#: Where memory is not given back: vLLM Ascend sets it in the same case alone, and names it for fragmentation.
_SEGMENTS = Default(
    "PYTORCH_NPU_ALLOC_CONF",
    "expandable_segments:True",
    "vllm_ascend/platform.py (_set_pytorch_npu_alloc_env); torch_npu refuses this name and PYTORCH_ALLOC_CONF together",
    unless=("PYTORCH_ALLOC_CONF",),
)


def prepare(environment: MutableMapping[str, str], *, sleep_mode: bool) -> None:
    """Set what is not set."""
    for default in (_SPAWN,) if sleep_mode else (_SPAWN, _SEGMENTS):
        if not any(name in environment for name in (default.name, *default.unless)):
            environment[default.name] = default.value


def without_graphs(environment: Mapping[str, str]) -> str | None:
    """Return which variable prevents that graphs are captured, or None.

    torch_npu says: "Do not support TASK_QUEUE_ENABLE = 2 during NPU graph capture, please export
    TASK_QUEUE_ENABLE=1/0" (libtorch_npu.so of 2.14.0).
    """
    if environment.get("TASK_QUEUE_ENABLE") == "2":
        return "torch_npu captures none with TASK_QUEUE_ENABLE=2: export TASK_QUEUE_ENABLE=1"
    return None
