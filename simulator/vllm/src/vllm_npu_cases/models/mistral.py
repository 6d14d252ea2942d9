"""Mistral: every layer sees the last tokens alone."""

from typing import Any

from vllm_npu_cases.models.recipe import COMMON, DENSE, Recipe

#: Shorter than the longest prompt, and no multiple of a block.
WINDOW = 50


def _configuration() -> Any:
    from transformers import MistralConfig

    return MistralConfig(**COMMON, num_attention_heads=4, num_key_value_heads=2, head_dim=32, sliding_window=WINDOW)


RECIPE = Recipe(name="mistral", configuration=_configuration, operators=DENSE)
