"""The short code of each kind of change, such as ``SB101``: it stays what it is when the kind is renamed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from syncbot.contracts.changes import ChangeKind


@cache
def codes() -> Mapping[ChangeKind, str]:
    """Return the code of every kind. A code is never given to another kind."""
    text = (files("syncbot.contracts") / "change_codes.yaml").read_bytes()
    return {kind: code for code, kind in msgspec.yaml.decode(text, type=dict[str, ChangeKind]).items()}


def kind_named(text: str) -> ChangeKind | None:
    """Return the kind of this name or code, None where there is none."""
    by_code = {code.lower(): kind for kind, code in codes().items()}
    try:
        return by_code.get(text.lower()) or ChangeKind(text.lower())
    except ValueError:
        return None
