"""Formats of the device's memory: remembered by the tensor's storage, and never laid out so.

A cast gives a copy with the same shape and values, under another number; code that asks for the format finds what it
cast to. What a kernel would make of the wrong format is not shown.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef

#: The format of a tensor that nobody cast.
ND = 2

_library: list[torch.library.Library] = []
#: Address of a storage → a weak reference that keeps the address from being used again, and the format.
_formats: dict[int, tuple[StorageWeakRef, int]] = {}


def format_of(tensor: torch.Tensor) -> int:
    """Return the format that the tensor's storage was cast to or made with, else ND's number."""
    found = _formats.get(tensor.untyped_storage()._cdata)
    return ND if found is None else found[1]


def _tagged(tensor: torch.Tensor, acl_format: int) -> torch.Tensor:
    for address in [address for address, (storage, _) in _formats.items() if storage.expired()]:
        del _formats[address]
    storage = tensor.untyped_storage()
    if acl_format == ND:
        _formats.pop(storage._cdata, None)
    else:
        _formats[storage._cdata] = (StorageWeakRef(storage), acl_format)
    return tensor


def _cast(self: torch.Tensor, acl_format: int, **keywords: Any) -> torch.Tensor:
    return _tagged(self.clone(), acl_format)


def _cast_like(self: torch.Tensor, dst: torch.Tensor, **keywords: Any) -> torch.Tensor:
    return _tagged(self.clone(), format_of(dst))


def _cast_in_place(self: torch.Tensor, acl_format: int, **keywords: Any) -> torch.Tensor:
    return _tagged(self, acl_format)


def _cast_in_place_like(self: torch.Tensor, src: torch.Tensor, **keywords: Any) -> torch.Tensor:
    return _tagged(self, format_of(src))


def _empty(
    size: list[int],
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
    acl_format: int = ND,
    base_addr_aligned_kb: int | None = None,
    keep_format: bool = False,
) -> torch.Tensor:
    return _tagged(torch.empty(size, dtype=dtype, device="npu" if device is None else device), acl_format)


def _storage_size(self: torch.Tensor) -> int:
    """How many elements the storage has: without padding, which a real format may need."""
    return self.untyped_storage().nbytes() // self.element_size()


#: Kernels of tensors of npu, and of what makes one.
_OF_DEVICE: Mapping[str, Callable[..., Any]] = {
    "get_npu_format": format_of,
    "get_storage_size": _storage_size,
    "npu_format_cast": _cast,
    "npu_format_cast.Tensor": _cast_like,
    "npu_format_cast_": _cast_in_place_like,
    "npu_format_cast_.acl_format": _cast_in_place,
}
_FACTORIES: Mapping[str, Callable[..., Any]] = {"empty_with_format": _empty, "unsafe_empty_with_format": _empty}


def implemented() -> frozenset[str]:
    """Return the names of the operators that are implemented here."""
    return frozenset({**_OF_DEVICE, **_FACTORIES})


def implement(declared: Mapping[str, str]) -> None:
    """Implement those of the operators that are declared, on the device alone."""
    library = torch.library.Library("npu", "IMPL")
    for name, kernel in {**_OF_DEVICE, **_FACTORIES}.items():
        if name in declared:
            library.impl(name, kernel, "PrivateUse1" if name in _OF_DEVICE else "BackendSelect")
    _library.append(library)
