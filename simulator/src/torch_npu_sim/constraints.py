"""Checks of what the operator documentation demands, failing as the device would."""

import os

import torch

#: Set to 1 to let float32 stand in for the half types where an operator documents those alone, so that
#: tokens can be compared with a float32 reference.
FLOAT32_VARIABLE = "ASCEND_SIMULATE_FLOAT32"

#: Set to 1 to refuse also what is tolerated.
STRICT_VARIABLE = "TORCH_NPU_SIM_STRICT"

#: What devices take although the operator's documentation forbids it, and who says so.
TOLERATED = {
    ("npu_scatter_pa_kv_cache", "strided caches"): (
        "vllm-ascend 0.30.0rc2 passes the two halves of one page (vllm_ascend/worker/model_runner_v1.py)"
    ),
    ("npu_scatter_pa_kv_cache", "a slot of -1"): (
        "vllm-ascend's own test on devices leaves such tokens out "
        "(tests/e2e/nightly/single_node/ops/singlecard_ops/test_pa_kv_cache_ops.py)"
    ),
    ("npu_fused_infer_attention_score", "strided inputs"): (
        "vllm-ascend 0.30.0rc2 passes slices of the queries and halves of pages (vllm_ascend/attention/mla_v1.py)"
    ),
    ("npu_fused_infer_attention_score_v2", "strided inputs"): (
        "vllm-ascend 0.30.0rc2 passes slices of the queries and halves of pages (vllm_ascend/attention/mla_v1.py)"
    ),
    ("npu_fused_infer_attention_score", "a longer block table"): (
        "vllm-ascend 0.30.0rc2 passes the rows of all requests that there may be (vllm_ascend/attention/attention_v1.py)"
    ),
    ("npu_fused_infer_attention_score_v2", "a longer block table"): (
        "vllm-ascend 0.30.0rc2 passes the rows of all requests that there may be (vllm_ascend/attention/mla_v1.py)"
    ),
    ("npu_fused_infer_attention_score", "an empty sequence"): (
        "vllm-ascend 0.30.0rc2 has chunks of a context in which a request has no token (vllm_ascend/attention/mla_v1.py)"
    ),
    ("npu_moe_token_unpermute", "a repeated index"): (
        "vllm-ascend 0.30.0rc2 gives experts elsewhere index 1 without weight (vllm_ascend/device/device_op.py)"
    ),
}

HALF = (torch.float16, torch.bfloat16)
FLOAT = (*HALF, torch.float32)


class ConstraintError(RuntimeError):
    """An argument that the operator's documentation excludes."""


def require(condition: bool, operator: str, demand: str) -> None:
    """Raise ConstraintError with the operator and the documented ``demand`` unless ``condition`` holds."""
    if not condition:
        raise ConstraintError(f"{operator}: {demand}")


def tolerated(operator: str, what: str) -> bool:
    """Return whether devices take ``what`` against the documentation; not with ``TORCH_NPU_SIM_STRICT=1``."""
    return (operator, what) in TOLERATED and os.environ.get(STRICT_VARIABLE) != "1"


def dtype(operator: str, accepted: tuple[torch.dtype, ...], **tensors: torch.Tensor | None) -> None:
    """Require the dtype of each tensor to be one of ``accepted``."""
    floating = {each for each in accepted if each.is_floating_point}
    if floating and floating <= set(HALF) and os.environ.get(FLOAT32_VARIABLE) == "1":
        accepted = (*accepted, torch.float32)
    for name, tensor in tensors.items():
        if tensor is not None and tensor.dtype not in accepted:
            names = ", ".join(str(t).removeprefix("torch.") for t in accepted)
            require(False, operator, f"{name} is {tensor.dtype}, supported are {names}")


def same_dtype(operator: str, **tensors: torch.Tensor | None) -> None:
    """Require all tensors given to have one dtype."""
    found = {name: tensor.dtype for name, tensor in tensors.items() if tensor is not None}
    require(len(set(found.values())) <= 1, operator, f"dtypes must agree, got {found}")


def contiguous(operator: str, **tensors: torch.Tensor | None) -> None:
    """Require every tensor given to be contiguous."""
    for name, tensor in tensors.items():
        if tensor is not None:
            strides = f"shape {tuple(tensor.shape)}, strides {tensor.stride()}"
            require(tensor.is_contiguous(), operator, f"{name} must be contiguous, got {strides}")


def rank(operator: str, dimensions: range, **tensors: torch.Tensor | None) -> None:
    """Require the number of dimensions of each tensor to lie in ``dimensions``."""
    for name, tensor in tensors.items():
        if tensor is not None and tensor.dim() not in dimensions:
            wanted = f"{dimensions.start} to {dimensions.stop - 1}"
            require(False, operator, f"{name} must have {wanted} dimensions, got {tensor.dim()}")


def absent(operator: str, **arguments: object) -> None:
    """Raise NotImplementedError for arguments that the reference does not compute with."""
    given = [name for name, value in arguments.items() if value is not None]
    if given:
        raise NotImplementedError(f"the reference implementation of {operator} does not support {', '.join(given)}")
