"""Pictures, videos and sounds made from a seed, the same in the process of the reference and of the engine."""

from typing import Any

import numpy as np
from PIL import Image

from vllm_npu_cases.question import Request
from vllm_npu_cases.versions import is_at_least

#: Samples a second, as speech models want them.
SAMPLING_RATE = 16000

#: Frames a second of every video. Before 0.31.0 vLLM took every video of Qwen2.5-VL for one of 24.
FRAME_RATE = 2.0 if is_at_least("vllm", "0.31") else 24.0


def image(seed: int, width: int, height: int) -> Image.Image:
    """Return a picture of noise over a gradient, so that every patch differs from the others."""
    noise = np.random.default_rng(seed).integers(0, 128, (height, width, 3))
    slope = np.linspace(0, 127, height * width * 3).reshape(height, width, 3)
    return Image.fromarray((noise + slope).astype(np.uint8))


def video(seed: int, frames: int, width: int, height: int) -> np.ndarray[Any, Any]:
    """Return frames of such pictures, [frames, height, width, 3]."""
    return np.stack([np.asarray(image(seed * 1000 + i, width, height)) for i in range(frames)])


def facts(frames: int) -> dict[str, Any]:
    """Return what goes with such a video, all of whose frames count."""
    return {
        "fps": FRAME_RATE,
        "duration": frames / FRAME_RATE,
        "total_num_frames": frames,
        "frames_indices": list(range(frames)),
        "video_backend": "none",
    }


def sound(seed: int, seconds: float) -> np.ndarray[Any, Any]:
    """Return a mixture of tones and noise, float32."""
    samples = np.arange(int(seconds * SAMPLING_RATE)) / SAMPLING_RATE
    random = np.random.default_rng(seed)
    tones = sum(np.sin(2 * np.pi * f * samples) for f in random.uniform(100, 3000, 5))
    return (0.1 * tones + 0.05 * random.standard_normal(len(samples))).astype(np.float32)


def prompt(request: Request) -> dict[str, Any]:
    """Return the request as vLLM takes it."""
    media: dict[str, Any] = {}
    if request.images:
        media["image"] = [image(*each) for each in request.images]
    if request.videos:
        media["video"] = [(video(*each), facts(each[1]) | {"do_sample_frames": False}) for each in request.videos]
    if request.sounds:
        media["audio"] = [(sound(*each), SAMPLING_RATE) for each in request.sounds]
    return {"prompt_token_ids": list(request.prompt)} | ({"multi_modal_data": media} if media else {})
