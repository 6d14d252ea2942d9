"""The long part of the evidence: a file for each lane, with a line for each check, beside the matrix.

A check lists what it executed as names of lines before it, for most checks of a lane execute the same
functions of most files. A check that is run again changes its own line, and adds others only for what it
executes anew.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pydantic import ValidationError

from syncbot.atomic import write_file
from syncbot.errors import ConfigurationError
from syncbot.lanes.evidence import Evidence
from syncbot.limits import document_text
from syncbot.patching.yaml_documents import first_mistake

#: The folder, beside the matrix.
FOLDER = "evidence"
_RAN = 6


def files(checks: Mapping[str, Mapping[str, Evidence]], folder: str) -> dict[str, bytes]:
    """The files with the evidence of lanes, by path; none for a lane without any."""
    return {f"{folder}/{name(tag)}": _text(found).encode() for tag, found in checks.items() if found}


def write_changed(file: Path, content: bytes) -> None:
    """Write a file unless it holds that. Raises EnvironmentFailure."""
    if not file.is_file() or file.read_bytes() != content:
        write_file(file, content)


def completed(checks: Mapping[str, Evidence], file: Path) -> dict[str, Evidence]:
    """All that is known of checks in short. What the file says of others, or of an earlier run, does not
    count. Raises ConfigurationError."""
    known = _parsed(file) if checks and file.is_file() else {}
    return {
        name: known[name].model_copy(update={"stale": short.stale})
        if name in known and known[name].is_of(short)
        else short
        for name, short in checks.items()
    }


def name(tag: str) -> str:
    """The name of a lane's file."""
    return f"{quote(tag, safe='+!')}.jsonl"


def _text(checks: Mapping[str, Evidence]) -> str:
    ran: dict[str, tuple[str, str]] = {}
    rows = []
    for check, evidence in sorted(checks.items()):
        row = evidence.model_dump(mode="json", exclude_none=True, exclude={"stale", "executed"})
        if evidence.executed is not None:
            row["executed"] = " ".join(
                _listed(ran, file, " ".join(names)) for file, names in sorted(evidence.executed.items())
            )
        rows.append({"check": check, **row})
    parts = [
        {"ran": listed, "file": file, "functions": names}
        for listed, (file, names) in sorted(ran.items(), key=lambda each: (each[1], each[0]))
    ]
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in [*parts, *rows])


def _listed(ran: dict[str, tuple[str, str]], file: str, names: str) -> str:
    """The name of a line that says which functions of a file were executed."""
    whole = base64.b32encode(hashlib.sha256(f"{file}\0{names}".encode()).digest()).decode().lower()
    length = _RAN
    while ran.setdefault(whole[:length], (file, names)) != (file, names):
        length += 1
    return whole[:length]


def _parsed(file: Path) -> dict[str, Evidence]:
    """The evidence in a file by check. Raises ConfigurationError with the line."""
    ran: dict[str, tuple[str, tuple[str, ...]]] = {}
    found = {}
    try:
        # A line may hold what is a line break elsewhere.
        lines = [line for line in document_text(file).split("\n") if line]
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        try:
            row: dict[str, Any] = json.loads(line)
            if "ran" in row:
                ran[row["ran"]] = row["file"], tuple(row["functions"].split())
            else:
                check = row.pop("check")
                if "executed" in row:
                    row["executed"] = dict(ran[each] for each in row["executed"].split())
                found[check] = Evidence.model_validate(row)
        except ValidationError as error:
            raise ConfigurationError(f"{file}:{number}: {first_mistake(error, Evidence)}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ConfigurationError(f"{file}:{number}: is no line of evidence: {error}") from error
    return found
