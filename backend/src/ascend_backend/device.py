"""The device that this process runs on: an NPU, through torch_npu."""


def load_torch_npu() -> None:
    """Import torch_npu; ImportError with one line where it is missing or cannot find CANN."""
    try:
        import torch_npu  # noqa: F401
    except (ImportError, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ImportError(f"torch_npu cannot be imported ({reason}); install torch_npu and CANN") from error
