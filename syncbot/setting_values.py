"""Checks of the values of settings, each with a message about a wrong one."""

from __future__ import annotations

import difflib
import ipaddress
import re
import zoneinfo
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import InvalidName, canonicalize_name
from packaging.version import InvalidVersion, Version
from pydantic import AfterValidator

from syncbot.isolation.variables import is_secret


def _a_known_zone(name: str | None) -> str | None:
    if name is not None and name not in zoneinfo.available_timezones():
        near = difflib.get_close_matches(name, zoneinfo.available_timezones(), n=1, cutoff=0)
        raise ValueError(f"no time zone is called {name!r}; the nearest is {near[0]!r}")
    return name


def _below_the_root(path: str) -> str:
    if not path or "\0" in path or Path(path).is_absolute() or ".." in Path(path).parts:
        raise ValueError(f"{path!r} must be a path below the folder of pyproject.toml")
    return path


def _beside_the_root(path: str) -> str:
    if not path or "\0" in path or Path(path).is_absolute():
        raise ValueError(f"{path!r} must be a path seen from the folder of the configuration")
    return path


def _a_pinned_package(text: str) -> str:
    name, _, version = (part.strip() for part in text.partition("=="))
    try:
        canonicalize_name(name, validate=True)
        Version(version)
    except (InvalidName, InvalidVersion) as error:
        raise ValueError(f"{text!r} is not a package and its version, such as 'name==1.2.0'") from error
    return f"{name}=={version}"


def _hexadecimal(length: int, what: str) -> AfterValidator:
    def check(text: str | None) -> str | None:
        if text is not None and not re.fullmatch(rf"[0-9a-f]{{{length}}}", text):
            raise ValueError(f"{text!r} is not {what}: {length} digits of 0-9 and a-f")
        return text

    return AfterValidator(check)


def _a_web_address(url: str | None) -> str | None:
    if url is not None and not re.fullmatch(r"https?://[!\"$-~]+", url):
        raise ValueError(f"{url!r} is not a web address such as 'https://example.org/docs/kinds.md'")
    return url


def _a_dotted_name(name: str) -> str:
    if not all(part.isidentifier() for part in name.split(".")):
        raise ValueError(f"{name!r} is not a dotted Python name such as 'package.module'")
    return name


def _no_secret(name: str) -> str:
    if is_secret(name):
        raise ValueError(f"{name!r} is the name of a secret, which foreign code does not see")
    return name


def _an_address(url: str | None) -> str | None:
    urlsplit(url or "")  # raises ValueError with the reason
    return url


def specifier(what: str) -> AfterValidator:
    """Return a check of PEP 440 specifiers; the message says that a text is not ``what``."""

    def check(text: str | None) -> str | None:
        try:
            SpecifierSet(text or "")
        except InvalidSpecifier as error:
            raise ValueError(f"{text!r} is not {what}") from error
        return text

    return AfterValidator(check)


def is_this_machine(host: str) -> bool:
    """Whether a host of an address is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


Below = Annotated[str, AfterValidator(_below_the_root)]
Beside = Annotated[str, AfterValidator(_beside_the_root)]
PinnedPackage = Annotated[str, AfterValidator(_a_pinned_package)]
Digest = Annotated[str | None, _hexadecimal(64, "a SHA-256")]
CommitId = Annotated[str | None, _hexadecimal(40, "the id of a commit")]
Dotted = Annotated[str, AfterValidator(_a_dotted_name)]
# Names are looked up from their first part on: ``a.b`` of a shared namespace is followed as ``a``.
TopLevel = Annotated[Dotted, AfterValidator(lambda name: name.partition(".")[0])]
NoSecret = Annotated[str, AfterValidator(_no_secret)]
Address = Annotated[str | None, AfterValidator(_an_address)]
WebAddress = Annotated[str | None, AfterValidator(_a_web_address)]
TimeZone = Annotated[str | None, AfterValidator(_a_known_zone)]
