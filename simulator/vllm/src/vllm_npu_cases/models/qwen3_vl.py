"""Qwen3-VL: features of several encoder layers enter the decoder, rotary angles of three axes interleave."""

from typing import Any

from vllm_npu_cases.models import vision
from vllm_npu_cases.models.recipe import COMMON, DENSE, Recipe
from vllm_npu_cases.versions import is_at_least

_PATCH = 16
#: Of pictures and videos alike, as in the published models: vLLM scales both on the device, as it does pictures.
_SCALES = {"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}


def _configuration() -> Any:
    from transformers import Qwen3VLConfig

    text = {
        **COMMON,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 32,
        # By the names that transformers 4 knows; 5 makes ``rope_parameters`` of them.
        "rope_theta": 10000.0,
        "rope_scaling": {"rope_type": "default", "mrope_section": [6, 5, 5], "mrope_interleaved": True},
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
        "num_position_embeddings": 64,
        "deepstack_visual_indexes": [0, 1],
    }
    return Qwen3VLConfig(text_config=text, vision_config=tower, tie_word_embeddings=False, **vision.IDS)


def _processor(tokenizer: Any) -> Any:
    from transformers import Qwen2VLImageProcessor, Qwen3VLProcessor, Qwen3VLVideoProcessor

    settings = {"patch_size": _PATCH, "size": dict(vision.PIXELS), **_SCALES}
    low, high = vision.PIXELS["shortest_edge"], vision.PIXELS["longest_edge"]
    # Before 5 transformers took its default size and listened to bounds of pixels alone.
    bounds = {} if is_at_least("transformers", "5") else {"min_pixels": low, "max_pixels": high}
    return Qwen3VLProcessor(
        image_processor=Qwen2VLImageProcessor(**settings, **bounds),
        tokenizer=tokenizer,
        video_processor=Qwen3VLVideoProcessor(**settings),
    )


RECIPE = Recipe(
    name="qwen3_vl",
    configuration=_configuration,
    operators=(*DENSE, *vision.OPERATORS),
    auto_class="AutoModelForImageTextToText",
    special_tokens=vision.SPECIAL_TOKENS,
    processor=_processor,
    engine={"limit_mm_per_prompt": {"image": 3, "video": 1}},
)
