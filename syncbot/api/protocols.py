"""Classes that only say what others have to have (PEP 544)."""

from __future__ import annotations

from syncbot.api.model import Class


def is_protocol(class_: Class | None) -> bool:
    """Whether a class names ``Protocol`` among its bases, as all that are protocols themselves do."""
    bases = class_.bases if class_ is not None else ()
    return any(base.partition("[")[0].rpartition(".")[2] == "Protocol" for base in bases)
