"""LoRA adapters: products with the adapters' low-rank matrices."""

from vllm.lora.punica_wrapper.punica_cpu import PunicaWrapperCPU


class NPUPunicaWrapper(PunicaWrapperCPU):
    """vLLM's wrapper in plain torch, whatever the device; the Triton one is for CUDA and ROCm."""
