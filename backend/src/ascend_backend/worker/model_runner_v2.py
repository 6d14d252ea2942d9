"""The model runner V2."""

import torch
from vllm.config import VllmConfig
from vllm.v1.worker.gpu.model_runner import GPUModelRunner

from ascend_backend.encoder_cache.outputs import EncoderOutputs
from ascend_backend.worker.encoder_profile import ProfiledRunner


class NPUModelRunnerV2(ProfiledRunner, GPUModelRunner):
    """vLLM's ``GPUModelRunner`` (V2); the platform, the attention backend and the layers do the rest."""

    def __init__(self, vllm_config: VllmConfig, device: torch.device) -> None:
        """Fulfil ``GPUModelRunner.__init__``; outputs of encoders have memory of their own, where none takes them."""
        super().__init__(vllm_config, device)
        if self.encoder_cache is not None and vllm_config.ec_transfer_config is None:
            # A connector of encoder outputs has taken hold of vLLM's dictionary.
            self.encoder_cache.encoder_outputs = EncoderOutputs(vllm_config)

    def encoder_outputs(self) -> EncoderOutputs | None:
        """Return what is kept of encoders, if it is counted."""
        outputs = None if self.encoder_cache is None else self.encoder_cache.encoder_outputs
        return outputs if isinstance(outputs, EncoderOutputs) else None
