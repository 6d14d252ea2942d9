"""Collectives between NPUs."""

from vllm.distributed.device_communicators.base_device_communicator import DeviceCommunicatorBase


class NPUCommunicator(DeviceCommunicatorBase):
    """Fulfils ``DeviceCommunicatorBase`` through torch.distributed: HCCL, or gloo when simulated."""
