"""Products of int8."""

import torch
import torch_npu


def linear(x: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    """Return ``x``, in int8, times the transposed ``weight`` (int8, [out, in]), times ``scale`` (float32, [out]).

    Each token is measured.
    """
    values, of_token = torch_npu.npu_dynamic_quant(x.reshape(-1, x.shape[-1]))
    product = torch_npu.npu_quant_matmul(
        values, weight.transpose(0, 1), scale, pertoken_scale=of_token, bias=bias, output_dtype=x.dtype
    )
    return product.view(*x.shape[:-1], -1)


def static_linear(
    x: torch.Tensor,
    weight: torch.Tensor,
    scale: torch.Tensor,
    input_factor: torch.Tensor,
    bias: torch.Tensor | None,
    zero_point: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return the same with one scale for all tokens: ``input_factor`` makes int8 of ``x``, and is part of ``scale``.

    A ``bias`` of int32 is added to the sums of whole numbers, another one to the result: with float16 the operator
    documents none but those of int32.
    """
    rows = x.reshape(-1, x.shape[-1])
    values = torch_npu.npu_quantize(rows, input_factor, zero_point, torch.qint8, -1, False)
    whole = bias is not None and bias.dtype == torch.int32
    product = torch_npu.npu_quant_matmul(
        values, weight.transpose(0, 1), scale, bias=bias if whole else None, output_dtype=x.dtype
    )
    if bias is not None and not whole:
        product = product + bias
    return product.view(*x.shape[:-1], -1)
