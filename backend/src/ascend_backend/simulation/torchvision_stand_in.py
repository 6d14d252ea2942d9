"""Operators of torchvision that its CPU-less builds declare only once a CUDA library is loaded."""

import torch

_library: torch.library.Library | None = None


def declare() -> None:
    """Declare ``torchvision::nms`` and ``qnms``, so that ``import torchvision`` can register fakes of them.

    torchvision has no CPU build for every torch; vision models of vLLM need its Python part alone.
    """
    global _library
    library = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        if not hasattr(torch.ops.torchvision, name):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    _library = library
