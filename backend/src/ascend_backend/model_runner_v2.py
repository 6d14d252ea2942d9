"""The model runner V2."""

from vllm.v1.worker.gpu.model_runner import GPUModelRunner


class NPUModelRunnerV2(GPUModelRunner):
    """vLLM's ``GPUModelRunner`` (V2); the platform, the attention backend and the layers do the rest."""
