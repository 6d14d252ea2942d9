"""Sleep mode: weights and KV cache are given back, and the same tokens come after waking up."""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models.qwen3 import RECIPE
from vllm_npu_cases.question import TEXTS

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

_PARTS = ("weights", "kv_cache")


def sleep_and_wake(session: "Session", llm: Any) -> dict[str, Any]:
    """Return the tokens before and after each level of sleep, and what this process's worker holds meanwhile."""

    def held() -> dict[str, int]:
        (memory,) = llm.collective_rpc("probe_memory")
        return dict(memory)

    answer: dict[str, Any] = {"before": session.generate(llm, TEXTS), "awake": held()}
    llm.sleep(level=1)
    answer["asleep_1"] = held()
    llm.wake_up()
    answer["after_1"] = session.generate(llm, TEXTS)
    llm.sleep(level=2)
    answer["asleep_2"] = held()
    llm.wake_up(tags=["weights"])
    llm.collective_rpc("reload_weights")
    llm.wake_up(tags=["kv_cache"])
    answer["after_2"] = session.generate(llm, TEXTS)
    answer["again"] = held()
    return answer


def differs(answer: Any, expected: Any) -> str | None:
    """Return what is wrong: memory that was kept, or other tokens."""
    awake, again = ({part: answer[when][part] for part in _PARTS} for when in ("awake", "again"))
    for when in ("asleep_1", "asleep_2"):
        # Tensors lose their memory, or keep their addresses without memory behind them.
        given_up = answer[when]["free"] - answer["awake"]["free"]
        if any(answer[when][part] for part in _PARTS) and given_up < sum(awake.values()):
            return f"{when}: still held are {answer[when]}, awake were {answer['awake']}"
    if again != awake or not all(awake.values()):
        return f"held after waking up: {again}, before: {awake}"
    for when in ("before", "after_1", "after_2"):
        if (difference := equal(answer[when], expected)) is not None:
            return f"{when}: {difference}"
    return None


register(
    Case(
        "sleep",
        RECIPE,
        engine={"enable_sleep_mode": True},
        ask=lambda session: sleep_and_wake(session, session.llm()),
        differs=differs,
        faults=("memory_kept",),
    )
)
