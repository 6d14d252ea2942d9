"""Calls of operators with tensors of the host, which lend them their memory; what ``torch.library`` demands of them, and how near results have to be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree
from torch_npu_sim import device

Call = tuple[tuple[Any, ...], dict[str, Any]]

DTYPES = [torch.float32, torch.float16, torch.bfloat16]
#: Relative and absolute, of inputs in that dtype.
TOLERANCE = {torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}

dtypes = pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(dtype).removeprefix("torch."))


def operator(name: str) -> Any:
    """Return the overload of that name: with its namespace where that is not npu, with its overload where it has one."""
    namespace, _, bare = name.rpartition("::")
    packet, _, overload = bare.partition(".")
    return getattr(getattr(getattr(torch.ops, namespace or "npu"), packet), overload or "default")


def run(name: str, *arguments: Any, **keywords: Any) -> Any:
    """Call the operator on the device; what it writes into an argument stands in the one given, which it may return."""
    given: list[tuple[torch.Tensor, torch.Tensor]] = []

    def lent(tensor: torch.Tensor) -> torch.Tensor:
        given.append((device.device(tensor), tensor))
        return given[-1][0]

    def shown(result: torch.Tensor) -> torch.Tensor:
        assert result.device.type == "npu"
        same = [tensor for of_device, tensor in given if of_device is result]
        return same[0] if same else device.host(result)

    seen, named = _pytree.tree_map_only(torch.Tensor, lent, (arguments, keywords))
    return _pytree.tree_map_only(torch.Tensor, shown, operator(name)(*seen, **named))


def close(result: torch.Tensor, exact: torch.Tensor, dtype: torch.dtype, scale: float = 1.0) -> None:
    """Assert that a result in a dtype is the exact one, to what the dtype resolves times the scale."""
    assert result.dtype == dtype
    bound = TOLERANCE[dtype] * scale
    torch.testing.assert_close(result.double(), exact.double(), rtol=bound, atol=bound)


def checked(name: str, call: Call, without: Sequence[str] = ()) -> None:
    """Assert what ``torch.library.opcheck`` does, but for the tests ``without``, and that fakes show the results."""
    arguments, keywords = _pytree.tree_map_only(torch.Tensor, lambda tensor: tensor.to("npu"), call)
    tests = ["test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic"]
    kept = [test for test in tests if test not in without]
    found = torch.library.opcheck(operator(name), arguments, keywords, test_utils=kept)
    assert found == dict.fromkeys(kept, "SUCCESS")
    with FakeTensorMode() as mode:
        faked = _pytree.tree_map_only(torch.Tensor, mode.from_tensor, (arguments, keywords))
        shown = operator(name)(*faked[0], **faked[1])
    real = operator(name)(*_pytree.tree_map_only(torch.Tensor, torch.clone, arguments), **keywords)
    for was, now in zip(_pytree.tree_leaves(real), _pytree.tree_leaves(shown), strict=True):
        if isinstance(was, torch.Tensor):
            assert (was.shape, was.dtype, was.stride()) == (now.shape, now.dtype, now.stride())
