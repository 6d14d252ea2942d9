"""Qwen2.5-VL: an encoder that attends within windows, rotary angles of three axes side by side."""

from typing import Any

from vllm_npu_cases.models import vision
from vllm_npu_cases.models.recipe import COMMON, DENSE, Recipe

_PATCH = 14


def _configuration() -> Any:
    from transformers import Qwen2_5_VLConfig

    text = {
        **COMMON,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [6, 5, 5]},
    }
    tower = {
        "depth": 3,
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_heads": 2,
        "out_hidden_size": 64,
        "patch_size": _PATCH,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
        "window_size": 56,
        "fullatt_block_indexes": [1],
        "tokens_per_second": 2,
    }
    return Qwen2_5_VLConfig(text_config=text, vision_config=tower, tie_word_embeddings=False, **vision.IDS)


def _processor(tokenizer: Any) -> Any:
    from transformers import Qwen2_5_VLProcessor, Qwen2VLImageProcessor, Qwen2VLVideoProcessor

    settings = {"patch_size": _PATCH, "size": dict(vision.PIXELS)}
    return Qwen2_5_VLProcessor(
        image_processor=Qwen2VLImageProcessor(**settings),
        tokenizer=tokenizer,
        video_processor=Qwen2VLVideoProcessor(**settings),
    )


RECIPE = Recipe(
    name="qwen2_5_vl",
    configuration=_configuration,
    operators=(*DENSE, *vision.OPERATORS),
    auto_class="AutoModelForImageTextToText",
    special_tokens=vision.SPECIAL_TOKENS,
    processor=_processor,
    engine={"limit_mm_per_prompt": {"image": 3, "video": 1}},
)
