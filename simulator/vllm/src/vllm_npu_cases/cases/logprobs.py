"""Log-probabilities of new tokens and of the prompt."""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models.qwen3 import RECIPE
from vllm_npu_cases.question import TEXTS, Request

if TYPE_CHECKING:
    from vllm_npu_cases.oracle import Oracle
    from vllm_npu_cases.session import Session

_BEST = 3
#: Of log-probabilities that lie between -12 and 0, in float32.
_TOLERANCE = 1e-3


def _ranked(logits: Any) -> dict[str, float]:
    best = logits.log_softmax(-1).topk(_BEST)
    return {str(int(token)): float(value) for value, token in zip(best.values, best.indices, strict=True)}


def _expect(oracle: "Oracle") -> Any:
    """Return the best tokens after every prefix of prompt and answer, and the answer."""
    answers = []
    for request in TEXTS:
        tokens = oracle.greedy(request)
        whole = (*request.prompt, *tokens)
        logits = oracle.model(input_ids=oracle.inputs(Request(whole))["input_ids"]).logits[0].detach()
        answers.append({"tokens": tokens, "best": [_ranked(each) for each in logits[:-1]]})
    return answers


def _ask(session: "Session") -> Any:
    sampling = session.sampling(logprobs=_BEST, prompt_logprobs=_BEST)
    answers = []
    for output in session.outputs(session.llm(), TEXTS, sampling):
        said = [*output.prompt_logprobs[1:], *output.outputs[0].logprobs]
        best = [{str(token): each.logprob for token, each in places.items()} for places in said]
        answers.append({"tokens": list(output.outputs[0].token_ids), "best": best})
    return answers


def _differs(answer: Any, expected: Any) -> str | None:
    for i, (got, wanted) in enumerate(zip(answer, expected, strict=True)):
        if got["tokens"] != wanted["tokens"]:
            return f"the tokens of prompt {i} differ from the reference"
        if len(got["best"]) != len(wanted["best"]):
            return f"prompt {i} has log-probabilities of {len(got['best'])} places, not {len(wanted['best'])}"
        for place, (one, other) in enumerate(zip(got["best"], wanted["best"], strict=True)):
            # A place may hold one token more: the one that really follows, if it is not among the best.
            off = [token for token in other if abs(one.get(token, 1.0) - other[token]) > _TOLERANCE]
            if off:
                return f"the log-probability of token {off[0]} at place {place} of prompt {i} differs"
    return None


register(Case("logprobs", RECIPE, expect=_expect, ask=_ask, differs=_differs, faults=("norm_larger",)))
