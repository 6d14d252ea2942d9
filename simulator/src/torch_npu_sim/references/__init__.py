"""Reference implementations in plain torch, one module a family; each registers itself on import.

The constraints they check are those of ``torch_npu/_op_plugin_docs.py`` in the torch_npu wheel.
"""

import importlib
import pkgutil


def load() -> None:
    """Import every module of this package."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
