"""One of two processes: asserts what every collective gives on npu. Run by test_hccl."""

from __future__ import annotations

import sys

import pytest
import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives as functional
from torch_npu_sim import device

RANK, STORE = int(sys.argv[1]), sys.argv[2]

device.load()
torch.npu.set_device(RANK)
dist.init_process_group("hccl", store=dist.FileStore(STORE, 2), rank=RANK, world_size=2)


def of(*values: float) -> torch.Tensor:
    return torch.tensor(values, device="npu", dtype=torch.float32)


def empty(size: int) -> torch.Tensor:
    return torch.empty(size, device="npu")


def lists(tensors: list[torch.Tensor]) -> list[list[float]]:
    return [tensor.tolist() for tensor in tensors]


mine = of(1 + RANK, 2)

summed = mine.clone()
dist.all_reduce(summed)
assert summed.tolist() == [3, 4]
work = dist.all_reduce(summed, async_op=True)
work.wait()
assert summed.tolist() == [6, 8]
assert (functional.all_reduce(mine, "sum", dist.group.WORLD) + 0).tolist() == [3, 4]

parts = [empty(2), empty(2)]
dist.all_gather(parts, mine)
assert lists(parts) == [[1, 2], [2, 2]]
whole = empty(4)
dist.all_gather_into_tensor(whole, mine)
assert whole.tolist() == [1, 2, 2, 2]

part = empty(2)
dist.reduce_scatter_tensor(part, of(0, 1, 2, 3))
assert part.tolist() == [[0, 2], [4, 6]][RANK]

four, exchanged = of(0, 1, 2, 3) + 10 * RANK, empty(4)
dist.all_to_all_single(exchanged, four)
assert exchanged.tolist() == [[0, 1, 10, 11], [2, 3, 12, 13]][RANK]
sizes = [[1, 3], [3, 1]][RANK]
uneven = empty(4)
dist.all_to_all_single(uneven, four, output_split_sizes=sizes, input_split_sizes=sizes)
assert uneven.tolist() == [[0, 10, 11, 12], [1, 2, 3, 13]][RANK]
parts = [empty(2), empty(2)]
dist.all_to_all(parts, [four[:2], four[2:]])
assert lists(parts) == [[[0, 1], [10, 11]], [[2, 3], [12, 13]]][RANK]

spread = of(RANK)
dist.broadcast(spread, 1)
assert spread.tolist() == [1]

if RANK == 0:
    dist.send(four, 1)
else:
    received = empty(4)
    dist.recv(received, 0)
    assert received.tolist() == [0, 1, 2, 3]
received = empty(2)
for request in dist.batch_isend_irecv(
    [dist.P2POp(dist.isend, mine, 1 - RANK), dist.P2POp(dist.irecv, received, 1 - RANK)]
):
    request.wait()
assert received.tolist() == [2 - RANK, 2]

gathered = [empty(2), empty(2)] if RANK == 0 else None
dist.gather(mine, gathered, dst=0)
assert RANK or lists(gathered) == [[1, 2], [2, 2]]

objects = [None, None]
dist.all_gather_object(objects, {"rank": RANK})
assert objects == [{"rank": 0}, {"rank": 1}]

with pytest.raises(RuntimeError, match="No backend type associated with device type cpu"):
    dist.all_reduce(torch.ones(1))
plain = torch.ones(1)
dist.all_reduce(plain, group=dist.new_group([0, 1], backend="gloo"))
assert plain.tolist() == [2]

backend = dist.group.WORLD._get_backend(torch.device("npu"))
assert backend.get_hccl_comm_name(RANK) == f"hccl_0_{RANK}"
dist.barrier()
dist.destroy_process_group()
print("all collectives")
