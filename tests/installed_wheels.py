"""Wheels of the distributions that these tests run with, for package indexes of theirs."""

from __future__ import annotations

import io
import zipfile
from importlib import metadata
from pathlib import Path

#: pytest and what it requires.
PYTEST = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")


def installed_wheel(name: str) -> tuple[str, bytes]:
    """The name and the content of the wheel of a distribution that is installed here."""
    found = metadata.distribution(name)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in found.files or ():
            if ".." not in file.parts and file.suffix != ".pyc" and Path(str(file.locate())).is_file():
                archive.write(str(file.locate()), str(file))
    return f"{name}-{found.version}-py3-none-any.whl", written.getvalue()
