"""DeepSeek-V3: latent attention, experts in groups beside a shared one."""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models.deepseek_v3 import RECIPE
from vllm_npu_cases.plugins import plugin

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

#: The backend's two ways to attend, which call one operator: prompts with keys and values of every head, what
#: follows them in the latent space.
_PROMPTS, _LATENT = "rotated_attention", "paged_latent_attention"


def _ask(session: "Session") -> Any:
    llm = session.llm()
    if "attention_calls" not in plugin().features:
        return {"tokens": session.generate(llm, session.case.requests), "attention": None}
    llm.collective_rpc("probe_attention", args=([_PROMPTS, _LATENT],))
    tokens = session.generate(llm, session.case.requests)
    (calls,) = llm.collective_rpc("probe_attention", args=([],))
    return {"tokens": tokens, "attention": calls}


def _differs(answer: Any, expected: Any) -> str | None:
    """Return what is wrong; all new tokens of a request but its first are attended to one by one."""
    layers = RECIPE.configuration().num_hidden_layers
    if answer["attention"] is None:
        return equal(answer["tokens"], expected)
    for name, least in ((_PROMPTS, layers), (_LATENT, layers * (len(expected[0]) - 1))):
        if answer["attention"].get(name, 0) < least:
            return f"{name} was called fewer than {least} times: {answer['attention']}"
    return equal(answer["tokens"], expected)


register(Case("deepseek_v3", RECIPE, ask=_ask, differs=_differs, faults=("attention_scale", "expert_weights")))
