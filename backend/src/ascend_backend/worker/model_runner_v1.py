"""The model runner V1."""

import torch
from vllm.config import VllmConfig
from vllm.v1.worker.gpu_model_runner import GPUModelRunner

from ascend_backend.encoder_cache.outputs import EncoderOutputs
from ascend_backend.worker.encoder_profile import ProfiledRunner


class NPUModelRunner(ProfiledRunner, GPUModelRunner):
    """vLLM's ``GPUModelRunner`` (V1); the platform, the attention backend and the layers do the rest."""

    def __init__(self, vllm_config: VllmConfig, device: torch.device) -> None:
        """Fulfil ``GPUModelRunner.__init__``; outputs of encoders have memory of their own."""
        super().__init__(vllm_config, device)
        self.encoder_cache = EncoderOutputs(vllm_config)

    def encoder_outputs(self) -> EncoderOutputs:
        """Return what is kept of encoders."""
        return self.encoder_cache
