"""Functions of the backend that do nothing with what they are given."""

from __future__ import annotations

from syncbot.api.extract import body_fingerprint
from syncbot.api.model import Function

#: What such bodies have, without their documentation.
_NOTHING = {body_fingerprint(text) for text in (b"", b"pass", b"...", b"return", b"returnNone")}


def does_nothing(function: Function) -> bool:
    """Whether the body has no statement but one that gives None."""
    return function.body in _NOTHING
