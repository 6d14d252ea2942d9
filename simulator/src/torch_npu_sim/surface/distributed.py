"""torch_npu's names for process groups: the device's backend hccl under them."""

from typing import Any

from torch._C._distributed_c10d import Backend
from torch.distributed import ProcessGroupGloo

from torch_npu_sim.device import hccl, native


class _Group(type):
    """Takes the device's process groups for its instances."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, native.functions().ProcessGroupHCCL)


class Options(Backend.Options):
    """The options of a group: they are remembered, and those of HCCL have no effect here."""

    def __init__(self) -> None:
        super().__init__("hccl")
        self.hccl_config: dict[str, Any] = {}
        self.is_high_priority_stream = False
        self.global_ranks_in_group: list[int] = []
        self.group_id = ""


class ProcessGroupHCCL(metaclass=_Group):
    """Makes a process group for tensors of npu."""

    Options = Options

    def __new__(cls, store: Any, rank: int, size: int, options: Any = None) -> Any:
        """Return the group of a store, as torch_npu does."""
        waits = () if options is None else (options._timeout,)
        return hccl.group(ProcessGroupGloo(store, rank, size, *waits))


def is_hccl_available() -> bool:
    """Return that there is a backend of that name."""
    return True
