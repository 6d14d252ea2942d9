"""Collectives between NPUs."""

from typing import Any

import torch
from torch import distributed
from vllm.distributed.device_communicators.all2all import AgRsAll2AllManager
from vllm.distributed.device_communicators.base_device_communicator import DeviceCommunicatorBase


class NPUCommunicator(DeviceCommunicatorBase):
    """Fulfils ``DeviceCommunicatorBase`` through torch.distributed.

    Tokens reach the experts of other ranks by gathering all tokens everywhere, and come back by adding up what
    every rank made of them: vLLM's own ``AgRsAll2AllManager``.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        """Fulfil ``DeviceCommunicatorBase.__init__``. Raises ValueError for another way to the experts."""
        super().__init__(*arguments, **keywords)
        if self.use_all2all:
            if self.all2all_backend != "allgather_reducescatter":
                raise ValueError(
                    f"the all2all backend {self.all2all_backend} is not supported on NPU: "
                    f"leave it at allgather_reducescatter"
                )
            self.all2all_manager = AgRsAll2AllManager(self.cpu_group)

    def all_gatherv(
        self, input_: torch.Tensor | list[torch.Tensor], dim: int = 0, sizes: list[int] | None = None
    ) -> torch.Tensor | list[torch.Tensor]:
        """Fulfil ``DeviceCommunicatorBase.all_gatherv``: rows of all ranks, of which each has its own number.

        The ranks' rows are padded to the most of any, for torch.distributed gathers as much of each.
        """
        if dim != 0:
            raise NotImplementedError(f"rows alone are gathered in different numbers, not dimension {dim}")
        if isinstance(input_, list):
            return [self._gathered(each, sizes) for each in input_]
        return self._gathered(input_, sizes)

    def reduce_scatterv(self, input_: torch.Tensor, dim: int = -1, sizes: list[int] | None = None) -> torch.Tensor:
        """Fulfil ``DeviceCommunicatorBase.reduce_scatterv``: the sum over all ranks of this rank's own rows."""
        if sizes is None:
            return self.reduce_scatter(input_, dim)
        if dim not in (0, -input_.dim()):
            raise NotImplementedError(f"rows alone are scattered in different numbers, not dimension {dim}")
        most = max(sizes)
        parts = [_padded(part, most) for part in input_.split(sizes)]
        output = self.reduce_scatter(torch.cat(parts), 0)
        return output[: sizes[self.rank_in_group]]

    def dispatch_router_logits(
        self,
        hidden_states: torch.Tensor,
        router_logits: torch.Tensor,
        is_sequence_parallel: bool = False,
        extra_tensors: list[torch.Tensor] | None = None,
    ) -> Any:
        """Fulfil ``DeviceCommunicatorBase.dispatch_router_logits``: the tokens of all ranks."""
        assert self.all2all_manager is not None
        return self.all2all_manager.dispatch_router_logits(
            hidden_states, router_logits, is_sequence_parallel, extra_tensors
        )

    def combine(self, hidden_states: torch.Tensor, is_sequence_parallel: bool = False) -> torch.Tensor:
        """Fulfil ``DeviceCommunicatorBase.combine``: this rank's tokens, summed over all ranks' experts."""
        assert self.all2all_manager is not None
        return self.all2all_manager.combine(hidden_states, is_sequence_parallel)

    def _gathered(self, rows: torch.Tensor, sizes: list[int] | None) -> torch.Tensor:
        if sizes is None:
            return self.all_gather(rows, 0)
        most = max(sizes)
        padded = rows.new_empty(self.world_size * most, *rows.shape[1:])
        distributed.all_gather_into_tensor(padded, _padded(rows, most), group=self.device_group)
        return torch.cat([part[:size] for part, size in zip(padded.split(most), sizes, strict=True)])


def _padded(rows: torch.Tensor, most: int) -> torch.Tensor:
    """Return the rows and as many of zeros as make them ``most``."""
    missing = most - rows.shape[0]
    if not missing:
        return rows.contiguous()
    return torch.cat([rows, rows.new_zeros(missing, *rows.shape[1:])])
