"""Tiny models whose attention heads are as wide as those of published ones: operators document few widths for half
types."""

import dataclasses
from functools import partial
from typing import Any

from vllm_npu_cases.models.recipe import Recipe

#: The width of a head that published models have, and that all attention operators document.
SIZE = 128
#: How the axes of a picture share the pairs of a head, by model.
_SECTIONS = {"qwen3_vl": [24, 20, 20], "qwen2_5_vl": [16, 24, 24]}


def _configuration(recipe: Recipe) -> Any:
    configuration = recipe.configuration()
    if recipe.name == "deepseek_v3":
        return configuration
    if recipe.name == "whisper":
        configuration.d_model = configuration.encoder_attention_heads * SIZE
        return configuration
    text = configuration.get_text_config()
    if getattr(text, "head_dim", None):
        text.head_dim = SIZE
        if hasattr(text, "query_pre_attn_scalar"):
            text.query_pre_attn_scalar = SIZE
    else:
        # A head is what the hidden size gives it.
        text.hidden_size = text.num_attention_heads * SIZE
        if text is not configuration:
            configuration.vision_config.out_hidden_size = text.hidden_size
    if recipe.name in _SECTIONS:
        text.rope_parameters["mrope_section"] = _SECTIONS[recipe.name]
    return configuration


def with_real_heads(recipe: Recipe) -> Recipe:
    """Return the recipe of the model with heads of ``SIZE``; small in all else."""
    return dataclasses.replace(recipe, name=f"{recipe.name}_heads_{SIZE}", configuration=partial(_configuration, recipe))
