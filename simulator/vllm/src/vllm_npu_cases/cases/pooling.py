"""Pooling: embeddings, and how well documents answer a question; both are those of transformers."""

import dataclasses
import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models.qwen3 import RECIPE
from vllm_npu_cases.question import TEXTS, Request

if TYPE_CHECKING:
    from vllm_npu_cases.oracle import Oracle
    from vllm_npu_cases.session import Session

#: Far above what rounding of float32 adds up to, far below what a wrong scale of the attention changes.
_ALLOWED = 1e-4
_ENGINE = {"runner": "pooling", "enforce_eager": False}
_QUESTION = (5, 17, 99)
_DOCUMENTS = (Request((230, 4, 8)), Request(tuple(range(20, 220))), Request((700, 3)))


def _words(tokens: tuple[int, ...]) -> str:
    return " ".join(f"w{token}" for token in tokens)


def _embedded(oracle: "Oracle") -> Any:
    """Return the last state of each request, of length one."""
    import torch

    found = []
    for request in oracle.case.requests:
        with torch.no_grad():
            states = oracle.model.model(**oracle.inputs(request)).last_hidden_state
        found.append(torch.nn.functional.normalize(states[0, -1], dim=-1).tolist())
    return found


def _embed(session: "Session") -> Any:
    llm = session.llm()
    prompts: list[Any] = [{"prompt_token_ids": list(request.prompt)} for request in session.case.requests]
    outputs = llm.embed(prompts, use_tqdm=False)
    session.count(llm)
    return [list(output.outputs.embedding) for output in outputs]


def _reranker(directory: Path) -> Path:
    return directory / "reranker"


def _ranked(oracle: "Oracle") -> Any:
    """Write a model that has one label; return between 0 and 1 how well each document answers the question."""
    import torch
    from transformers import AutoModelForSequenceClassification

    configuration = oracle.model.config.__class__.from_pretrained(oracle.directory, num_labels=1)
    model = AutoModelForSequenceClassification.from_config(configuration, attn_implementation="eager").eval()
    model.model.load_state_dict(oracle.model.model.state_dict())
    with torch.no_grad():
        model.score.weight.copy_(torch.randn(model.score.weight.shape, generator=torch.Generator().manual_seed(0)) / 8)
    model.save_pretrained(_reranker(oracle.directory))
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(oracle.directory / name, _reranker(oracle.directory))
    found = []
    for document in oracle.case.requests:
        with torch.no_grad():
            logits = model(torch.tensor([[*_QUESTION, *document.prompt]])).logits
        found.append([float(logits[0, 0].sigmoid())])
    return found


def _rank(session: "Session") -> Any:
    llm = dataclasses.replace(session, directory=_reranker(session.directory)).llm()
    documents = [_words(document.prompt) for document in session.case.requests]
    outputs = llm.score(_words(_QUESTION), documents, use_tqdm=False)
    session.count(llm)
    return [[output.outputs.score] for output in outputs]


def _differs(what: str, answer: Any, expected: Any) -> str | None:
    if len(answer) != len(expected):
        return f"there are {len(answer)} answers to {len(expected)} questions"
    for i, (got, wanted) in enumerate(zip(answer, expected, strict=True)):
        if len(got) != len(wanted):
            return f"the {what} of prompt {i} has {len(got)} numbers, not {len(wanted)}"
        for one, other in zip(got, wanted, strict=True):
            if not abs(one - other) <= _ALLOWED:
                return f"the {what} of prompt {i} is off by {abs(one - other):.1e}"
    return None


def _register(name: str, **parts: Any) -> None:
    register(Case(name, RECIPE, engine=_ENGINE, faults=("attention_scale", "swiglu_halves"), **parts))


_register("pooling", requests=TEXTS, expect=_embedded, ask=_embed, differs=partial(_differs, "embedding"))
_register("pooling_score", requests=_DOCUMENTS, expect=_ranked, ask=_rank, differs=partial(_differs, "score"))
