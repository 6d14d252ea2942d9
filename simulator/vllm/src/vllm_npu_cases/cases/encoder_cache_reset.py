"""The reset of the encoder cache: the device has its memory back, and prompts that are half computed go on."""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models.qwen3_vl import RECIPE
from vllm_npu_cases.models.vision import IMAGE, START, STOP
from vllm_npu_cases.question import Request

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

PICTURE = (START, IMAGE, STOP)
#: A picture has more tokens than a step, so that each is given to the decoder in parts.
_REQUESTS = (
    Request((5, 17, *PICTURE, 99, *PICTURE, 230), images=((1, 128, 128), (2, 112, 128))),
    Request((700, *PICTURE, 3, 12), images=((3, 128, 96),)),
)
_STEP = 12
_PICTURES = 500
TOGETHER = 10
#: What may stay of the memory that was reserved before, as a share.
MORE = 0.02


def memory(worker: Any) -> dict[str, int]:
    """Return what a worker's device has given to tensors and to the allocator, and what is free of it."""
    import torch

    free, total = torch.npu.mem_get_info()
    used = total - free
    return {"allocated": torch.npu.memory_allocated(), "reserved": torch.npu.memory_reserved(), "used": used}


def flood(pictures: int) -> list[Request]:
    """Return requests of ten pictures each, no two alike."""
    prompt = (7, *PICTURE * TOGETHER, 9)
    seeds = range(1000, 1000 + pictures)
    groups = [seeds[i : i + TOGETHER] for i in range(0, pictures, TOGETHER)]
    return [Request(prompt, images=tuple((seed, 128, 128) for seed in group)) for group in groups]


def _table(rows: dict[str, dict[str, int]]) -> str:
    """Return the memory at each moment as lines of KiB."""
    lines = [f"{'KiB':<24}{'allocated':>12}{'reserved':>12}{'of the device':>16}"]
    for moment, row in rows.items():
        lines.append(f"{moment:<24}{row['allocated'] >> 10:>12}{row['reserved'] >> 10:>12}{row['used'] >> 10:>16}")
    return "\n".join(lines)


def _ask(session: "Session") -> Any:
    llm = session.llm()
    rows: dict[str, dict[str, int]] = {}

    def note(moment: str) -> None:
        (rows[moment],) = llm.collective_rpc(memory)

    note("after load")
    warm = session.generate(llm, _REQUESTS)
    llm.reset_mm_cache()
    note("before the pictures")
    session.generate(llm, flood(_PICTURES), session.sampling(max_tokens=1))
    note("after the pictures")
    llm.reset_mm_cache()
    note("after the reset")
    print(_table(rows))
    plain, steps = _stepwise(session, llm, False)
    reset, more = _stepwise(session, llm, True)
    return {
        "tokens": {"before": warm, "in steps": plain, "reset in each step": reset},
        "steps": [steps, more],
        "memory": rows,
    }


def _stepwise(session: "Session", llm: Any, reset: bool) -> tuple[list[list[int]], int]:
    """Return the tokens, and in how many steps they came; on request all is reset between any two steps."""
    from vllm_npu_cases import media

    engine, found, steps = llm.llm_engine, {}, 0
    llm.reset_prefix_cache()
    for number, request in enumerate(_REQUESTS):
        engine.add_request(f"{reset}-{number}", media.prompt(request), session.sampling())
    while engine.has_unfinished_requests():
        steps += 1
        for output in engine.step():
            if output.finished:
                found[output.request_id] = list(output.outputs[0].token_ids)
        if reset:
            llm.reset_mm_cache()
    session.count(llm)
    return [found[name] for name in sorted(found)], steps


def _differs(answer: Any, expected: Any) -> str | None:
    for when, tokens in answer["tokens"].items():
        if (difference := equal(tokens, expected)) is not None:
            return f"{when}: {difference}"
    without, with_reset = answer["steps"]
    if with_reset != without:
        return f"with resets the requests took {with_reset} steps, without {without}"
    memory = answer["memory"]
    before, full, end = (memory[when] for when in ("before the pictures", "after the pictures", "after the reset"))
    for kind in ("reserved", "used"):
        if full[kind] <= before[kind] * (1 + MORE):
            return f"the pictures took no memory that could be given back: {kind} {before[kind]}, then {full[kind]}"
        if end[kind] > before[kind] * (1 + MORE):
            return f"{kind} after the reset: {end[kind]} bytes, before the pictures {before[kind]}"
    return None


register(
    Case(
        "encoder_cache_reset",
        RECIPE,
        requests=_REQUESTS,
        engine={
            "limit_mm_per_prompt": {"image": TOGETHER, "video": 0},
            # As many tokens as the cache of the pictures holds.
            "max_num_batched_tokens": _PICTURES * 16,
            "long_prefill_token_threshold": _STEP,
            "enable_prefix_caching": False,
            "kv_cache_memory_bytes": 8 << 20,
        },
        needs=frozenset({"encoder_cache_bytes"}),
        faults=("encoder_reset_ignored",),
        ask=_ask,
        differs=_differs,
    )
)
