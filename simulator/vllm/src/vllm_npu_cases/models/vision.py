"""Shared by the tiny vision models: the tokens for pictures, and the number of patches that there may be."""

from collections.abc import Mapping

START, STOP, IMAGE, VIDEO = 990, 991, 992, 993

SPECIAL_TOKENS: Mapping[str, int] = {
    "<|vision_start|>": START,
    "<|vision_end|>": STOP,
    "<|image_pad|>": IMAGE,
    "<|video_pad|>": VIDEO,
}

#: Token ids of the configuration.
IDS: Mapping[str, int] = {
    "vision_start_token_id": START,
    "vision_end_token_id": STOP,
    "image_token_id": IMAGE,
    "video_token_id": VIDEO,
}

#: Bounds of a picture's pixels; the largest one is what a profile run would encode.
PIXELS: Mapping[str, int] = {"shortest_edge": 32 * 32, "longest_edge": 128 * 128}

#: Operators of an encoder beside those of the decoder.
OPERATORS = ("npu_fusion_attention",)
