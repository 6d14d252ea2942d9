"""A published wheel without compiled files for its own device, for a release without source distribution."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from collections.abc import Collection
from email.parser import Parser
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from syncbot.errors import EnvironmentFailure

_LIBRARY = ".so"


def pure(wheel: Path, name: str, folder: Path, without: Collection[str]) -> Path:
    """A copy of a wheel without compiled libraries and some requirements. Raises EnvironmentFailure."""
    dropped = {canonicalize_name(each) for each in without}
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / name
    try:
        with zipfile.ZipFile(wheel) as given, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
            record = next((n for n in given.namelist() if n.endswith(".dist-info/RECORD")), None)
            if record is None:
                raise EnvironmentFailure(f"{name} is no wheel: it has no RECORD")
            rows: list[tuple[str, str, int | str]] = []
            for entry in given.infolist():
                if entry.is_dir() or entry.filename == record or entry.filename.endswith(_LIBRARY):
                    continue
                content = given.read(entry)
                if entry.filename == record.replace("RECORD", "METADATA"):
                    content = _metadata(content, dropped)
                made.writestr(entry, content)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                rows.append((entry.filename, f"sha256={digest}", len(content)))
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows([*rows, (record, "", "")])
            made.writestr(record, text.getvalue())
    except (zipfile.BadZipFile, OSError) as error:
        raise EnvironmentFailure(f"cannot read {name}: {error}: remove the file and try again") from error
    return target


def _metadata(content: bytes, dropped: Collection[str]) -> bytes:
    """The metadata without the requirements named; headers keep their order, the description its text."""
    message = Parser().parsestr(content.decode())
    kept = [value for value in message.get_all("Requires-Dist", []) if _name(value) not in dropped]
    del message["Requires-Dist"]
    for value in kept:
        message["Requires-Dist"] = value
    return message.as_string().encode()


def _name(requirement: str) -> str:
    try:
        return canonicalize_name(Requirement(requirement).name)
    except InvalidRequirement:
        return ""
