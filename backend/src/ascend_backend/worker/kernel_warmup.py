"""Warm-up of kernels before the first request."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vllm.v1.worker.gpu_worker import Worker


def kernel_warmup(worker: "Worker") -> None:
    """Stand in for ``vllm.model_executor.warmup.kernel_warmup.kernel_warmup``.

    torch_npu's operators are compiled ahead of time, so the profile run has warmed up all there is.
    """
