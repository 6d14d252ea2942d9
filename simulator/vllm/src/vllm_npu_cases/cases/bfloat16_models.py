"""Each model in bfloat16, with heads of real size: the tokens are those of transformers in bfloat16, up to ties."""

import dataclasses

from vllm_npu_cases.bfloat16 import in_bfloat16
from vllm_npu_cases.cases import case_of, register

#: Cases by the module that registers them.
_CASES = {
    **{name: name for name in ("qwen3", "qwen3_moe", "qwen2_moe", "deepseek_v3", "mistral", "gemma3", "hybrid")},
    "whisper": "whisper",
    **dict.fromkeys(("qwen3_vl", "qwen3_vl_video", "qwen2_5_vl", "qwen2_5_vl_video"), "vision"),
}

#: The faults that rounding hides even so.
_BLIND_TO = {"qwen3_vl_video": {"encoder_attention": "rounding hides how the patches of two frames attend"}}

for _name, _module in _CASES.items():
    _case = in_bfloat16(case_of(f"{__package__}.{_module}", _name))
    register(dataclasses.replace(_case, blind_to={**_case.blind_to, **_BLIND_TO.get(_name, {})}))
