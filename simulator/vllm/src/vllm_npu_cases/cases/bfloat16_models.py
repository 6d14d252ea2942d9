"""Each model in bfloat16, with heads of real size: the tokens are those of transformers in bfloat16, up to ties."""

from vllm_npu_cases.bfloat16 import in_bfloat16
from vllm_npu_cases.cases import case_of, register

#: Cases by the module that registers them.
_CASES = {
    **{name: name for name in ("qwen3", "qwen3_moe", "qwen2_moe", "deepseek_v3", "mistral", "gemma3", "hybrid")},
    "whisper": "whisper",
    **dict.fromkeys(("qwen3_vl", "qwen3_vl_video", "qwen2_5_vl", "qwen2_5_vl_video"), "vision"),
}

for _name, _module in _CASES.items():
    register(in_bfloat16(case_of(f"{__package__}.{_module}", _name)))
