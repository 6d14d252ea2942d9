"""The model runner V1."""

from vllm.v1.worker.gpu_model_runner import GPUModelRunner


class NPUModelRunner(GPUModelRunner):
    """vLLM's ``GPUModelRunner`` (V1); the platform, the attention backend and the layers do the rest."""
