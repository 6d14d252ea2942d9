"""Which variables of the environment foreign code may see: a list of names, never one of a secret."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

#: What programs, compilers and numeric libraries need to find and to behave as they do outside.
_HARMLESS = (
    *("PATH", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "SOURCE_DATE_EPOCH"),
    *("CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "MAKEFLAGS", "MAX_JOBS", "CMAKE_*", "*_NUM_THREADS"),
)
_SECRET = re.compile(
    r"TOKEN|SECRET|PASSW|CREDENTIAL|(^|_)KEY(_|$|S$)|(^|_)AUTH(_|$)|COOKIE|NETRC|ASKPASS", re.IGNORECASE
)


def is_secret(name: str) -> bool:
    """Return whether a variable's name says that it holds a secret."""
    return _SECRET.search(name) is not None


def absolute_only(path: str) -> str:
    """Return a search path without what depends on the current folder, which may be somebody else's."""
    return os.pathsep.join(place for place in path.split(os.pathsep) if os.path.isabs(place))


def few(environment: Mapping[str, str], home: Path | None, inherit: Iterable[str] = ()) -> dict[str, str]:
    """Return the variables of ``environment`` that foreign code may see, with another home. ``inherit`` are
    further names, with ``*`` in them where many are meant. Names of secrets are left out whoever asks for
    them. Without ``home`` the variable is left out as well."""
    wanted = (*_HARMLESS, *inherit)
    found = {
        name: value
        for name, value in environment.items()
        if not is_secret(name) and any(fnmatch.fnmatchcase(name, pattern) for pattern in wanted)
    }
    if "PATH" in found:
        found["PATH"] = absolute_only(found["PATH"])
    if home is not None:
        found["HOME"] = str(home)
    return found
