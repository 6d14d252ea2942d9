"""The check that this wheel stands beside the vLLM it was made for."""

from importlib import metadata

from ascend_backend import _lane


def public_version(version: str) -> str:
    """Return ``version`` without its local part: ``0.32.0+empty`` becomes ``0.32.0`` (PEP 440)."""
    return version.partition("+")[0]


def mismatch(installed: str | None, made_for: str, wheel: str) -> str | None:
    """Return the one line that names the mismatch and the command that mends it, or None.

    ``installed`` is the version of the vLLM found, None without one.
    """
    if installed is None:
        return (
            f"ascend-backend {wheel} is made for vLLM {made_for}, but no vLLM is installed; "
            f"run: pip install 'vllm=={made_for}'"
        )
    public = public_version(installed)
    if public == made_for:
        return None
    return (
        f"ascend-backend {wheel} is made for vLLM {made_for}, but vLLM {installed} is installed; "
        f"run: pip install 'ascend-backend=={public}.*' (or keep this wheel and run: "
        f"pip install 'vllm=={made_for}')"
    )


def require_matching_vllm() -> None:
    """Raise ImportError with one line unless the installed vLLM is the one of this lane."""
    try:
        installed = metadata.version("vllm")
    except metadata.PackageNotFoundError:
        installed = None
    if (line := mismatch(installed, _lane.VLLM, _lane.WHEEL_VERSION)) is not None:
        raise ImportError(line)
