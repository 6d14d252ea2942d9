"""All operations on views and in place give the same on npu as on the CPU, in the same memory."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
import torch


def view_step(draw: random.Random, t: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor]:
    """One way to see a tensor of this shape."""
    ways: list[Callable[[torch.Tensor], torch.Tensor]] = [lambda t: t.unsqueeze(0), lambda t: t.detach()]
    if t.dim():
        dim = draw.randrange(t.dim())
        size = t.size(dim)
        other = draw.randrange(t.dim())
        ways += [lambda t: t.transpose(dim, other), lambda t: t.expand_as(t), lambda t: t.movedim(dim, other)]
        if size:
            start = draw.randrange(size)
            step = draw.randint(1, 2)
            ways += [
                lambda t: t.narrow(dim, start, size - start),
                lambda t: t.select(dim, start),
                lambda t: t[(slice(None),) * dim + (slice(start, None, step),)],
                lambda t: t.unfold(dim, 1, step),
                lambda t: t.split(start or 1, dim)[0],
                lambda t: (
                    t.as_strided((size,), (1,), t.storage_offset())
                    if t.dim() == 1 and t.stride(0) == 1
                    else t
                ),
            ]
        if t.is_contiguous():
            ways += [
                lambda t: t.view(-1),
                lambda t: t.flatten(),
                lambda t: t.view(torch.int32).view(torch.float32),
            ]
    return draw.choice(ways)


def in_place_step(draw: random.Random) -> Callable[[torch.Tensor], object]:
    """One way to change a tensor."""
    number = draw.randint(-3, 3)
    return draw.choice(
        [
            lambda t: t.add_(number),
            lambda t: t.mul_(t.sum()),
            lambda t: t.copy_(t.flip(0) if t.dim() else t),
            lambda t: t.clamp_(-50, 50),
            lambda t: t.masked_fill_(t > number, 1.5),
            lambda t: t.fill_(number),
            lambda t: torch.sub(t, number, out=t),
            lambda t: t.zero_().sub_(number),
            lambda t: torch._foreach_add_([t], [torch.ones_like(t)]),
            lambda t: (
                t.index_fill_(0, torch.zeros(1, dtype=torch.long, device=t.device), 4) if t.dim() else t
            ),
        ]
    )


@pytest.mark.parametrize("seed", range(60))
def test_views_and_changes_in_place(seed: int) -> None:
    draw = random.Random(seed)
    shape = [draw.randint(1, 4) for _ in range(draw.randint(1, 3))]
    cpu = [torch.arange(torch.Size(shape).numel(), dtype=torch.float32).reshape(shape)]
    npu = [cpu[0].npu()]
    for _ in range(12):
        number = draw.randrange(len(cpu))
        if draw.random() < 0.5:
            see = view_step(draw, cpu[number])
            cpu.append(see(cpu[number]))
            npu.append(see(npu[number]))
        else:
            change = in_place_step(draw)
            change(cpu[number])
            change(npu[number])
    for here, there in zip(cpu, npu, strict=True):
        assert there.is_npu
        assert (there.shape, there.stride(), there.storage_offset()) == (
            here.shape,
            here.stride(),
            here.storage_offset(),
        )
        assert torch.equal(there.cpu(), here)
        assert there.untyped_storage()._cdata == npu[0].untyped_storage()._cdata


@pytest.mark.parametrize(
    "compute",
    [
        lambda d: torch.tril_indices(3, 4, device=d),
        lambda d: torch.arange(2, 9, 3, device=d),
        lambda d: torch.full((2, 2), 7, device=d).cumsum(0),
        lambda d: torch.linspace(0, 1, 5, device=d).topk(2).indices,
        lambda d: torch.tensor([3, 1, 3], device=d).unique(return_counts=True)[1],
        lambda d: torch.ones(2, 3, device=d).to(torch.complex64).mul(2j).conj().add(1).real,
        lambda d: torch.fft.rfft(torch.arange(8.0, device=d)).imag,
        lambda d: torch.nn.functional.embedding(torch.tensor([1, 0], device=d), torch.eye(2, device=d)),
        lambda d: torch.nn.functional.scaled_dot_product_attention(*[torch.ones(1, 2, 3, 4, device=d)] * 3),
        lambda d: torch.stack(torch.arange(8.0, device=d).view(4, 2).unbind(0)[1:]),
        lambda d: torch.einsum("ij,kj->ik", torch.ones(2, 3, device=d), torch.ones(4, 3, device=d)),
        lambda d: torch.ones(3, device=d, dtype=torch.bfloat16).to(torch.float8_e4m3fn).float(),
        lambda d: torch.scatter(torch.zeros(3, device=d), 0, torch.tensor([2], device=d), 5.0),
        lambda d: torch.nn.functional.pad(torch.ones(1, 2, device=d), (1, 1), value=9),
        lambda d: torch.bucketize(torch.tensor([0.5], device=d), torch.arange(3.0, device=d)),
    ],
)
def test_operators_of_all_kinds(compute: Callable[[str], torch.Tensor]) -> None:
    there = compute("npu:1")
    assert there.device == torch.device("npu:1")
    assert torch.equal(there.cpu(), compute("cpu"))
