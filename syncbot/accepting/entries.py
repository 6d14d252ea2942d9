"""The file of accepted findings: each by its id, with a reason, an author, and its last day."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Generic, TypeVar

import tomlkit
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from syncbot.atomic import write_file
from syncbot.configuration_file import parsed_toml
from syncbot.errors import ConfigurationError, UsageError
from syncbot.limits import document_text

_SHORTEST = 8
Row = TypeVar("Row", bound=BaseModel)
_HEAD = "Findings that somebody has looked at and accepts. Written by `syncbot accept`."


class AcceptedFinding(BaseModel):
    """One accepted finding; ``id`` is its id, or how that begins."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=rf"^[0-9a-f]{{{_SHORTEST},64}}$")
    reason: str = Field(min_length=1)
    author: str | None = None
    expires: date | None = None


class _File(BaseModel, Generic[Row]):
    model_config = ConfigDict(frozen=True, extra="forbid")

    finding: tuple[Row, ...] = ()


def accepted_findings(file: Path) -> tuple[AcceptedFinding, ...]:
    """Return the findings in a file; none where it is not there. Raises ConfigurationError."""
    try:
        return rows(file, AcceptedFinding)
    except FileNotFoundError:
        return ()


def rows(file: Path, kind: type[Row]) -> tuple[Row, ...]:
    """Return the tables ``[[finding]]`` of a file. Raises ConfigurationError, and FileNotFoundError."""
    try:
        return _File[kind].model_validate(parsed_toml(document_text(file))).finding  # type: ignore[valid-type]
    except FileNotFoundError:
        raise
    except ValidationError as error:
        mistake = error.errors()[0]
        where = ".".join(map(str, mistake["loc"]))
        raise ConfigurationError(f"{file}: {where}: {mistake['msg']}") from error
    except ValueError as error:
        raise ConfigurationError(f"{file} is not valid TOML: {error}") from error
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}") from error


def add(file: Path, finding: AcceptedFinding) -> None:
    """Write a finding to the end of a file, in place of one with the same id; comments stay. Raises
    ConfigurationError, and EnvironmentFailure."""
    accepted_findings(file)
    document = tomlkit.parse(document_text(file)) if file.exists() else tomlkit.document()
    if not file.exists():
        document.add(tomlkit.comment(_HEAD))
    row = tomlkit.table()
    for key, value in finding.model_dump(exclude_none=True).items():
        row.add(key, value)
    listed = document.get("finding")
    if listed is None:
        document["finding"] = listed = tomlkit.aot()
    for number, known in enumerate(listed):
        if known.get("id") == finding.id:
            del listed[number]
            break
    listed.append(row)
    write_file(file, tomlkit.dumps(document).encode())


def finding(identity: str, reason: str, author: str | None, expires: str | None) -> AcceptedFinding:
    """Return a finding of what was typed. Raises UsageError for what is no id, reason or day."""
    try:
        day = date.fromisoformat(expires) if expires is not None else None
    except ValueError:
        raise UsageError(f"{expires!r} is not a day: write it as 2026-01-23") from None
    try:
        return AcceptedFinding(id=identity.lower(), reason=reason.strip(), author=author, expires=day)
    except ValidationError:
        raise UsageError(
            f"{identity!r} with the reason {reason!r}: give an id of {_SHORTEST} or more hexadecimal digits, "
            "as syncbot check --format json has it, and a reason"
        ) from None
