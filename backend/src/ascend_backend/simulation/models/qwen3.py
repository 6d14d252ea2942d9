"""Qwen3: grouped-query attention with normalised queries and keys."""

from typing import Any

from ascend_backend.simulation.models import register
from ascend_backend.simulation.models.recipe import COMMON, Recipe


def _configuration() -> Any:
    from transformers import Qwen3Config

    return Qwen3Config(**COMMON, num_attention_heads=4, num_key_value_heads=2, head_dim=32)


RECIPE = register(
    Recipe(
        name="qwen3",
        configuration=_configuration,
        operators=(
            "npu_rms_norm",
            "npu_add_rms_norm",
            "npu_swiglu",
            "npu_rotary_mul",
            "npu_scatter_pa_kv_cache",
            "npu_fused_infer_attention_score",
        ),
    )
)
