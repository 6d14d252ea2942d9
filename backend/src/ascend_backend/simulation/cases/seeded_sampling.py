"""Seeded sampling: the seed decides, not the batch, and of one candidate there is no choice."""

from typing import TYPE_CHECKING, Any

from ascend_backend.simulation.cases import register
from ascend_backend.simulation.cases.case import TEXTS, Case, equal
from ascend_backend.simulation.models.qwen3 import RECIPE

if TYPE_CHECKING:
    from ascend_backend.simulation.engine import Session


def _ask(session: "Session") -> Any:
    llm = session.llm()

    def sample(requests: Any, **further: Any) -> list[list[int]]:
        return session.generate(llm, requests, session.sampling(temperature=1.0, **further))

    return {
        "together": sample(TEXTS, seed=7),
        "alone": [sample([request], seed=7)[0] for request in TEXTS],
        "other": sample(TEXTS, seed=8),
        "best": sample(TEXTS, seed=7, top_k=1),
    }


def _differs(answer: Any, expected: Any) -> str | None:
    if answer["together"] != answer["alone"]:
        return "one seed gives other tokens in another batch"
    for name in ("other", "best"):
        if any(one == other for one, other in zip(answer["together"], answer[name], strict=True)):
            return f"sampling made no difference: the tokens are those of {name!r}"
    return equal(answer["best"], expected)


register(
    Case(
        "seeded_sampling",
        RECIPE,
        # Prompts in one piece: for a chunk vLLM winds the generator back, which that of torch's CPU cannot.
        engine={"max_num_batched_tokens": 512},
        ask=_ask,
        differs=_differs,
    )
)
