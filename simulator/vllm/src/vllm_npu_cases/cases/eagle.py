"""Speculative decoding by an EAGLE head: it drafts from the model's hidden states, and changes no token."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from vllm_npu_cases import drafting
from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models.qwen3 import RECIPE
from vllm_npu_cases.models.recipe import COMMON
from vllm_npu_cases.question import TEXTS

if TYPE_CHECKING:
    from vllm_npu_cases.oracle import Oracle
    from vllm_npu_cases.session import Session

_DRAFTED = 3
#: Deviation of the random weights behind the head's attention: enough to count, too little to drown the rest.
_DEVIATION = 0.01
_SHAPES = {
    "self_attn.q_proj": (128, 64),
    "self_attn.k_proj": (64, 64),
    "self_attn.v_proj": (64, 64),
    "self_attn.o_proj": (64, 128),
    "mlp.gate_proj": (128, 64),
    "mlp.up_proj": (128, 64),
    "mlp.down_proj": (64, 128),
}


def _head(directory: Path) -> Path:
    return directory / "eagle"


def _fitted(oracle: "Oracle", answers: list[list[int]]) -> Any:
    """Return the weight that leads from a token and the hidden state before it to the state that follows.

    It is fitted to the model's own answers, of which there are fewer than unknowns, so that drafts are right
    as long as the requests are those of the case.
    """
    import torch

    given, wanted = [], []
    for request, answer in zip(oracle.case.requests, answers, strict=True):
        tokens = torch.tensor([[*request.prompt, *answer]])
        with torch.no_grad():
            states = oracle.model.model(input_ids=tokens).last_hidden_state[0]
            embedded = oracle.model.get_input_embeddings()(tokens[0])
        for place in range(len(request.prompt) - 1, tokens.shape[1] - 1):
            given.append(torch.cat((embedded[place + 1], states[place])))
            wanted.append(states[place + 1])
    return torch.linalg.lstsq(torch.stack(given), torch.stack(wanted), driver="gelsd").solution.T


def write_head(oracle: "Oracle", answers: list[list[int]]) -> None:
    """Write a head of one Llama layer that shares the model's vocabulary."""
    import torch
    from safetensors.torch import save_file
    from transformers import LlamaConfig

    settings = {**COMMON, "num_hidden_layers": 1, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32}
    configuration = LlamaConfig(**settings, dtype=torch.float32, architectures=["LlamaForCausalLM"])
    configuration.save_pretrained(_head(oracle.directory))
    weights = {"fc.weight": _fitted(oracle, answers).contiguous()}
    for name, shape in _SHAPES.items():
        generator = torch.Generator().manual_seed(sum(name.encode()))
        weights[f"layers.0.{name}.weight"] = _DEVIATION * torch.randn(shape, generator=generator)
    weights["layers.0.post_attention_layernorm.weight"] = torch.ones(64)
    save_file(weights, _head(oracle.directory) / "model.safetensors", metadata={"format": "pt"})


def head(directory: Path) -> dict[str, Any]:
    """Return what vLLM is told of the head."""
    return {"method": "eagle", "model": str(_head(directory)), "num_speculative_tokens": _DRAFTED}


def _expect(oracle: "Oracle") -> Any:
    answers = [oracle.greedy(request) for request in oracle.case.requests]
    write_head(oracle, answers)
    return answers


def _ask(session: "Session") -> Any:
    llm = session.llm(speculative_config=head(session.directory), **drafting.COUNTS)
    return drafting.answered(session, llm, TEXTS)


register(Case("eagle", RECIPE, expect=_expect, ask=_ask, differs=drafting.differs, faults=("drafts_unverified",)))
