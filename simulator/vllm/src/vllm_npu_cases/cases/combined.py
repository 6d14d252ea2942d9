"""Settings that people run together, each two in one of these cases."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import eagle, lora, ngram, offload, register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models import qwen3_moe, qwen3_vl
from vllm_npu_cases.models.recipe import Recipe
from vllm_npu_cases.models.vision import IMAGE, START, STOP
from vllm_npu_cases.question import TEXTS, Request

if TYPE_CHECKING:
    from vllm_npu_cases.oracle import Oracle
    from vllm_npu_cases.session import Session

#: Something for drafts to be taken from, and a picture, where they are asked for.
_REPEATED = Request((42, 43, 44, 45) * 6)
_PICTURE = Request((5, 17, START, IMAGE, STOP, 99, 230), images=((1, 112, 112),))
#: Two blocks and more: of the blocks that are found again, EAGLE computes the last one anew.
_BLOCKS = Request(tuple((i * 31 + 3) % 256 for i in range(300)))


@dataclass(frozen=True)
class Setting:
    """The changes that one setting makes, and how a run shows that it was in force."""

    engine: Mapping[str, Any] = field(default_factory=dict)
    model: Recipe | None = None
    #: What a run must have counted, and the words for a run that has not.
    counted: str | None = None
    otherwise: str = ""
    needs: frozenset[str] = frozenset()


SETTINGS: Mapping[str, Setting] = {
    # As vLLM chooses them.
    "graphs": Setting({"enforce_eager": False}, counted="replays", otherwise="no graph was replayed"),
    "lora": Setting(lora.ENGINE),
    "tensor_parallel": Setting(
        {"tensor_parallel_size": 2, "distributed_executor_backend": "mp"},
        counted="workers",
        otherwise="there is one worker",
    ),
    "moe": Setting(model=qwen3_moe.RECIPE),
    "pictures": Setting(model=qwen3_vl.RECIPE),
    "ngram": Setting(ngram.ENGINE, counted="drafted", otherwise="no token was drafted"),
    "eagle": Setting({"disable_log_stats": False}, counted="drafted", otherwise="no token was drafted"),
    "prefix_caching": Setting({"enable_prefix_caching": True}, counted="cached", otherwise="nothing was found again"),
    "chunked_prefill": Setting({"enable_chunked_prefill": True, "max_num_batched_tokens": 32}),
    "async_scheduling": Setting({"async_scheduling": True}, counted="ahead", otherwise="no step was scheduled ahead"),
    "sleep": Setting({"enable_sleep_mode": True}),
    "offload": Setting(
        {
            "kv_transfer_config": offload.ENGINE["kv_transfer_config"],
            "enable_prefix_caching": True,
            "block_size": 128,
            "num_gpu_blocks_override": 16,
        },
        counted="moved",
        otherwise="no block was moved",
        needs=frozenset({"kv_offload_counts"}),
    ),
}

#: Pairs that are refused, or that no model here has.
APART: frozenset[frozenset[str]] = frozenset(
    map(
        frozenset,
        [
            # One model each, one way to draft each.
            ("moe", "pictures"),
            ("ngram", "eagle"),
            # The backend: products of experts are one operator. vLLM: its runner V1 cannot draft ahead from prompts.
            ("moe", "lora"),
            ("ngram", "async_scheduling"),
            # vLLM does not go to sleep while blocks are on their way to the host, and says so.
            ("sleep", "offload"),
            # The head of these cases drafts for text.
            ("eagle", "pictures"),
        ],
    )
)

#: A covering array: every two settings that are not apart, and each with graphs and without.
TOGETHER = (
    ("lora", "graphs"),
    ("lora", "tensor_parallel"),
    ("moe", "graphs", "tensor_parallel"),
    ("sleep", "graphs"),
    ("lora", "graphs", "tensor_parallel", "eagle"),
    ("moe", "graphs", "ngram", "prefix_caching", "chunked_prefill", "sleep"),
    ("graphs", "offload"),
    ("eagle", "async_scheduling", "sleep"),
    ("moe", "eagle", "prefix_caching", "chunked_prefill", "async_scheduling", "offload"),
    ("lora", "tensor_parallel", "pictures", "ngram", "prefix_caching", "chunked_prefill", "offload"),
    ("lora", "graphs", "tensor_parallel", "pictures", "async_scheduling", "sleep"),
)


def uncovered() -> list[tuple[str, str]]:
    """Return the pairs of settings that stand in no case; ``eager`` is a case without graphs."""
    covered = {
        frozenset(pair)
        for names in TOGETHER
        for pair in combinations({*names, *([] if "graphs" in names else ["eager"])}, 2)
    }
    wanted = [*combinations(SETTINGS, 2), *(("eager", name) for name in SETTINGS if name != "graphs")]
    return [pair for pair in wanted if frozenset(pair) not in covered | APART]


def _expect(names: frozenset[str], oracle: "Oracle") -> Any:
    if "eagle" in names:
        eagle.write_head(oracle, [oracle.greedy(request) for request in oracle.case.requests])
    return lora.expect(oracle) if "lora" in names else [oracle.greedy(request) for request in oracle.case.requests]


def _ask(names: frozenset[str], session: "Session") -> Any:
    """Return the tokens of two rounds, and of one after a sleep where that is asked for, and what was counted."""
    llm = session.llm(**({"speculative_config": eagle.head(session.directory)} if "eagle" in names else {}))
    before = llm.collective_rpc("probe_graphs")
    requests, keywords = lora.twice(session) if "lora" in names else (session.case.requests, {})
    rounds = [session.outputs(llm, requests, **keywords) for _ in range(2)]
    if "sleep" in names:
        llm.sleep(level=1)
        llm.wake_up()
        rounds.append(session.outputs(llm, requests, **keywords))
    after = llm.collective_rpc("probe_graphs")
    metrics = {metric.name: getattr(metric, "value", None) for metric in llm.get_metrics()} if drafts(names) else {}
    moved = llm.collective_rpc("probe_offloading") if "offload" in names else []
    return {
        "tokens": [[list(output.outputs[0].token_ids) for output in outputs] for outputs in rounds],
        "replays": min(last["replays"] - first["replays"] for first, last in zip(before, after, strict=True)),
        "workers": len(after) - 1,
        "drafted": metrics.get("vllm:spec_decode_num_draft_tokens"),
        "cached": sum(output.num_cached_tokens or 0 for outputs in rounds for output in outputs),
        "ahead": bool(llm.llm_engine.vllm_config.scheduler_config.async_scheduling),
        "moved": min((each["blocks"] for each in moved), default=0),
    }


def drafts(names: frozenset[str]) -> bool:
    """Return whether tokens are drafted."""
    return not names.isdisjoint({"ngram", "eagle"})


def _differs(names: frozenset[str], answer: Any, expected: Any) -> str | None:
    for name in sorted(names):
        setting = SETTINGS[name]
        # Drafts from prompts differ in length: the runner V1 has graphs for batches of one length alone.
        loose = name == "graphs" and "ngram" in names
        if setting.counted is not None and not answer[setting.counted] and not loose:
            return f"{name}: {setting.otherwise}"
    for when, tokens in zip(("first", "again", "after the sleep"), answer["tokens"], strict=False):
        if (difference := equal(tokens, expected)) is not None:
            return f"{when}: {difference}"
    return None


def _requests(names: frozenset[str]) -> Iterable[Request]:
    yield from TEXTS[:3]
    if "ngram" in names:
        yield _REPEATED
    if "pictures" in names:
        yield _PICTURE
    if names >= {"eagle", "prefix_caching"}:
        yield _BLOCKS


def _case(*given: str) -> Case:
    names = frozenset(given)
    models = [model for name in given if (model := SETTINGS[name].model) is not None]
    engine: dict[str, Any] = {"enable_prefix_caching": False}
    for name in given:
        engine |= SETTINGS[name].engine
    return Case(
        "_".join(given),
        models[0] if models else lora.MODEL,
        requests=tuple(_requests(names)),
        new_tokens=8,
        engine=engine,
        needs=frozenset().union(*(SETTINGS[name].needs for name in given)),
        expect=partial(_expect, names),
        ask=partial(_ask, names),
        differs=partial(_differs, names),
        faults=("attention_scale",),
    )


for _given in TOGETHER:
    register(_case(*_given))
