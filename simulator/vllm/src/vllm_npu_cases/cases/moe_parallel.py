"""Experts on two devices: served with tensor and expert parallel, eager; in int8 by two engines, data parallel."""

import dataclasses
import os
from functools import partial
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import data_parallel, register, w8a8
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models import qwen3_moe

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

_LENGTH = 16384
#: The options of a MoE model's ``vllm serve``, as its users write them.
_SERVED = {
    "max_model_len": _LENGTH,
    "max_num_batched_tokens": _LENGTH,
    "max_num_seqs": 8,
    "tensor_parallel_size": 2,
    "enable_expert_parallel": True,
    "enforce_eager": True,
}


def _long() -> Any:
    configuration = qwen3_moe.RECIPE.configuration()
    configuration.max_position_embeddings = _LENGTH
    return configuration


def _ask(session: "Session") -> Any:
    from vllm_npu_cases.server import Server

    prompts = [list(request.prompt) for request in session.case.requests]
    body = {"model": "tiny", "temperature": 0, "ignore_eos": True, "return_token_ids": True}
    body |= {"max_tokens": session.case.new_tokens, "prompt": prompts}

    def workers(server: Server, method: str) -> list[Any]:
        return list(server.post("/collective_rpc", {"method": method})["results"])

    log = session.directory / f"{session.case.name}.{os.getpid()}.log"
    with Server(session.directory, session.settings(), log) as server:
        session.runners.update(workers(server, "probe_runner"))
        experts = workers(server, "probe_experts")
        tokens = [choice["token_ids"] for choice in server.post("/v1/completions", body)["choices"]]
        for calls in workers(server, "probe_operators"):
            session.operators.update(calls)
    return {"experts": list(map(int, experts)), "tokens": tokens}


def _differs(answer: Any, expected: Any) -> str | None:
    half = qwen3_moe.RECIPE.configuration().num_experts // 2
    if answer["experts"] != [half, half]:
        return f"the workers have {answer['experts']} experts, not {half} each"
    return equal(answer["tokens"], expected)


register(
    Case(
        "serve_moe_expert_parallel",
        dataclasses.replace(qwen3_moe.RECIPE, name="qwen3_moe_long", configuration=_long),
        engine=_SERVED,
        ask=_ask,
        differs=_differs,
        faults=("all_reduce_left_out", "expert_weights"),
    )
)
register(
    Case(
        "w8a8_moe_data_parallel",
        qwen3_moe.RECIPE,
        operators=w8a8.SINGLE,
        expect=partial(w8a8.expect, w8a8.DYNAMIC, False, 1),
        ask=partial(w8a8.ask_quantised, data_parallel.ask),
        differs=data_parallel.differs,
        faults=("own_share_alone", "token_scale"),
    )
)
