"""Operators of torchvision's compiled library, where the wheel's cannot be loaded on a machine without CUDA."""

from contextlib import suppress
from importlib import util
from pathlib import Path

import torch

_library: torch.library.Library | None = None


def declare() -> None:
    """Declare ``torchvision::nms`` and ``qnms``, for which ``import torchvision`` registers fakes.

    The Python part of torchvision is all that the image processors of vision models need.
    """
    global _library
    _load_the_real_one()
    library = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        if not hasattr(torch.ops.torchvision, name):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    _library = library


def _load_the_real_one() -> None:
    """Load torchvision's own library, if there is one that can be: it would not load after the stand-ins."""
    found = util.find_spec("torchvision")
    if found is None or found.origin is None:
        return
    for library in sorted(Path(found.origin).parent.glob("_C*.so")):
        with suppress(OSError):
            torch.ops.load_library(str(library))
