"""The recipe of a tiny model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

VOCABULARY = 1000
END = 1
PADDING = 2

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

#: Operators of a dense decoder layer.
DENSE = (
    "npu_rms_norm",
    "npu_add_rms_norm",
    "npu_rotary_mul",
    "npu_scatter_pa_kv_cache",
    "npu_fused_infer_attention_score",
    "npu_swiglu",
)
#: Operators of a decoder layer with experts.
EXPERTS = (
    *DENSE,
    "npu_moe_gating_top_k",
    "npu_moe_init_routing_v2",
    "npu_grouped_matmul",
    "npu_moe_token_unpermute",
)


@dataclass(frozen=True)
class Recipe:
    """A tiny model with random weights."""

    name: str
    #: Returns the transformers configuration; transformers is imported inside.
    configuration: Callable[[], Any]
    #: Operators that must have run, so that no fallback computed the tokens.
    operators: tuple[str, ...]
    #: What the engine computes in on a device: float16 has the finer steps, but not every operator takes it.
    dtype: str = "float16"
    #: Name of the transformers class that loads the model.
    auto_class: str = "AutoModelForCausalLM"
    #: Words of the tokenizer that stand for something else than text, such as the place of an image.
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    #: Returns the transformers processor of a multimodal model around the tokenizer.
    processor: Callable[[Any], Any] | None = None
    #: Arguments for vllm.LLM that the model needs.
    engine: Mapping[str, Any] = field(default_factory=dict)
