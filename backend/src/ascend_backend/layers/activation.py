"""SwiGLU."""

import torch
from vllm.model_executor.custom_op import CustomOp
from vllm.model_executor.layers.activation import SiluAndMul

from ascend_backend.ops import activation


@CustomOp.register_oot(name="SiluAndMul")
class NPUSiluAndMul(SiluAndMul):
    """``silu(gate) * up`` with torch_npu's fused operator."""

    def forward_oot(self, x: torch.Tensor) -> torch.Tensor:
        """Fulfil ``SiluAndMul.forward_native``."""
        return activation.swiglu(x)
