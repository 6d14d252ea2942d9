"""Completes Triton when it is imported, or has it be absent: nobody has to import it for that."""

import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib import metadata
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from torch_npu_sim.settings import read_settings
from torch_npu_sim.triton import ascend


class _TritonFinder(MetaPathFinder):
    """Finds triton as it is, and completes it once it is imported."""

    def __init__(self, with_ascend: bool) -> None:
        self._with_ascend = with_ascend
        self._asking = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return what the other finders find of triton; None for any other module."""
        if fullname != "triton" or self._asking:
            return None
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
                if self._with_ascend:
                    ascend.complete()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def kind() -> str:
    """Return which kind of Triton there is: the one that is asked for, else what is installed."""
    asked = read_settings().triton
    if asked is not None:
        return asked
    try:
        metadata.distribution("triton-ascend")
    except metadata.PackageNotFoundError:
        return "interpreted" if importlib.util.find_spec("triton") else "absent"
    return "ascend"


def install() -> None:
    """Watch for the import of triton, or refuse it."""
    asked = kind()
    if asked == "absent":
        # Python's own sign: it cannot be imported, and whoever looks for it finds nothing.
        sys.modules["triton"] = None  # type: ignore[assignment]
        return
    # Read by triton when it is imported.
    os.environ["TRITON_INTERPRET"] = "1"
    sys.meta_path.insert(0, _TritonFinder(asked == "ascend"))
    if asked == "ascend":
        ascend.install()
