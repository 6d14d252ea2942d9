"""The questions of cases: a model and the requests to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vllm_npu_cases.models.recipe import Recipe


@dataclass(frozen=True)
class Request:
    """A prompt of token ids, and the pictures, videos and sounds that its placeholders stand for.

    Media are described, not stored: an image by its seed, width and height, a video by its seed, frames,
    width and height, a sound by its seed and seconds.
    """

    prompt: tuple[int, ...]
    images: tuple[tuple[int, int, int], ...] = ()
    videos: tuple[tuple[int, int, int, int], ...] = ()
    sounds: tuple[tuple[int, float], ...] = ()


#: A short prompt, a shorter one, one longer than a KV block and than a chunk of the prefill, one that repeats.
TEXTS: tuple[Request, ...] = (
    Request((5, 17, 99, 230, 4, 8)),
    Request((700, 3, 12)),
    Request(tuple(range(20, 220))),
    Request((42, 42, 42, 42, 42, 900, 901, 13)),
)


@dataclass(frozen=True)
class Question:
    """A model, and what it is asked."""

    name: str
    model: Recipe
    requests: tuple[Request, ...] = TEXTS
    new_tokens: int = 12
    #: Arguments for vllm.LLM beyond those of every case and of the model.
    engine: Mapping[str, Any] = field(default_factory=dict)
    #: What a plugin must have beyond vLLM itself.
    needs: frozenset[str] = frozenset()
