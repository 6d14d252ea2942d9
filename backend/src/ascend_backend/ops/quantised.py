"""Products of int8."""

import torch
import torch_npu


def linear(
    x: torch.Tensor,
    weight: torch.Tensor,
    scale: torch.Tensor,
    input_factor: torch.Tensor | None,
    bias: torch.Tensor | None,
) -> torch.Tensor:
    """Return ``x``, in int8, times the transposed ``weight`` (int8, [out, in]), times ``scale`` (float32, [out]).

    ``input_factor`` makes int8 of ``x``, and is part of ``scale``. Where it is None, each token is measured.
    """
    rows = x.reshape(-1, x.shape[-1])
    if input_factor is None:
        values, of_token = torch_npu.npu_dynamic_quant(rows)
    else:
        values, of_token = torch_npu.npu_quantize(rows, input_factor, None, torch.qint8, -1, False), None
    product = torch_npu.npu_quant_matmul(
        values, weight.transpose(0, 1), scale, pertoken_scale=of_token, bias=bias, output_dtype=x.dtype
    )
    return product.view(*x.shape[:-1], -1)
