"""Features of serving in bfloat16: graphs, caches, drafts and several devices change no token but at ties."""

from vllm_npu_cases.bfloat16 import in_bfloat16
from vllm_npu_cases.cases import case_of, register

#: Cases by the module that registers them.
_CASES = {
    **{name: name for name in ("graphs_full", "graphs_pieces", "graphs_mla", "graphs_tensor_parallel")},
    **{name: name for name in ("chunked_prefill", "prefix_caching", "async_scheduling", "structured_output", "ngram")},
    **{name: name for name in ("lora", "sleep", "serve", "mla_context", "external_launcher")},
    **{name: name for name in ("tensor_parallel", "pipeline_parallel", "data_parallel")},
    **dict.fromkeys(("offload", "offload_mla", "offload_mixed"), "offload"),
    **dict.fromkeys(("shared_folder", "shared_folder_mla"), "shared_folder"),
    **dict.fromkeys(
        (
            "lora_tensor_parallel",
            "moe_graphs_tensor_parallel",
            "graphs_offload",
            "moe_graphs_ngram_prefix_caching_chunked_prefill_sleep",
            "lora_graphs_tensor_parallel_pictures_async_scheduling_sleep",
        ),
        "combined",
    ),
}

for _name, _module in _CASES.items():
    register(in_bfloat16(case_of(f"{__package__}.{_module}", _name)))
