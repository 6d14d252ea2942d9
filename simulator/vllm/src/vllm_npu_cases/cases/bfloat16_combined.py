"""Served experts and further settings together, in bfloat16: no token changes but at ties.

EAGLE's head and the layer for multi-token prediction are fitted to the model's float32 states, and have none here.
"""

from vllm_npu_cases.bfloat16 import in_bfloat16
from vllm_npu_cases.cases import case_of, register

#: Cases by the module that registers them.
_CASES = {
    "serve_moe_expert_parallel": "moe_parallel",
    "lora_graphs": "combined",
    "sleep_graphs": "combined",
    "lora_tensor_parallel_pictures_ngram_prefix_caching_chunked_prefill_offload": "combined",
}

for _name, _module in _CASES.items():
    register(in_bfloat16(case_of(f"{__package__}.{_module}", _name)))
