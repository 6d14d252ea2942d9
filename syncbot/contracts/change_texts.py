"""The meaning of each kind of change to somebody who maintains a plugin: the texts of
``change_kinds.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from syncbot.contracts.changes import ChangeKind


class Explained(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The change: what upstream ``did``, its code ``before`` and ``after``, a line of ``ours``, and what
    ``todo``."""

    did: str
    before: str
    after: str
    ours: str
    todo: str


@cache
def explained() -> Mapping[ChangeKind, Explained]:
    """Return the texts of every kind."""
    text = (files("syncbot.contracts") / "change_kinds.yaml").read_bytes()
    return msgspec.yaml.decode(text, type=dict[ChangeKind, Explained])
