"""Qwen3: grouped-query attention with normalised queries and keys."""

from typing import Any

from vllm_npu_cases.models.recipe import COMMON, DENSE, Recipe


def _configuration() -> Any:
    from transformers import Qwen3Config

    return Qwen3Config(**COMMON, num_attention_heads=4, num_key_value_heads=2, head_dim=32)


RECIPE = Recipe(name="qwen3", configuration=_configuration, operators=DENSE)
