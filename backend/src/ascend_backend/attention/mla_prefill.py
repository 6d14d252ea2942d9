"""The backend that vLLM asks for to attend to prompts outside the latent space."""

import torch
from vllm.model_executor.layers.attention.mla_attention import MLACommonPrefillMetadata
from vllm.v1.attention.backends.mla.prefill.base import MLAPrefillBackend


class NPUMLAPrefillBackend(MLAPrefillBackend):
    """Never run: vLLM makes one for every layer, but ``NPUMLAImpl.forward_mha`` attends to prompts by itself.

    Without it vLLM would import FlashAttention.
    """

    @staticmethod
    def get_name() -> str:
        """Fulfil ``MLAPrefillBackend.get_name``."""
        return "NPU"

    def run_prefill_new_tokens(
        self,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        return_softmax_lse: bool,
        out: torch.Tensor | None = None,
        output_scale: torch.Tensor | None = None,
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        """Fulfil ``MLAPrefillBackend.run_prefill_new_tokens``."""
        raise NotImplementedError("NPUMLAImpl.forward_mha attends to prompts on NPU")

    def run_prefill_context_chunk(
        self,
        chunk: MLACommonPrefillMetadata.ContextChunk,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        out: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Fulfil ``MLAPrefillBackend.run_prefill_context_chunk``."""
        raise NotImplementedError("NPUMLAImpl.forward_mha attends to prompts on NPU")
