"""What a recipe says of a tiny model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

VOCABULARY = 1000
END = 1
PADDING = 2

#: A short prompt, a shorter one, one longer than a KV block and than a chunk of the prefill, one that repeats.
PROMPTS: tuple[tuple[int, ...], ...] = (
    (5, 17, 99, 230, 4, 8),
    (700, 3, 12),
    tuple(range(20, 220)),
    (42, 42, 42, 42, 42, 900, 901, 13),
)

#: Settings that the text models' configurations share.
COMMON: Mapping[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "max_position_embeddings": 2048,
    "bos_token_id": None,
    "eos_token_id": END,
    "pad_token_id": PADDING,
    "tie_word_embeddings": False,
}


@dataclass(frozen=True)
class Recipe:
    """A tiny model and how to ask it."""

    name: str
    #: Returns the transformers configuration; transformers is imported inside.
    configuration: Callable[[], Any]
    #: Operators that must have run, so that no fallback computed the tokens.
    operators: tuple[str, ...]
    #: Name of the transformers class that loads the model.
    auto_class: str = "AutoModelForCausalLM"
    prompts: tuple[tuple[int, ...], ...] = PROMPTS
    new_tokens: int = 12
    #: Arguments for vllm.LLM beyond those of every model.
    engine: Mapping[str, Any] = field(default_factory=dict)
