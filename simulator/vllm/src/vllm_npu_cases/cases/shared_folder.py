"""Two engines with one folder: one loads blocks of all layers that the other has computed."""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import offload, register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models import deepseek_v3, qwen3
from vllm_npu_cases.side_by_side import in_two_processes

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

#: Both prompts begin with the same two blocks.
_SHARED_BLOCKS = 2
_SECONDS = 120


def _until(reached: Callable[[], bool]) -> bool:
    """Wait, and return whether it was reached in time."""
    end = time.monotonic() + _SECONDS
    while not reached() and time.monotonic() < end:
        time.sleep(0.1)
    return reached()


def _stored(folder: Path) -> int:
    return len(list(folder.rglob("*.bin")))


def _engine(session: "Session", folder: Path, rank: int) -> Any:
    """Be one of the engines. The first computes a prompt; the second waits for that, and asks for a prompt that
    begins alike, after another one, so that the blocks get other places."""
    # Hashes of blocks begin with it; engines that share have to agree.
    os.environ["PYTHONHASHSEED"] = "0"
    extra = {"spec_name": "TieringOffloadingSpec", "secondary_tiers": [{"type": "fs", "root_dir": str(folder)}]}
    transfer = offload.ENGINE["kv_transfer_config"]
    extra = transfer["kv_connector_extra_config"] | extra
    llm = session.llm(
        kv_transfer_config=transfer | {"kv_connector_extra_config": extra},
        num_gpu_blocks_override=(1 + rank) * offload.ENGINE["num_gpu_blocks_override"],
    )
    if rank:
        session.generate(llm, offload.OTHERS[:1])
        _until((folder / "computed").exists)
    (output,) = session.outputs(llm, [offload.REQUESTS[rank]])
    if not rank:
        # The engine hands on what the host's memory got when it takes further steps.
        session.generate(llm, offload.OTHERS[1:])
        _until(lambda: _stored(folder) >= _SHARED_BLOCKS)
        (folder / "computed").touch()
    (moved,) = llm.collective_rpc("probe_offloading")
    return {
        "tokens": list(output.outputs[0].token_ids),
        "cached": output.num_cached_tokens,
        "moved": moved,
        "files": _stored(folder),
    }


def _ask(session: "Session") -> Any:
    # Of this run alone: the other runner's engines would find its blocks.
    with tempfile.TemporaryDirectory() as folder:
        return in_two_processes(lambda rank: _engine(session, Path(folder), rank))


def _differs(answer: Any, expected: Any) -> str | None:
    cached = [each["cached"] for each in answer]
    if cached != [0, _SHARED_BLOCKS * 128]:
        return f"tokens found: {cached}, not [0, {_SHARED_BLOCKS * 128}], with {answer[1]['files']} files"
    for each in answer:
        if (difference := offload.differs_in_moves(each["moved"])) is not None:
            return difference
    return equal([each["tokens"] for each in answer], expected)


_OWN: dict[str, Any] = {
    "requests": offload.REQUESTS,
    "engine": offload.ENGINE,
    "needs": frozenset({"kv_offload_counts", "kv_offload_tiers"}),
    "faults": ("zeros_loaded",),
    "ask": _ask,
    "differs": _differs,
}
register(Case("shared_folder", qwen3.RECIPE, **_OWN))
register(Case("shared_folder_mla", deepseek_v3.RECIPE, **_OWN))
