"""A mixin of the workers of an engine in bfloat16: vLLM's Triton kernels compute in it, too."""

from torch_npu_sim.triton import bfloat16

from vllm_npu_cases import probe

bfloat16.complete()


class Probe(probe.Probe):
    """The methods that the cases call."""
