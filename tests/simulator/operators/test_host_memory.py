"""Functions of an extension that run on the host: views of pinned memory, copies by address."""

from __future__ import annotations

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import operator

VIEW, SWAP = "_C_ascend::get_npu_view_from_cpu_tensor", "_C_ascend::swap_blocks_batch"


def test_a_view_of_pinned_memory_shows_what_the_host_writes() -> None:
    pinned = torch.zeros(4, pin_memory=True)
    view = operator(VIEW)(pinned)
    pinned[2] = 5.0
    assert view.device.type == "npu"
    assert view.cpu().tolist() == [0.0, 0.0, 5.0, 0.0]
    assert operator(VIEW)(torch.zeros(4)) is None


def test_bytes_are_copied_both_ways() -> None:
    blocks, host = torch.arange(12.0, device="npu").view(3, 4), torch.zeros(2, 4)
    row = 4 * blocks.element_size()
    source = torch.tensor([blocks[2].data_ptr(), blocks[0].data_ptr()])
    target = torch.tensor([host[0].data_ptr(), host[1].data_ptr()])
    operator(SWAP)(source, target, torch.tensor([row, row]), 1)
    assert host.tolist() == [[8.0, 9.0, 10.0, 11.0], [0.0, 1.0, 2.0, 3.0]]
    host.fill_(7.0)
    operator(SWAP)(target, source, torch.tensor([row, 0]), 0)
    assert blocks.cpu()[:, 0].tolist() == [0.0, 4.0, 7.0]


def test_devices_are_numbered_as_they_are() -> None:
    assert operator("_C_ascend::get_physical_device_id")(3) == 3


def test_what_the_extension_checks() -> None:
    one = torch.tensor([0])
    with pytest.raises(ConstraintError, match="invalid direction 3"):
        operator(SWAP)(one, one, one, 3)
    with pytest.raises(ConstraintError, match="sizes length must match"):
        operator(SWAP)(one, one, torch.tensor([0, 0]), 0)
    with pytest.raises(ConstraintError, match="src_ptrs must be on CPU"):
        operator(SWAP)(one.to("npu"), one, one, 0)
