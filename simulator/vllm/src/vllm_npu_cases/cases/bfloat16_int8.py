"""Weights and activations in int8 beside bfloat16: transformers does the same sums, and tokens are its up to ties."""

from vllm_npu_cases.bfloat16 import in_bfloat16
from vllm_npu_cases.cases import case_of, register

#: Cases by the module that registers them.
_CASES = {
    **dict.fromkeys(("w8a8", "w8a8_static_tensor_parallel", "w8a8_moe_graphs_tensor_parallel"), "w8a8"),
    "w8a8_moe_modelslim": "w8a8",
    "w8a8_modelslim_mixed": "w8a8_modelslim_mixed",
    "w8a8_moe_data_parallel": "moe_parallel",
}

for _name, _module in _CASES.items():
    register(in_bfloat16(case_of(f"{__package__}.{_module}", _name)))
