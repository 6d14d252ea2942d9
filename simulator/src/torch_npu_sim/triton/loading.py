"""Completes Triton when it is imported: nobody has to import it for that."""

import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from torch_npu_sim.settings import SettingsError

#: ``absent`` refuses the import of triton; ``interpreted`` has its interpreter run kernels, on the CPU.
VARIABLE = "TORCH_NPU_SIM_TRITON"
_KINDS = ("absent", "interpreted")


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
            raise ModuleNotFoundError(f"No module named 'triton' ({VARIABLE}=absent)", name="triton")
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


def kind() -> str:
    """Return which kind of Triton there is; SettingsError for one that is not known."""
    asked = os.environ.get(VARIABLE) or "interpreted"
    if asked not in _KINDS:
        raise SettingsError(f"{VARIABLE}={asked} is none of {', '.join(_KINDS)}")
    return asked


def install() -> None:
    """Watch for the import of triton; SettingsError for a kind of Triton that is not known."""
    asked = kind()
    if asked == "interpreted":
        # Read by triton when it is imported.
        os.environ["TRITON_INTERPRET"] = "1"
    sys.meta_path.insert(0, _TritonFinder(asked == "absent"))
