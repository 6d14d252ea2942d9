"""The figures of the allocator: those of a caching allocator."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch
from torch_npu_sim.device import segments

from tests.simulator.beside_torch import Program

MiB = 1 << 20


def bytes_of(amount: int, device: str = "npu") -> torch.Tensor:
    return torch.empty(amount, dtype=torch.uint8, device=device)


def test_small_blocks_are_rounded_and_share_a_segment() -> None:
    before = torch.npu.memory_allocated()
    kept = [bytes_of(1), bytes_of(513), bytes_of(0)]
    stats = torch.npu.memory_stats()
    assert torch.npu.memory_allocated() - before == 512 + 1024
    assert torch.npu.memory_reserved() == 2 * MiB
    assert stats["segment.small_pool.current"] == 1
    assert stats["inactive_split_bytes.small_pool.current"] == 2 * MiB - torch.npu.memory_allocated()
    assert len(kept) == 3


def test_freed_blocks_are_kept_until_the_cache_is_emptied() -> None:
    block = bytes_of(30 * MiB)
    assert torch.npu.memory_reserved() == 30 * MiB
    del block
    assert (torch.npu.memory_allocated(), torch.npu.memory_reserved()) == (0, 30 * MiB)
    block = bytes_of(25 * MiB)
    assert torch.npu.memory_reserved() == 30 * MiB
    assert torch.npu.memory_stats()["inactive_split_bytes.all.current"] == 5 * MiB
    torch.npu.empty_cache()
    assert torch.npu.memory_reserved() == 30 * MiB, "a segment in use is not given back"
    del block
    torch.npu.empty_cache()
    assert torch.npu.memory_reserved() == 0
    assert torch.npu.max_memory_allocated() == 30 * MiB


def test_neighbours_that_are_free_become_one_block() -> None:
    blocks = [bytes_of(5 * MiB) for _ in range(4)]
    assert torch.npu.memory_reserved() == 20 * MiB
    blocks[1] = blocks[2] = None
    bytes_of(10 * MiB)
    assert torch.npu.memory_reserved() == 20 * MiB
    (segment,) = torch.npu.memory_snapshot()
    assert [(b["size"] // MiB, b["state"]) for b in segment["blocks"]] == [
        (5, "active_allocated"),
        (10, "inactive"),
        (5, "active_allocated"),
    ]


def test_what_does_not_fit_is_refused_after_the_cache_was_emptied() -> None:
    kept, freed = bytes_of(600 * MiB), bytes_of(300 * MiB)
    del freed
    fits = bytes_of(400 * MiB)
    assert torch.npu.memory_stats()["num_alloc_retries"] >= 1
    with pytest.raises(torch.OutOfMemoryError) as raised:
        bytes_of(100 * MiB)
    assert str(raised.value).startswith(
        "NPU out of memory. Tried to allocate 100.00 MiB (NPU 0; 1.00 GiB total capacity; 1000.00 MiB already allocated;"
    )
    assert bytes_of(100 * MiB, "npu:1").numel() + kept.numel() + fits.numel() == 1100 * MiB
    assert torch.npu.mem_get_info() == (24 * MiB, 1024 * MiB)


def test_results_of_kernels_are_counted_too() -> None:
    before = torch.npu.memory_allocated()
    x = torch.ones(1024, device="npu")
    y = (x.view(32, 32) @ x.view(32, 32)).unique()
    assert torch.npu.memory_allocated() - before == 4096 + 512
    assert y.tolist() == [32]


def test_a_pool_keeps_its_blocks_to_itself() -> None:
    del_me = bytes_of(4 * MiB)
    del del_me
    with torch.npu.use_mem_pool(torch.npu.MemPool()):
        inside = bytes_of(4 * MiB)
    assert torch.npu.memory_reserved() == 40 * MiB
    assert inside.numel() == 4 * MiB


@pytest.mark.parametrize(
    ("wheel", "meant", "answers"),
    [
        ("2.11.0", "", False),
        ("2.13.0", "", True),
        ("2.14.0", "", True),
        ("2.13.0", "2.11.0.post3", False),
        ("2.13.0", "2.14.0", True),
    ],
)
def test_torch_accelerator_knows_memory_as_the_torch_npu_that_is_meant(
    wheel: str, meant: str, answers: bool, tmp_path: Path
) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import torch; from torch_npu_sim import device; device.load(); t = torch.ones(1, device='npu')\n"
        "print(torch.accelerator.memory_stats()['allocated_bytes.all.current'], torch.npu.memory_allocated())"
    )
    asked = {"TORCH_NPU_SIM_WHEEL": f"torch_npu-{wheel}-cp311-cp311-x.whl", "TORCH_NPU_SIM_VERSION": meant}
    done = Program(script, [path for path in sys.path if path], **asked).finish()
    assert (done.returncode == 0) == answers, done.stderr
    assert done.stdout == ("512 512\n" if answers else "")
    assert answers or "is not a DeviceAllocator" in done.stderr


def test_segments_of_an_allocator_of_ones_own_are_given_up_and_taken_back_in_place() -> None:
    told: list[tuple[int, ...]] = []
    segments.listen(lambda *new: told.append(new), lambda address: told.append((address,)))
    pool = torch.npu.MemPool(torch.npu.NPUPluggableAllocator(None, "my_malloc", "my_free").allocator())
    with torch.npu.use_mem_pool(pool):
        weights = torch.full((700 * MiB,), 3, dtype=torch.uint8, device="npu")
        found = weights.view(-1)[: 3 * MiB].nonzero()
    assert [new[:2] for new in told] == [(0, 700 * MiB), (0, 24 * MiB)]
    (_, _, address), (_, _, of_result) = told
    assert weights.data_ptr() == address
    assert found.data_ptr() == of_result, "results of kernels are in the pool, too"
    segments.unmap(address)
    assert torch.npu.mem_get_info()[0] == (1024 - 24) * MiB
    other = bytes_of(600 * MiB)
    with pytest.raises(torch.OutOfMemoryError):
        segments.remap(address)
    del other
    torch.npu.empty_cache()
    segments.remap(address)
    assert weights.max().item() == 0
    weights.fill_(4)
    assert (weights.data_ptr(), weights[5].item()) == (address, 4)
    del weights, found
    torch.npu.empty_cache()
    assert sorted(told[2:]) == sorted([(address,), (of_result,)])
    assert torch.npu.mem_get_info()[0] == 1024 * MiB
    with pytest.raises(RuntimeError, match="No segment"):
        segments.unmap(address)


def test_an_allocator_of_ones_own_that_nobody_stands_in_for_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(segments, "_listener", None)
    with pytest.raises(RuntimeError, match=r"does not call my_malloc of lib\.so"):
        torch.npu.NPUPluggableAllocator("lib.so", "my_malloc", "my_free")
