"""A signature is shown as it is written, with what makes parameters positional or keyword only."""

from __future__ import annotations

import pytest

from syncbot.api.extract import extract
from syncbot.api.signatures import Signature


@pytest.mark.parametrize(
    "text",
    [
        "()",
        "(self, *, enforce_enable=False)",
        "(a, /)",
        "(a, /, b)",
        "(a, /, b=1, *args, c, d=2, **kwargs)",
        "(*, a, b)",
        "(a, /, *, b)",
        "(*args, a)",
        "(**kwargs)",
    ],
)
def test_a_signature_is_shown_as_written(text: str) -> None:
    (function,) = extract(f"def f{text}: ...".encode()).functions
    assert str(Signature(function.parameters)) == text
