"""Tensors of npu: operators, views, copies, and what the device refuses."""

from __future__ import annotations

import copy
import io
import pickle

import pytest
import torch
from torch_npu_sim.device import counters, device, host


def test_a_tensor_says_where_it_is() -> None:
    t = torch.ones(2, device="npu")
    assert (t.device, t.is_npu, t.is_cpu, t.untyped_storage().device) == (
        torch.device("npu:0"),
        True,
        False,
        t.device,
    )
    assert torch.zeros(1).npu(3).device == torch.device("npu:3")
    assert t.to("npu:1").cpu().tolist() == [1, 1]
    with pytest.raises(TypeError, match="can't convert npu:0 device type tensor to numpy"):
        t.numpy()


@pytest.mark.parametrize(
    "mixed",
    [
        lambda a, b: a + b,
        lambda a, b: a @ b,
        lambda a, b: torch.cat([a, b]),
        lambda a, b: a.index_add_(0, torch.zeros(3, dtype=torch.long, device="npu"), b),
        lambda a, b: torch.where(a > 0, a, b),
        lambda a, b: torch.nn.functional.linear(a, b),
        lambda a, b: torch.add(a, a, out=b),
    ],
)
@pytest.mark.parametrize("other", ["cpu", "npu:1"])
def test_tensors_of_two_devices_are_refused(mixed: object, other: str) -> None:
    with pytest.raises(RuntimeError, match=r"(?i)expected .*device"):
        mixed(torch.ones(3, 3, device="npu:0"), torch.ones(3, 3, device=other))


def test_a_number_of_the_host_is_taken_and_an_index_of_the_host_too() -> None:
    t = torch.arange(4.0, device="npu")
    assert (t + torch.tensor(1.0)).tolist() == [1, 2, 3, 4]
    assert t[torch.tensor([3, 0])].tolist() == [3, 0]
    t[torch.tensor([True, False, False, True])] = 9
    assert t.tolist() == [9, 1, 2, 9]


def test_views_share_memory_and_in_place_operators_write_to_it() -> None:
    t = torch.zeros(3, 4, device="npu")
    t.t()[1:, ::2].add_(1)
    t.view(-1)[0] = 5
    torch.mul(t, 2, out=t[:])
    assert t.tolist() == [[10, 2, 2, 2], [0, 0, 0, 0], [0, 2, 2, 2]]
    assert t.unfold(1, 2, 2).untyped_storage().data_ptr() == t.data_ptr()


def test_an_out_argument_gets_the_result_and_its_shape() -> None:
    out = torch.empty(0, device="npu")
    returned = torch.add(torch.ones(2, 3, device="npu"), 1, out=out)
    assert returned is out
    assert out.tolist() == [[2, 2, 2]] * 2
    values, indices = torch.empty(0, device="npu"), torch.empty(0, dtype=torch.long, device="npu")
    torch.sort(torch.tensor([2.0, 1.0], device="npu"), out=(values, indices))
    assert (values.tolist(), indices.tolist()) == ([1, 2], [1, 0])


def test_storages_are_resized_set_and_kept() -> None:
    t = torch.arange(4.0, device="npu")
    t.resize_(2, 3)
    assert t.view(-1)[:4].tolist() == [0, 1, 2, 3]
    shared = torch.empty(0, device="npu").set_(t.untyped_storage(), 1, (2,), (1,))
    t[0, 1] = 7
    assert shared.tolist() == [7, 2]
    t.untyped_storage().resize_(0)
    assert t.untyped_storage().nbytes() == 0


def test_host_shows_the_memory_of_the_device_and_leads_back_to_it() -> None:
    t = torch.arange(6.0, device="npu").view(2, 3).t()
    shown = host(t)
    assert (shown.device.type, shown.stride(), shown.data_ptr()) == ("cpu", t.stride(), t.data_ptr())
    shown.add_(1)
    assert t.tolist() == [[1, 4], [2, 5], [3, 6]]
    assert device(shown).untyped_storage()._cdata == t.untyped_storage()._cdata
    del t
    assert shown.sum() == 21
    with pytest.raises(RuntimeError, match=r"host\(\) takes a tensor of npu"):
        host(shown)


def test_memory_of_the_host_becomes_the_devices_without_a_copy() -> None:
    t = torch.arange(3.0)
    moved = device(t, 2)
    t[0] = 9
    assert (moved.device, moved.tolist()) == (torch.device("npu:2"), [9, 1, 2])
    assert torch.npu.memory_allocated(2) == 512
    with pytest.raises(RuntimeError, match=r"device\(\) takes a tensor of the CPU"):
        device(moved)


def test_copies_and_waits_are_counted() -> None:
    t = torch.ones(4).npu()
    t.cpu()
    t.clone()
    t.sum().item()
    pinned = torch.empty(4, pin_memory=True)
    pinned.copy_(t, non_blocking=True)
    assert pinned.is_pinned()
    counted = counters()
    assert {
        name: counted[name] for name in ("host_to_device", "device_to_host", "device_to_device", "waits")
    } == {
        "host_to_device": 1,
        "device_to_host": 3,
        "device_to_device": 1,
        "waits": 3,
    }
    before = counters()["waits"]
    torch.empty(4).copy_(t, non_blocking=True)
    assert counters()["waits"] == before + 1
    t.nonzero()
    assert counters()["waits"] == before + 2
    (t * 2).view(2, 2)[0] += 1
    assert counters()["waits"] == before + 2


def test_a_tensor_is_kept_in_files_and_copied_with_its_views() -> None:
    t = torch.arange(4.0, device="npu:1")
    file = io.BytesIO()
    torch.save({"t": t, "view": t[1:]}, file)
    file.seek(0)
    loaded = torch.load(file)
    loaded["t"][1] = 8
    assert (loaded["t"].device, loaded["view"][0].item()) == (t.device, 8)
    file.seek(0)
    assert torch.load(file, map_location="cpu")["t"].device.type == "cpu"
    copied = copy.deepcopy([t, t[2:]])
    copied[1].zero_()
    assert (copied[0].tolist(), t.tolist()) == ([0, 1, 0, 0], [0, 1, 2, 3])
    assert pickle.loads(pickle.dumps(t)).device == t.device


def test_a_module_learns_on_the_device_what_it_learns_on_the_host() -> None:
    here = torch.nn.Sequential(torch.nn.Conv1d(2, 4, 3, padding=1), torch.nn.GELU(), torch.nn.LayerNorm(5))
    there = copy.deepcopy(here).npu()
    x = torch.randn(3, 2, 5)
    here(x).square().sum().backward()
    there(x.npu()).square().sum().backward()
    for a, b in zip(here.parameters(), there.parameters(), strict=True):
        torch.testing.assert_close(b.grad.cpu(), a.grad, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_compiled_function_runs_on_the_device(backend: str) -> None:
    x = torch.randn(4, device="npu", requires_grad=True)
    y = torch.compile(lambda x: (x * 2).relu().sum(), backend=backend, fullgraph=True)(x)
    y.backward()
    assert y.device == x.device
    assert x.grad.tolist() == [2.0 * (v > 0) for v in x.tolist()]


def test_fake_tensors_say_the_device() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        made = torch.empty(3, 2, device="npu:1") @ torch.empty(2, 5, device="npu:1")
    assert (made.device, made.shape) == (torch.device("npu:1"), (3, 5))


def test_autocast_casts_what_torch_lists() -> None:
    layer, x = torch.nn.Linear(4, 4).npu(), torch.randn(2, 4, device="npu")
    with torch.autocast("npu", dtype=torch.bfloat16):
        y = layer(x)
        assert (y.dtype, y.softmax(-1).dtype, (x * x).dtype) == (torch.bfloat16, torch.float32, torch.float32)


def test_an_operator_without_a_kernel_is_refused_by_name() -> None:
    library = torch.library.Library("sim_test", "DEF")
    library.define("nothing(Tensor x) -> Tensor")
    with pytest.raises(
        NotImplementedError, match="Could not run 'sim_test::nothing' with arguments from the 'npu'"
    ):
        torch.ops.sim_test.nothing(torch.ones(1, device="npu"))


def test_zeros_to_be_pinned_are_of_the_device_and_nothing_else_of_it_is() -> None:
    # So op-plugin's zeros: it leaves the wish out.
    zeros = torch.zeros(2, 3, dtype=torch.int32, device="npu", pin_memory=True)
    assert (zeros.device.type, zeros.tolist()) == ("npu", [[0] * 3] * 2)
    with pytest.raises(RuntimeError, match="Only dense CPU tensors can be pinned"):
        torch.empty(2, device="npu", pin_memory=True)
