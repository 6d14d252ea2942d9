"""``triton.language.extra.cann.libdevice``, number by number."""

from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime.interpreter import TensorHandle

from torch_npu_sim.triton.cann.blocks import block


def isnan(arg: Any) -> Any:
    """Return where numbers are none."""
    data = np.isnan(arg.handle.data)
    kind = tl.block_type(tl.int1, list(data.shape)) if arg.type.is_block() else tl.int1
    return tl.tensor(TensorHandle(data, tl.int1), kind)


def nearbyint(arg: Any) -> Any:
    """Return the nearest integers, of two equally near the even one."""
    data = np.rint(arg.handle.data)
    return block(data, arg) if arg.type.is_block() else tl.tensor(TensorHandle(data, arg.type), arg.type)
