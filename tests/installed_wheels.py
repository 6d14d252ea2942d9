"""Wheels of the distributions that these tests run with, for package indexes of theirs."""

from __future__ import annotations

import csv
import io
import sys
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

import _pytest._io.terminalwriter

#: pytest and what it requires.
PYTEST = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
# It names what of pygments it needs: of hundreds of lexers, each of which an environment would compile, two.
assert _pytest._io.terminalwriter


@cache
def installed_wheel(name: str) -> tuple[str, bytes]:
    """The name and the content of the wheel of a distribution that is installed here, without what of
    pygments nobody here has imported."""
    found = metadata.distribution(name)
    paths = list(_held(found))
    record = next(path for path in paths if path.endswith(".dist-info/RECORD"))
    rows = io.StringIO()
    csv.writer(rows, lineterminator="\n").writerows((path, "", "") for path in paths)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for path in paths:
            content = Path(str(found.locate_file(path))).read_bytes()
            archive.writestr(path, rows.getvalue() if path == record else content)
    return f"{name}-{found.version}-py3-none-any.whl", written.getvalue()


def _held(found: metadata.Distribution) -> Iterator[str]:
    for file in found.files or ():
        module = ".".join(file.with_suffix("").parts).removesuffix(".__init__")
        needless = file.parts[0] == "pygments" and file.suffix == ".py" and module not in sys.modules
        if ".." not in file.parts and file.suffix != ".pyc" and not needless:
            yield str(file)
