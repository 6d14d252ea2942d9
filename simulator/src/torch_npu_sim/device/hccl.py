"""torch.distributed's backend hccl: gloo on tensors of the host over the same memory."""

from __future__ import annotations

from typing import Any

import torch.distributed
from torch.distributed import Backend

from torch_npu_sim.device import native


def register() -> None:
    """Make hccl known for npu, if this torch has torch.distributed."""
    if not torch.distributed.is_available() or "HCCL" in Backend.backend_list:
        return
    Backend.register_backend("hccl", _group, extended_api=True, devices=["npu"])


def group(inner: Any) -> Any:
    """Return a process group for tensors of npu that lets another one for tensors of the CPU do the work."""
    return native.functions().ProcessGroupHCCL(inner)


def _group(options: Any, _: Any) -> Any:
    from torch.distributed import ProcessGroupGloo

    inner = ProcessGroupGloo(options.store, options.group_rank, options.group_size, timeout=options.timeout)
    return group(inner)
