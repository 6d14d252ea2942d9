"""Which release is installed: one package of cases serves all that vLLM and transformers made."""

from importlib import metadata

from packaging.version import Version


def is_at_least(distribution: str, version: str) -> bool:
    """Return whether that release or a newer one is installed; True where none is, for the newest is meant."""
    try:
        return Version(metadata.version(distribution)) >= Version(version)
    except metadata.PackageNotFoundError:
        return True
