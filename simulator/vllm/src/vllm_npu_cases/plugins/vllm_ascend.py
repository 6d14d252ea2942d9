"""vllm-ascend, as its maintainers publish it: https://github.com/vllm-project/vllm-ascend."""

from collections.abc import Callable, Mapping
from typing import Any

from vllm_npu_cases.plugins.plugin import Plugin
from vllm_npu_cases.versions import is_at_least

_NAME = "vllm-ascend"
#: npugraph_ex is a compiler of torch_npu that needs CANN's.
_COMPILED = {"additional_config": {"ascend_compilation_config": {"enable_npugraph_ex": False}}}
_DENSE = ("npu_rms_norm", "npu_scatter_pa_kv_cache", "npu_fused_infer_attention_score", "npu_swiglu")
#: By model; a model that is not listed is proven by its tokens alone.
_OPERATORS = {
    "qwen3": _DENSE,
    "qwen3_unpadded": _DENSE,
    "qwen3_moe": (*_DENSE[:3], "npu_moe_init_routing_v2", "npu_grouped_matmul", "npu_moe_token_unpermute"),
}


def _operators(case: Any) -> tuple[str, ...]:
    return _OPERATORS.get(case.model.name, ())


def _graphs() -> dict[str, int]:
    from torch_npu_sim.graphs.recorder import counts

    return {"captures": counts["captures"], "replays": counts["replays"]}


def _faults() -> Mapping[str, Callable[[], None]]:
    from vllm_npu_cases.plugins import vllm_ascend_faults

    return vllm_ascend_faults.FAULTS


PLUGIN = Plugin(
    package="vllm_ascend",
    runners={"v1": "model_runner_v1.NPUModelRunner", "v2": "v2.model_runner.NPUModelRunner"},
    # All of its entry points: none is named.
    variables={},
    # Its compiler returns a module of torch.fx, which the cache of torch 2.13 refuses; it is made for torch 2.10.
    simulated={"TORCH_NPU_SIM_FLOAT32": "1", "TORCHINDUCTOR_AUTOGRAD_CACHE": "0"},
    features=frozenset({"compiled_graphs", "modelslim"}),
    # 0.29 alone refuses keys and values of float32.
    simulated_dtype="float16" if is_at_least(_NAME, "0.29.dev0") and not is_at_least(_NAME, "0.30.dev0") else "float32",
    operators=_operators,
    graphs=_graphs,
    faults=_faults,
    engine={
        # In one piece: what was computed before is brought out in bfloat16 alone.
        "deepseek_v3": {"max_num_batched_tokens": 512},
        "graphs_full": {"compilation_config": {"mode": 0}},
        "graphs_torch_compile": _COMPILED,
        # It takes whole numbers beside half types alone.
        "quantised": {"quantization": "ascend", "dtype": "float16"},
        # Weights in the device's own format cannot be given up and loaded anew.
        "sleep": {"additional_config": {"weight_nz_mode": 0}},
    },
)
