"""What has to be replaced inside vLLM at run time, each with its reason.

Everything else is done by subclassing and by vLLM's own registries. Called once in a worker process, before
the model runner is made.
"""

from functools import partial

import torch
from vllm.v1.sample.ops import topk_topp_sampler
from vllm.v1.worker import gpu_worker
from vllm.v1.worker.gpu import buffer_utils

from ascend_backend.worker.kernel_warmup import kernel_warmup

#: Operators of vllm._C, which does not exist for this device; torch withdraws them when this object dies.
_library = torch.library.Library("_C", "FRAGMENT")


def adapt() -> None:
    """Replace what vLLM offers no hook for."""
    _redirect_cuda_streams()
    _redirect_cuda_graphs()
    # The stock warm-up imports kernels of NVIDIA devices (FlashInfer, DeepGEMM).
    gpu_worker.kernel_warmup = kernel_warmup
    # The Triton kernel for top-k and top-p is tuned for CUDA and ROCm; this module falls back to torch
    # where there is no Triton.
    topk_topp_sampler.HAS_TRITON = False
    # A pinned host tensor cannot be viewed from the NPU; without UVA the buffers are copied.
    buffer_utils.is_uva_available = _uva_is_not_available


def _uva_is_not_available() -> bool:
    return False


def _redirect_cuda_streams() -> None:
    """Make torch.cuda's stream functions those of torch.npu: the stock model runners name torch.cuda.

    partial objects, because torch.compile refuses to register one function under two names.
    """
    torch.cuda.Stream = torch.npu.Stream
    torch.cuda.Event = torch.npu.Event
    torch.cuda.current_stream = partial(torch.npu.current_stream)
    torch.cuda.default_stream = partial(torch.npu.default_stream)
    torch.cuda.stream = partial(torch.npu.stream)
    torch.cuda.set_stream = partial(torch.npu.set_stream)


def _redirect_cuda_graphs() -> None:
    """Make torch.cuda's graphs ACL graphs: vLLM's graph wrappers and managers name torch.cuda."""
    import torch_npu
    from vllm.distributed.parallel_state import GroupCoordinator

    from ascend_backend.compilation import acl_graphs

    torch.cuda.CUDAGraph = acl_graphs.Graph
    torch.cuda.graph = acl_graphs.capture
    GroupCoordinator.graph_capture = acl_graphs.group_capture
    if not hasattr(torch.ops._C, "weak_ref_tensor"):
        # vLLM keeps the results of a graph without owning their memory, through an operator of vllm._C.
        _library.define("weak_ref_tensor(Tensor input) -> Tensor")
        _library.impl("weak_ref_tensor", torch_npu._C._weak_ref_tensor, "PrivateUse1")
