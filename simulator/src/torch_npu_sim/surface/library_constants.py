"""The constants of torch_npu's library, read from 100 MB of it once a wheel and then kept."""

import os
import tempfile
from functools import cached_property
from pathlib import Path

from torch_npu_sim.schemas.wheel import Source
from torch_npu_sim.settings import read_settings
from torch_npu_sim.surface.wheel_names import WheelNames


class WheelWithConstants(WheelNames):
    """The names of a wheel, with the constants of its library from the cache."""

    def __init__(self, source: Source) -> None:
        super().__init__(source.files, source.read)
        self._source = source

    @cached_property
    def constants(self) -> frozenset[str]:
        """Identifiers that stand as a constant in the library."""
        kept = read_settings().cache / f"constants-{self._source.version}-{self._source.stamp}.txt"
        try:
            return frozenset(kept.read_text(encoding="ascii").split())
        except FileNotFoundError:
            pass
        found = self.library_constants()
        _keep(kept, "\n".join(sorted(found)))
        return found


def _keep(path: Path, text: str) -> None:
    """Write a file whole; a cache that cannot be written is none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="ascii") as file:
            file.write(text)
        os.replace(file.name, path)
    except OSError:
        return
