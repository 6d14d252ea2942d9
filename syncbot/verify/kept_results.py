"""Results of static checks in the cache, each under a digest of all that decides it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from functools import cache as once
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from syncbot import sealed_values
from syncbot.api.cache import package_digest
from syncbot.config import Config
from syncbot.errors import EnvironmentFailure
from syncbot.lanes import backend_files

Result = TypeVar("Result")


def file(cache: Path, config: Config, folder: Path, facts: Iterable[str]) -> Path:
    """The file for the result of one configuration on what a folder holds; ``facts`` say what upstream is."""
    sources = backend_files.digest(backend_files.below(folder))
    parts = [sources, *facts, config.model_dump_json(), _code()]
    return cache / "static_checks" / hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def recalled(cache: Path, file: Path, kind: type[Result]) -> Result | None:
    """Return the result that the file keeps, or None."""
    known = sealed_values.recall(cache, file)
    return None if known is None else msgspec.json.decode(known, type=kind, dec_hook=_made)


def keep(cache: Path, file: Path, result: object) -> None:
    """Keep a result. A cache that cannot be written is no error."""
    with suppress(EnvironmentFailure):
        sealed_values.keep(cache, file, msgspec.json.encode(result, enc_hook=str))


def _made(kind: type[Any], text: str) -> Any:
    """Make a value that JSON can only hold as text, such as a version."""
    return kind(text)


@once
def _code() -> str:
    parts = ("api", "contracts", "impact", "patching", "verify")
    return package_digest(*(f"{part}/**/*.py" for part in parts))
