"""Puts compiled devices into the wheel: all files of the folder that TORCH_NPU_SIM_COMPILED names, if it names one."""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledDevices(BuildHookInterface):  # type: ignore[type-arg]
    """Adds ``device/compiled`` and the platform to the wheel; without the variable the wheel is pure."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files and the tag in ``build_data``. Raises FileNotFoundError for a folder without any."""
        folder = os.environ.get("TORCH_NPU_SIM_COMPILED")
        if not folder:
            return
        files = sorted(Path(folder).glob("*.so"))
        if not files:
            raise FileNotFoundError(f"TORCH_NPU_SIM_COMPILED={folder} has no compiled device")
        build_data["force_include"] = {str(f): f"torch_npu_sim/device/compiled/{f.name}" for f in files}
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-linux_x86_64"
