"""Seeded sampling: a request's seed decides, not its batch; tokens are as frequent as transformers says."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models.qwen3 import RECIPE
from vllm_npu_cases.question import TEXTS

if TYPE_CHECKING:
    from vllm_npu_cases.oracle import Oracle
    from vllm_npu_cases.session import Session

#: Every request has a seed of its own.
_SEEDS = tuple(range(7, 7 + len(TEXTS)))
#: First tokens of one prompt, drawn with as many seeds.
_DRAWS = 120
_CANDIDATES = 4
_TEMPERATURE = 0.8
#: In standard deviations. The seeds are always the same, so that a draw cannot be out of luck once in a while.
_BOUND = 4.0


def _expect(oracle: "Oracle") -> Any:
    """Return the greedy tokens, and the probability of every candidate for the first token of the first prompt."""
    logits = oracle.logits(oracle.inputs(TEXTS[0]), [])
    best = (logits / _TEMPERATURE).topk(_CANDIDATES)
    probabilities = best.values.softmax(-1).tolist()
    return {
        "greedy": [oracle.greedy(request) for request in TEXTS],
        "probabilities": {str(token): p for token, p in zip(best.indices.tolist(), probabilities, strict=True)},
    }


def _ask(session: "Session") -> Any:
    llm = session.llm()

    def sample(requests: Any, seeds: Any, **further: Any) -> list[list[int]]:
        plain = {"temperature": 1.0} | further
        return session.generate(llm, requests, [session.sampling(seed=seed, **plain) for seed in seeds])

    drawn = sample([TEXTS[0]] * _DRAWS, range(_DRAWS), temperature=_TEMPERATURE, top_k=_CANDIDATES, max_tokens=1)
    return {
        "together": sample(TEXTS, _SEEDS),
        "alone": [sample([request], [seed])[0] for request, seed in zip(TEXTS, _SEEDS, strict=True)],
        "other": sample(TEXTS, [seed + len(TEXTS) for seed in _SEEDS]),
        "best": sample(TEXTS, _SEEDS, top_k=1),
        "drawn": Counter(str(token) for (token,) in drawn),
    }


def _differs(answer: Any, expected: Any) -> str | None:
    if answer["together"] != answer["alone"]:
        return "one seed gives other tokens in another batch"
    for name in ("other", "best"):
        if any(one == other for one, other in zip(answer["together"], answer[name], strict=True)):
            return f"sampling made no difference: the tokens are those of {name!r}"
    probabilities = expected["probabilities"]
    if strange := answer["drawn"].keys() - probabilities.keys():
        return f"token {min(strange)} was drawn, which is none of the best {_CANDIDATES}"
    for token, probability in probabilities.items():
        drawn = answer["drawn"].get(token, 0) / _DRAWS
        if abs(drawn - probability) > _BOUND * (probability * (1 - probability) / _DRAWS) ** 0.5:
            return f"token {token} was drawn {drawn:.2f} of the time, its probability is {probability:.2f}"
    return equal(answer["best"], expected["greedy"])


register(
    Case(
        "seeded_sampling",
        RECIPE,
        # Prompts in one piece: for a chunk vLLM winds the generator back, which that of torch's CPU cannot.
        engine={"max_num_batched_tokens": 512},
        expect=_expect,
        ask=_ask,
        differs=_differs,
        faults=("seeds_ignored",),
    )
)
