"""RMSNorm."""

import torch
from vllm.model_executor.custom_op import CustomOp
from vllm.model_executor.layers.layernorm import RMSNorm

from ascend_backend.ops import norm


@CustomOp.register_oot(name="RMSNorm")
class NPURMSNorm(RMSNorm):
    """Root mean square normalisation with torch_npu's fused operators."""

    def forward_oot(
        self, x: torch.Tensor, residual: torch.Tensor | None = None
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        """Fulfil ``RMSNorm.forward_native``: with a residual, return the normalised sum and the sum."""
        if self.variance_size_override is not None:
            return self.forward_native(x, residual)
        if residual is None:
            return norm.rms_norm(x, self.weight.data, self.variance_epsilon)
        return norm.add_rms_norm(x, residual, self.weight.data, self.variance_epsilon)
