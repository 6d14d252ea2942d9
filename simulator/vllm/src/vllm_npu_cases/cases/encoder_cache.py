"""The encoder cache: a thousand pictures stay until the reset; a bound in bytes evicts; no token changes."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models.qwen3_vl import RECIPE
from vllm_npu_cases.models.vision import IMAGE, START, STOP
from vllm_npu_cases.question import Request
from vllm_npu_cases.versions import is_at_least

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vllm_npu_cases.session import Session

_PICTURE = (START, IMAGE, STOP)
_REQUESTS = (
    Request((5, 17, *_PICTURE, 99, 230), images=((1, 112, 112),)),
    Request((700, *_PICTURE, 3, *_PICTURE, 12), images=((2, 56, 112), (3, 64, 64))),
)
_TOGETHER = 10
#: Features of the picture and of two encoder layers, 64 float32 each.
_TOKEN_BYTES = 64 * 3 * 4
_BOUND = 64 * _TOKEN_BYTES


def _flood(pictures: int) -> list[Request]:
    """Return requests of ten pictures each, of one token each, no two alike."""
    prompt = (7, *_PICTURE * _TOGETHER, 9)
    seeds = range(1000, 1000 + pictures)
    groups = [seeds[i : i + _TOGETHER] for i in range(0, pictures, _TOGETHER)]
    return [Request(prompt, images=tuple((seed, 32, 32) for seed in group)) for group in groups]


def _state(llm: Any) -> dict[str, Any]:
    """Return what the engine counts, what its worker holds, and the bytes of all tensors."""
    from ascend_backend.encoder_cache.counts import path, read
    from vllm import envs

    (device,) = llm.collective_rpc("encoder_cache_info")
    (tensors,) = llm.collective_rpc("probe_tensors")
    file = path(envs.VLLM_RPC_BASE_PATH, llm.llm_engine.vllm_config.instance_id, 0)
    return {"engine": asdict(read(file)), "device": device, "tensors": tensors}


def _fill(session: "Session", llm: Any, requests: "Sequence[Request]") -> None:
    session.generate(llm, requests, session.sampling(max_tokens=1))


def _ask(session: "Session") -> Any:
    llm = session.llm()
    _fill(session, llm, _flood(_TOGETHER))
    llm.reset_mm_cache()
    answer: dict[str, Any] = {"start": _state(llm), "before": session.generate(llm, _REQUESTS)}
    _fill(session, llm, _flood(1000))
    answer["full"] = _state(llm)
    _fill(session, llm, _flood(_TOGETHER))
    answer["again"] = _state(llm)
    llm.reset_mm_cache()
    answer["end"] = _state(llm)
    answer["after"] = session.generate(llm, _REQUESTS)
    return answer


def _differs(answer: Any, expected: Any) -> str | None:
    start, full, again, end = (answer[when] for when in ("start", "full", "again", "end"))
    kept = 1000 + 3
    for state, entries in ((start, 0), (full, kept), (again, kept), (end, 0)):
        if (state["device"]["entries"], state["engine"]["entries"]) != (entries, entries):
            return f"outputs kept: {state}, not {entries}"
        if state["device"]["bytes"] != state["engine"]["bytes"]:
            return f"bytes kept and bytes counted differ: {state}"
    if full["tensors"] < start["tensors"] + full["device"]["bytes"]:
        return f"the outputs are not among the tensors: {full['tensors']} bytes, before: {start['tensors']}"
    # The model runner may hold what the last request was given.
    if abs(end["tensors"] - start["tensors"]) > _TOGETHER * _TOKEN_BYTES:
        return f"tensors hold {end['tensors']} bytes after the reset, at the start: {start['tensors']}"
    if again["engine"]["hits"] - full["engine"]["hits"] != _TOGETHER:
        return f"pictures of before did not hit: {full['engine']}, then {again['engine']}"
    for when in ("before", "after"):
        if (difference := equal(answer[when], expected)) is not None:
            return f"{when}: {difference}"
    return None


def _ask_bounded(session: "Session") -> Any:
    llm = session.llm()
    answer: dict[str, Any] = {"before": session.generate(llm, _REQUESTS)}
    _fill(session, llm, _flood(200))
    answer["full"] = _state(llm)
    answer["after"] = session.generate(llm, _REQUESTS)
    return answer


def _differs_bounded(answer: Any, expected: Any) -> str | None:
    engine, device = answer["full"]["engine"], answer["full"]["device"]
    if not 0 < device["bytes"] == engine["bytes"] <= engine["budget_bytes"] == _BOUND:
        return f"more is kept than {_BOUND} bytes, or nothing: {answer['full']}"
    if engine["evictions"] != 203 - engine["entries"]:
        return f"203 outputs were made: {engine}"
    for when in ("before", "after"):
        if (difference := equal(answer[when], expected)) is not None:
            return f"{when}: {difference}"
    return None


#: Before 0.15.1 the largest video was as long as the model takes, so that no small bound does.
_VIDEOS = {} if is_at_least("vllm", "0.15.1") else {"video": 0}
_ENGINE = {"limit_mm_per_prompt": {"image": _TOGETHER, **_VIDEOS}, "max_num_batched_tokens": 1100}
_NEEDS = frozenset({"encoder_cache_bytes"})
register(
    Case(
        "encoder_cache",
        RECIPE,
        requests=_REQUESTS,
        engine=_ENGINE,
        needs=_NEEDS,
        faults=("encoder_reset_ignored",),
        ask=_ask,
        differs=_differs,
    )
)
register(
    Case(
        "encoder_cache_bound",
        RECIPE,
        requests=_REQUESTS,
        engine=_ENGINE | {"additional_config": {"encoder_cache_bytes": _BOUND}},
        needs=_NEEDS,
        faults=("encoder_bound_doubled",),
        ask=_ask_bounded,
        differs=_differs_bounded,
    )
)
