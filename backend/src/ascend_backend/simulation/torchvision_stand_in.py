"""Operators of torchvision's compiled library, which its wheels for CUDA cannot load on a machine without."""

import torch

_library: torch.library.Library | None = None


def declare() -> None:
    """Declare ``torchvision::nms`` and ``qnms``, for which ``import torchvision`` registers fakes.

    The Python part of torchvision is all that the image processors of vision models need.
    """
    global _library
    library = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        if not hasattr(torch.ops.torchvision, name):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    _library = library
