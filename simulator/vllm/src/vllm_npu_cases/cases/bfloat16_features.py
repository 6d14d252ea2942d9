"""What serving adds to a model, in bfloat16: graphs, caches, drafts and several devices change no token but at ties."""

from vllm_npu_cases.bfloat16 import in_bfloat16
from vllm_npu_cases.cases import case_of, register

#: Cases by the module that registers them.
_CASES = {
    **{name: name for name in ("graphs_full", "graphs_pieces", "graphs_mla", "graphs_tensor_parallel")},
    **{name: name for name in ("chunked_prefill", "prefix_caching", "async_scheduling", "ngram", "lora", "sleep")},
    **{name: name for name in ("mla_context", "offload", "tensor_parallel", "data_parallel")},
    "offload_mla": "offload",
    "offload_mixed": "offload",
}

for _name, _module in _CASES.items():
    register(in_bfloat16(case_of(f"{__package__}.{_module}", _name)))
