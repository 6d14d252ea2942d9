"""Structured output: a grammar leaves five tokens to choose from."""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models.qwen3 import RECIPE
from vllm_npu_cases.question import TEXTS

if TYPE_CHECKING:
    from vllm_npu_cases.oracle import Oracle
    from vllm_npu_cases.session import Session

#: No word is the beginning of another, so that a token is a whole word.
_ALLOWED = tuple(range(10, 15))
_LENGTH = 12


def _expect(oracle: "Oracle") -> Any:
    """Return the best of the allowed tokens, step by step."""
    return [oracle.greedy(request, _ALLOWED) for request in TEXTS]


def _ask(session: "Session") -> Any:
    from vllm.sampling_params import StructuredOutputsParams

    words = "|".join(f"w{token}" for token in _ALLOWED)
    grammar = StructuredOutputsParams(regex=f"({words}){{{_LENGTH}}}")
    return session.generate(session.llm(), TEXTS, session.sampling(structured_outputs=grammar, ignore_eos=False))


register(Case("structured_output", RECIPE, new_tokens=_LENGTH, expect=_expect, ask=_ask, faults=("grammar_ignored",)))
