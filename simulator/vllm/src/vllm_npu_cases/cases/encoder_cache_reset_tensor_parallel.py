"""``reset_mm_cache`` on two devices: what pictures took of each is free again."""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.cases.encoder_cache_reset import MORE, PICTURE, TOGETHER, flood, memory
from vllm_npu_cases.models.qwen3_vl import RECIPE
from vllm_npu_cases.question import Request

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

_REQUESTS = (Request((5, 17, *PICTURE, 99, 230), images=((1, 128, 128),)),)
_PICTURES = 120
_START, _FULL, _END = "after the start", "after the load", "after reset_mm_cache"


def _table(rows: dict[str, list[dict[str, int]]]) -> str:
    """Return what is used of each device at each moment as lines of MiB."""
    lines = [f"{'used, MiB':<24}{'device 0':>12}{'device 1':>12}"]
    for moment, devices in rows.items():
        lines.append(f"{moment:<24}" + "".join(f"{device['used'] / (1 << 20):>12.1f}" for device in devices))
    return "\n".join(lines)


def _ask(session: "Session") -> Any:
    llm = session.llm()
    before = session.generate(llm, _REQUESTS)
    # What one request leaves behind is not the load's.
    llm.reset_mm_cache()
    rows = {_START: llm.collective_rpc(memory)}
    session.generate(llm, flood(_PICTURES), session.sampling(max_tokens=1))
    rows[_FULL] = llm.collective_rpc(memory)
    llm.reset_mm_cache()
    rows[_END] = llm.collective_rpc(memory)
    print(_table(rows))
    return {"before": before, "memory": rows, "after": session.generate(llm, _REQUESTS)}


def _differs(answer: Any, expected: Any) -> str | None:
    for when in ("before", "after"):
        if (difference := equal(answer[when], expected)) is not None:
            return f"{when}: {difference}"
    start, full, end = (answer["memory"][when] for when in (_START, _FULL, _END))
    if len(start) != 2:
        return f"there are {len(start)} workers, not 2"
    for kind in ("reserved", "used"):
        for device, (first, most, last) in enumerate(zip(start, full, end, strict=True)):
            if most[kind] <= first[kind] * (1 + MORE):
                return f"device {device}: the pictures took no memory: {kind} {first[kind]}, then {most[kind]}"
            if last[kind] > first[kind] * (1 + MORE):
                return f"device {device}: {kind} after the reset: {last[kind]} bytes, before the load {first[kind]}"
    return None


register(
    Case(
        "encoder_cache_reset_tensor_parallel",
        RECIPE,
        requests=_REQUESTS,
        engine={
            "tensor_parallel_size": 2,
            "distributed_executor_backend": "mp",
            "limit_mm_per_prompt": {"image": TOGETHER, "video": 0},
            # As many tokens as the cache of the pictures holds.
            "max_num_batched_tokens": _PICTURES * 16,
            "enable_prefix_caching": False,
            "kv_cache_memory_bytes": 1 << 20,
        },
        needs=frozenset({"encoder_cache_bytes"}),
        faults=("encoder_outputs_kept",),
        ask=_ask,
        differs=_differs,
    )
)
