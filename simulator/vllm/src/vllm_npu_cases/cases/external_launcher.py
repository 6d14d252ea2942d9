"""External launcher: torchrun starts two engines, which split every layer and sleep together."""

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register, sleep
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models.qwen3 import RECIPE
from vllm_npu_cases.question import TEXTS
from vllm_npu_cases.side_by_side import in_two_processes

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

_ENGINE = {"distributed_executor_backend": "external_launcher", "tensor_parallel_size": 2, "enable_sleep_mode": True}
#: Without a size of the KV cache vLLM profiles.
_PROFILED = {"kv_cache_memory_bytes": None, "gpu_memory_utilization": 0.5, "num_gpu_blocks_override": 16}
#: More than the tiny model takes while it is profiled.
_HELD_BYTES = 256 << 20


def _launched(rank: int, port: int) -> None:
    """Set what torchrun tells a process."""
    place = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": 2, "LOCAL_WORLD_SIZE": 2}
    address = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    os.environ.update({name: str(value) for name, value in {**place, **address}.items()})


def _sleeping(session: "Session", port: int, rank: int) -> Any:
    _launched(rank, port)
    llm = session.llm(**_PROFILED)
    return sleep.sleep_and_wake(session, llm) | {"heads": llm.collective_rpc("probe_heads")[0]}


def _growing(session: "Session", port: int, rank: int) -> Any:
    """Return why no engine starts where memory of one device becomes free during the profile, and the tokens of one
    that is told the size of its KV cache."""
    import torch
    from torch.nn.modules.module import register_module_forward_pre_hook

    _launched(rank, port)
    held = []
    if rank == 0:
        # As a trainer does in the same process, before the worker looks what is free.
        held.append(torch.empty(_HELD_BYTES, dtype=torch.int8, device="npu:0"))
    hook = register_module_forward_pre_hook(lambda module, given: held.clear())
    try:
        session.llm(**_PROFILED)
        refusal = None
    except AssertionError as error:
        refusal = str(error)
    finally:
        hook.remove()
    return {"refusal": refusal, "tokens": session.generate(session.llm(), TEXTS)}


def _ask(work: Any, session: "Session") -> Any:
    from vllm_npu_cases.server import free_port

    return in_two_processes(partial(work, session, free_port()))


def _differs(answer: Any, expected: Any) -> str | None:
    model = RECIPE.configuration()
    for rank, each in enumerate(answer):
        if list(each["heads"].values()) != [model.num_attention_heads // 2] * model.num_hidden_layers:
            return f"layers are not split between two processes, the heads of rank {rank} are {each['heads']}"
        if (difference := sleep.differs(each, expected)) is not None:
            return f"rank {rank}: {difference}"
    return None


def _differs_in_memory(answer: Any, expected: Any) -> str | None:
    for rank, each in enumerate(answer):
        if "rank 0: free NPU memory grew" not in (each["refusal"] or ""):
            return f"rank {rank} does not refuse a profile in which memory of rank 0 became free: {each['refusal']}"
        if (difference := equal(each["tokens"], expected)) is not None:
            return f"rank {rank}: {difference}"
    return None


register(
    Case(
        "external_launcher",
        RECIPE,
        engine=_ENGINE,
        ask=partial(_ask, _sleeping),
        differs=_differs,
        faults=("memory_kept", "all_reduce_left_out"),
    )
)
register(
    Case(
        "external_launcher_memory",
        RECIPE,
        engine=_ENGINE,
        needs=frozenset({"memory_plan"}),
        ask=partial(_ask, _growing),
        differs=_differs_in_memory,
        faults=("growth_overlooked",),
    )
)
