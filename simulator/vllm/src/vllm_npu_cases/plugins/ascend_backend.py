"""The backend of this project."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from torch_npu_sim.settings import variable

from vllm_npu_cases.plugins.plugin import Plugin


def _operators(case: Any) -> tuple[str, ...]:
    return (*case.model.operators, *case.operators)


def _graphs() -> dict[str, int]:
    from ascend_backend.compilation.acl_graphs import Graph

    return {"captures": Graph.captures, "replays": Graph.replays}


def _counted() -> Iterable[str]:
    from ascend_backend.ops.availability import SINCE

    return SINCE


def _faults() -> Mapping[str, Callable[[], None]]:
    from vllm_npu_cases.plugins import ascend_backend_faults

    return ascend_backend_faults.FAULTS


PLUGIN = Plugin(
    package="ascend_backend",
    runners={"v1": ".NPUModelRunner", "v2": ".NPUModelRunnerV2"},
    variables={"VLLM_PLUGINS": "ascend,ascend_layers,ascend_encoder_cache,ascend_encoder_cache_info"},
    # Strict: each call is held to what the documents of its operator demand (torch_npu_sim.strictness).
    simulated={variable("float32"): "1", variable("strict"): "1"},
    features=frozenset(
        {"attention_calls", "breakable_graphs", "decode_without_waits", "encoder_cache_bytes", "kv_offload_counts"}
        | {"kv_offload_tiers", "latent_context_chunks", "memory_plan"}
    ),
    operators=_operators,
    graphs=_graphs,
    counted=_counted,
    faults=_faults,
)
