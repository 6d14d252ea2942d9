"""Where a wheel comes from: an in-toto statement beside it, and whether that still holds. The statement is of
version 1 (https://in-toto.io/Statement/v1) with SLSA's predicate (https://slsa.dev/provenance/v1). It is not
signed: it is held against the project, which has the same sources, patches and evidence."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from syncbot.atomic import write_file
from syncbot.lanes import generate
from syncbot.lanes.generate import Inputs
from syncbot.lanes.matrix import Lane
from syncbot.patching.model import Patch

SUFFIX = ".intoto.json"
_STATEMENT = "https://in-toto.io/Statement/v1"
_PREDICATE = "https://slsa.dev/provenance/v1"
_BUILD = "tag:syncbot,2026:lane-wheel/v1"
_LARGEST = 1 << 28

State = Literal["ok", "outdated", "differs", "none"]


@dataclass(frozen=True, slots=True)
class WheelOrigin:
    """The verdict about a wheel's origin: ``outdated`` if the project has changed since, ``differs`` if the
    wheel does not match its statement, ``none`` if it has no statement."""

    file: str
    state: State
    reason: str = ""


def write(inputs: Inputs, lane: Lane, sources: str, wheel: Path) -> Path:
    """Write the statement of a wheel that was built from the lane's ``sources``, a digest of them."""
    file = wheel.with_name(wheel.name + SUFFIX)
    text = json.dumps(_statement(inputs, lane, sources, wheel), indent=1, sort_keys=True)
    write_file(file, f"{text}\n".encode())
    return file


def _statement(inputs: Inputs, lane: Lane, sources: str, wheel: Path) -> dict[str, Any]:
    proofs = [
        {
            "name": check,
            "digest": {"sha256": evidence.digest},
            "annotations": {"command": evidence.command, "date": evidence.date},
        }
        for check, evidence in sorted(lane.checks.items())
        if lane.shown(check) == "pass"
    ]
    made_of = {"sources": sources} | {f"patch {p.id}": digest for p, digest in _patches(inputs, lane)}
    return {
        "_type": _STATEMENT,
        "subject": [{"name": wheel.name, "digest": {"sha256": _sha256(wheel.read_bytes())}}],
        "predicateType": _PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": _BUILD,
                "externalParameters": {"lane": lane.tag, "requires": generate.requirements(inputs, lane)},
                "resolvedDependencies": [
                    {"name": name, "digest": {"sha256": digest}} for name, digest in made_of.items()
                ],
            },
            "runDetails": {
                "builder": {"id": "tag:syncbot,2026:build", "version": {"syncbot": version("syncbot")}},
                "byproducts": proofs,
            },
        },
    }


def _patches(inputs: Inputs, lane: Lane) -> list[tuple[Patch, str]]:
    """The patches of a lane, each with a digest of what it does."""
    patches = [step.patch for step in inputs.steps(lane)]
    return [(patch, _sha256("\0".join(patch.sources()).encode())) for patch in patches]


def origin(wheel: Path, inputs: Inputs) -> WheelOrigin:
    """Say whether a wheel is what its statement says, and whether that is what the project would make now."""
    file = wheel.with_name(wheel.name + SUFFIX)
    if not file.is_file():
        return WheelOrigin(wheel.name, "none", "no statement beside it")
    try:
        wrong = _damage(wheel)
        if wrong:
            return WheelOrigin(wheel.name, "differs", wrong)
        statement = json.loads(file.read_text(encoding="utf-8"))
        told = {each["name"]: each["digest"]["sha256"] for each in statement["subject"]}
        build = statement["predicate"]["buildDefinition"]
        tag = build["externalParameters"]["lane"]
        made_of = {each["name"]: each["digest"]["sha256"] for each in build["resolvedDependencies"]}
        kinds = (statement["_type"], statement["predicateType"], build["buildType"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError, zipfile.BadZipFile) as error:
        return WheelOrigin(wheel.name, "differs", f"cannot be read: {type(error).__name__}")
    if kinds != (_STATEMENT, _PREDICATE, _BUILD):
        return WheelOrigin(wheel.name, "differs", "the statement is of another kind")
    if told != {wheel.name: _sha256(wheel.read_bytes())}:
        return WheelOrigin(wheel.name, "differs", "the statement is of another wheel")
    return _compared(wheel.name, inputs, tag, made_of)


def _compared(name: str, inputs: Inputs, tag: object, made_of: Mapping[str, object]) -> WheelOrigin:
    lane = next((lane for lane in inputs.matrix if lane.tag == tag), None)
    if lane is None:
        return WheelOrigin(name, "outdated", f"the matrix has no lane {tag}")
    now = {"sources": lane.sources or made_of.get("sources")} | {
        f"patch {p.id}": digest for p, digest in _patches(inputs, lane)
    }
    other = sorted(key for key in now.keys() | made_of.keys() if now.get(key) != made_of.get(key))
    if other:
        return WheelOrigin(name, "outdated", f"changed since: {', '.join(other)}")
    return WheelOrigin(name, "ok")


def _damage(wheel: Path) -> str:
    """Why the files in a wheel are not those of its RECORD; empty where they are."""
    with zipfile.ZipFile(wheel) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        names = [entry.filename for entry in entries]
        strange = [n for n in names if PurePosixPath(n).is_absolute() or ".." in PurePosixPath(n).parts]
        if strange or len(names) != len(set(names)) or sum(entry.file_size for entry in entries) > _LARGEST:
            return f"it holds files that no wheel has: {', '.join(strange) or 'twice the same, or too large'}"
        [record] = [name for name in names if name.count("/") == 1 and name.endswith(".dist-info/RECORD")]
        rows = {row[0]: row[1] for row in csv.reader(archive.read(record).decode().splitlines()) if row}
        for name in sorted({*names, *rows} - {record}):
            digest = (
                base64.urlsafe_b64encode(hashlib.sha256(archive.read(name)).digest()).decode().rstrip("=")
            )
            if rows.get(name) != f"sha256={digest}":
                return f"{name} is not what its RECORD says"
    return ""


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
