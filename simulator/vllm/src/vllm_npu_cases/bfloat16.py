"""Cases in bfloat16, the dtype of production: transformers computes in it, too, and tokens are compared up to ties.

Two sound ways to round the same sums differ in the last places of bfloat16, and further layers make more of that. So
tokens may part at a tie: where the reference's logits of both differ by no more than one unit in the last place, or by
no more than rounding has moved two of its logits, which a copy of it with the same weights tells that computes in
float32. What follows a tie are answers to other texts, and is not compared. Anywhere else tokens must be equal.
"""

import copy
import dataclasses
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models.real_heads import with_real_heads
from vllm_npu_cases.session import DTYPE_VARIABLE

if TYPE_CHECKING:
    from vllm_npu_cases.oracle import Oracle
    from vllm_npu_cases.question import Request

#: Bits of a bfloat16 behind the leading one.
_BITS = 7
#: vLLM mixes this class into its workers.
_PROBE = "vllm_npu_cases.bfloat16_probe.Probe"
_TOKENS, _TIES = "tokens", "ties"
#: Faults that rounding hides, and larger ones in their place.
_LARGER: Mapping[str, str] = {"attention_scale": "attention_doubled"}
#: Of bfloat16 operators have all documented kinds; nothing has to stand in for it.
_VARIABLES: Mapping[str, str] = {DTYPE_VARIABLE: "bfloat16", "TORCH_NPU_SIM_FLOAT32": "0"}


def unit(value: float) -> float:
    """Return what one unit in the last place of ``value`` is in bfloat16; of zero, 0."""
    return 2.0 ** (math.frexp(value)[1] - 1 - _BITS) if value else 0.0


def ties(logits: Sequence[float], moved: float) -> list[int]:
    """Return the tokens that tie with the first one of the largest logit, without it; rounding has ``moved`` a logit by
    so much, two by twice that."""
    largest = max(logits)
    best, least = logits.index(largest), largest - max(unit(largest), 2 * moved)
    return [token for token, logit in enumerate(logits) if logit >= least and token != best]


class Continuation(list[int]):
    """The tokens that the reference chose, and at each place those that tie with the chosen one.

    It equals a list of other tokens from where they part on, if they part at a tie.
    """

    def __init__(self, tokens: Collection[int], tied: list[list[int]]) -> None:
        super().__init__(tokens)
        self.tied = tied

    def __eq__(self, other: object) -> bool:
        """Return whether ``other`` is the same continuation up to ties."""
        if not isinstance(other, list) or len(other) != len(self):
            return False
        for place, (wanted, got) in enumerate(zip(self, other, strict=True)):
            if wanted != got:
                return got in self.tied[place]
        return True

    def __ne__(self, other: object) -> bool:
        """Return whether ``other`` is another continuation."""
        return not self == other

    __hash__ = None  # type: ignore[assignment]


def written(answer: Any) -> Any:
    """Return an answer of the reference as JSON can hold it, with the ties of every continuation in it."""
    if isinstance(answer, Continuation):
        return {_TOKENS: list(answer), _TIES: answer.tied}
    if isinstance(answer, Mapping):
        return {name: written(each) for name, each in answer.items()}
    return [written(each) for each in answer] if isinstance(answer, list | tuple) else answer


def read(answer: Any) -> Any:
    """Return the answer of which ``written`` made this."""
    if isinstance(answer, Mapping):
        if answer.keys() == {_TOKENS, _TIES}:
            return Continuation(answer[_TOKENS], answer[_TIES])
        return {name: read(each) for name, each in answer.items()}
    return [read(each) for each in answer] if isinstance(answer, list) else answer


def _is_float(value: Any) -> bool:
    import torch

    return torch.is_tensor(value) and value.is_floating_point()


def _oracle(oracle: "Oracle") -> "Oracle":
    """Return an oracle that computes in bfloat16 and tells ties."""
    import torch
    import transformers

    from vllm_npu_cases import oracle as oracles

    class InBfloat16(oracles.Oracle):
        def inputs(self, request: "Request") -> dict[str, Any]:
            found = super().inputs(request)
            return {name: each.bfloat16() if _is_float(each) else each for name, each in found.items()}

        def greedy(self, request: "Request", allowed: Collection[int] | None = None) -> list[int]:
            inputs, tokens, tied = self.inputs(request), list[int](), list[list[int]]()
            # Anew each time: cases change the weights of the model.
            exact = oracles.Oracle(self.case, self.directory, copy.deepcopy(self.model).float())
            finer = {name: each.float() if _is_float(each) else each for name, each in inputs.items()}
            for _ in range(self.case.new_tokens):
                logits = self.logits(inputs, tokens)
                moved = float((logits - exact.logits(finer, tokens)).abs().max())
                if allowed is not None:
                    barred = torch.ones_like(logits, dtype=torch.bool)
                    barred[list(allowed)] = False
                    logits = logits.masked_fill(barred, float("-inf"))
                first, second = logits.topk(2).values
                self.margin = min(self.margin, float(first - second))
                tied.append(ties(logits.tolist(), moved))
                tokens.append(int(logits.argmax()))
            return Continuation(tokens, tied)

    loader = getattr(transformers, oracle.case.model.auto_class)
    model = loader.from_pretrained(oracle.directory, dtype=torch.bfloat16, attn_implementation="eager")
    return InBfloat16(oracle.case, oracle.directory, model.eval())


def _expect(expect: Callable[["Oracle"], Any], oracle: "Oracle") -> Any:
    half = _oracle(oracle)
    answer = expect(half)
    oracle.margin = half.margin
    return written(answer)


def _differs(differs: Callable[[Any, Any], str | None], answer: Any, expected: Any) -> str | None:
    return differs(answer, read(expected))


def in_bfloat16(case: Case) -> Case:
    """Return the case with a model of real head sizes, which the engine and transformers compute in bfloat16."""
    return dataclasses.replace(
        case,
        name=f"{case.name}_bfloat16",
        model=with_real_heads(case.model),
        engine={"worker_extension_cls": _PROBE, **case.engine},
        variables={**case.variables, **_VARIABLES},
        faults=tuple(_LARGER.get(fault, fault) for fault in case.faults),
        expect=partial(_expect, case.expect),
        differs=partial(_differs, case.differs),
    )
