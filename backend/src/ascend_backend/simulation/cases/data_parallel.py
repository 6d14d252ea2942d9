"""Data parallel with expert parallel: two engines answer requests of their own and share the experts."""

import re
from typing import TYPE_CHECKING, Any

from ascend_backend.simulation.cases import register
from ascend_backend.simulation.cases.case import TEXTS, Case, equal
from ascend_backend.simulation.models.qwen3_moe import RECIPE

if TYPE_CHECKING:
    from ascend_backend.simulation.engine import Session

_ENGINES = 2


def _ask(session: "Session") -> Any:
    from ascend_backend.simulation.server import Server

    settings = session.settings(data_parallel_size=_ENGINES, enable_expert_parallel=True)
    # The metrics tell which engine has answered.
    del settings["disable_log_stats"]
    prompts = [list(request.prompt) for request in TEXTS]
    body = {"model": "tiny", "temperature": 0, "ignore_eos": True, "max_tokens": session.case.new_tokens}
    with Server(session.directory, settings, session.directory / "data_parallel.log") as server:
        answer = server.post("/v1/completions", {**body, "prompt": prompts, "return_token_ids": True})
        # An engine works along, with nothing of its own, when the other alone has a request.
        alone = server.post("/v1/completions", {**body, "prompt": prompts[2], "return_token_ids": True})
        metrics = server.get("/metrics")
        session.runners.update(server.post("/collective_rpc", {"method": "probe_runner"})["results"])
        for calls in server.post("/collective_rpc", {"method": "probe_operators"})["results"]:
            session.operators.update(calls)
    found = re.findall(r'^vllm:generation_tokens_total\{engine="(\d+)".*\} (\S+)$', metrics, re.MULTILINE)
    return {
        "tokens": [choice["token_ids"] for choice in [*answer["choices"], *alone["choices"]]],
        "engines": {engine: round(float(number)) for engine, number in found},
    }


def _differs(answer: Any, expected: Any) -> str | None:
    if len(answer["engines"]) != _ENGINES or not all(answer["engines"].values()):
        return f"tokens by engine are {answer['engines']}: not all of {_ENGINES} have answered"
    return equal(answer["tokens"], [*expected, expected[2]])


register(Case("data_parallel", RECIPE, ask=_ask, differs=_differs))
