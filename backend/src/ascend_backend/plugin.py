"""Entry points of the plugin, called by vLLM in every process it starts."""

from ascend_backend import accelerator_memory
from ascend_backend.device import load_torch_npu


def register() -> str:
    """Return the name of the platform class (entry point group ``vllm.platform_plugins``).

    vLLM resolves its platform while it is being imported, so the platform class itself must not be
    imported here. torch_npu has to be there before vLLM asks for the device, or for its memory.
    """
    load_torch_npu()
    accelerator_memory.ask_torch_npu()
    return "ascend_backend.platform.NPUPlatform"


def register_layers() -> None:
    """Register the out-of-tree layers (entry point group ``vllm.general_plugins``).

    vLLM may load plugins more than once in a process; importing a module twice registers nothing twice.
    """
    import ascend_backend.layers
    import ascend_backend.layers.int8  # noqa: F401  (vLLM's layers exist only once vLLM is imported)
