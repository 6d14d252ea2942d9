"""Completes Triton when it is imported: nobody has to import it for that."""

import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from torch_npu_sim.settings import read_settings, variable


class _TritonFinder(MetaPathFinder):
    """Finds triton as it is, and completes it once it is imported."""

    def __init__(self, absent: bool) -> None:
        self._absent = absent
        self._asking = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return what the other finders find of triton; None for any other module."""
        if fullname != "triton" or self._asking:
            return None
        if self._absent:
            raise ModuleNotFoundError(f"No module named 'triton' ({variable('triton')}=absent)", name="triton")
        # Whoever asks may only look: the finder stays.
        self._asking = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._asking = False
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                from torch_npu_sim.triton import driver, interpreter

                interpreter.complete()
                driver.install()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def install() -> None:
    """Watch for the import of triton; SettingsError for a kind of Triton that is not known."""
    asked = read_settings().triton
    if asked == "interpreted":
        # Read by triton when it is imported.
        os.environ["TRITON_INTERPRET"] = "1"
    sys.meta_path.insert(0, _TritonFinder(asked == "absent"))
