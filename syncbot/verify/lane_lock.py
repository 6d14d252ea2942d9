"""The lock of a lane's environment: every package with its version and the hashes of its files.

Installed from it, an environment holds what it held when the lock was made, whatever indexes offer since,
and whichever of them is asked first.
"""

from __future__ import annotations

import hashlib
import re
import sys
import sysconfig
from dataclasses import dataclass

from syncbot.errors import ConfigurationError

_HEAD = "# What this lane is installed with, locked by `syncbot verify`. Remove it to resolve anew."
_FACTS = ("system", "recipe", "environment", "content")
_BUILD, _RUN = "# to build upstream", "# to run"
_PIN = re.compile(r"^([\w.-]+==[\w.+!-]+) ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LaneLock:
    """``build`` and ``run`` are requirements with hashes, as pip reads them. ``recipe`` is the digest of what
    was asked for, ``environment`` the name of what was installed, ``system`` the Python and machine that the
    files are for."""

    system: str
    recipe: str
    environment: str
    build: str
    run: str

    @property
    def content(self) -> str:
        """A digest of the requirements."""
        return hashlib.sha256(f"{self.build}\0{self.run}".encode()).hexdigest()

    @property
    def pins(self) -> frozenset[str]:
        """The packages that are installed to run, as ``name==version``."""
        return frozenset(_PIN.findall(self.run))

    def __str__(self) -> str:
        facts = "".join(f"# {name}: {getattr(self, name)}\n" for name in _FACTS)
        return f"{_HEAD}\n{facts}{_BUILD}\n{self.build}{_RUN}\n{self.run}"


def this_system() -> str:
    """Return the Python and the machine that runs this, as a lock names them."""
    return f"{sys.implementation.cache_tag}-{sysconfig.get_platform()}"


def parse(text: str, name: str) -> LaneLock:
    """Return the lock in a text; ``name`` stands in messages. Raises ConfigurationError."""
    facts = dict(re.findall(rf"^# ({'|'.join(_FACTS)}): (\S+)$", text, re.MULTILINE))
    parts = re.search(rf"^{_BUILD}\n(.*)^{_RUN}\n(.*)", text, re.MULTILINE | re.DOTALL)
    if parts is not None and facts.keys() == set(_FACTS):
        lock = LaneLock(facts["system"], facts["recipe"], facts["environment"], parts[1], parts[2])
        if lock.content == facts["content"]:
            return lock
    raise ConfigurationError(f"{name} is no lock that syncbot wrote: remove it, and verify the lane again")
