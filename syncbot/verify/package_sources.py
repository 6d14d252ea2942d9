"""Where packages come from: pip's own configuration, translated into variables of uv, which ignores it."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

from syncbot.errors import EnvironmentFailure


# pip itself splits options that may be given more than once at white space, quotes or not.
def _by_space(value: str) -> str:
    return " ".join(value.split())


def _by_comma(value: str) -> str:
    return ",".join(value.split())


def _truth(value: str) -> str:
    return "true" if value.strip().lower() in {"1", "true", "yes", "on"} else "false"


#: pip option -> (variable of uv or of the whole system, how its value is spelled there). Sources:
#: https://pip.pypa.io/en/stable/topics/configuration/ and https://docs.astral.sh/uv/reference/environment/
_VARIABLES: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "index-url": ("UV_DEFAULT_INDEX", str),
    "extra-index-url": ("UV_EXTRA_INDEX_URL", _by_space),
    "find-links": ("UV_FIND_LINKS", _by_comma),
    "no-index": ("UV_NO_INDEX", _truth),
    "constraint": ("UV_CONSTRAINT", _by_space),
    "trusted-host": ("UV_INSECURE_HOST", _by_space),
    "keyring-provider": ("UV_KEYRING_PROVIDER", str),
    "timeout": ("UV_HTTP_TIMEOUT", str),
    "default-timeout": ("UV_HTTP_TIMEOUT", str),
    "cert": ("SSL_CERT_FILE", str),
    "client-cert": ("SSL_CLIENT_CERT", str),
    "proxy": ("ALL_PROXY", str),
}

#: Variables that decide which files pip reads, and others that a Python needs to start.
_OF_FILES = re.compile(r"PIP_CONFIG_FILE$|XDG_CONFIG_|HOME$|PATH$|VIRTUAL_ENV$|LD_LIBRARY_PATH$|LC_|LANG$")
_LOGIN = re.compile(r"//[^/@\s]+@")

#: Older spellings: where one of these is set, the user has already spoken to uv itself.
_SYNONYMS = {"UV_DEFAULT_INDEX": ("UV_INDEX_URL",), "UV_EXTRA_INDEX_URL": ("UV_INDEX",)}


def parse_pip_configuration(listing: str) -> dict[str, str]:
    """Options of files that ``pip config list`` shows, as pip itself would weigh them for ``pip install``."""
    ranked: dict[str, tuple[int, str]] = {}
    ranks = {"global": 0, "install": 1}
    for line in listing.splitlines():
        key, separator, quoted = line.partition("=")
        section, dot, option = key.partition(".")
        if not (separator and dot) or section not in ranks:
            continue
        try:
            value = ast.literal_eval(quoted)
        except (SyntaxError, ValueError):
            continue
        rank = ranks[section]
        if isinstance(value, str) and rank >= ranked.get(option, (-1, ""))[0]:
            ranked[option] = (rank, value)
    return {option: value for option, (_, value) in ranked.items()}


def uv_variables(options: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Variables that make uv follow pip's options; one that ``environment`` already sets is not touched."""
    variables: dict[str, str] = {}
    for option, (name, spell) in _VARIABLES.items():
        if option in options and not any(map(environment.get, (name, *_SYNONYMS.get(name, ())))):
            variables[name] = spell(options[option])
    return variables


def pip(*arguments: str, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """How a command of pip ended, run by the Python that runs syncbot."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "pip", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def pip_configuration() -> dict[str, str]:
    """pip's options on this machine. Raises EnvironmentFailure when pip is missing or cannot read them."""
    files = frozenset((name, value) for name, value in os.environ.items() if _OF_FILES.match(name))
    of_variables = {
        name.removeprefix("PIP_").lower().replace("_", "-"): value
        for name, value in os.environ.items()
        if name.startswith("PIP_")
    }
    return {**_of_files(files), **of_variables}


@cache
def _of_files(where: frozenset[tuple[str, str]]) -> Mapping[str, str]:
    """The options of pip's files, which variables name. To start pip takes as long as a small command of
    syncbot, so that a process asks once."""
    listing = pip("config", "list", environment=dict(where))
    if listing.returncode != 0:
        cause = (listing.stderr.strip().splitlines() or ["no message"])[-1]
        raise EnvironmentFailure(
            f"pip's configuration cannot be read ({cause}): run `{sys.executable} -m pip config list`"
        )
    return MappingProxyType(parse_pip_configuration(listing.stdout))


#: Variables of uv that decide which build of a package is chosen.
_CHOOSING = (
    "UV_DEFAULT_INDEX",
    "UV_INDEX_URL",
    "UV_INDEX",
    "UV_EXTRA_INDEX_URL",
    "UV_FIND_LINKS",
    "UV_NO_INDEX",
    "UV_CONSTRAINT",
    "UV_OVERRIDE",
    "UV_PRERELEASE",
    "UV_TORCH_BACKEND",
)


def package_sources(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return uv's variables that decide a package's build, without logins, which may change."""
    return tuple((name, _LOGIN.sub("//", environment[name])) for name in _CHOOSING if environment.get(name))
