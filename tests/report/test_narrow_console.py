"""A terminal that does not know its width."""

from __future__ import annotations

import io

import pytest

from syncbot.report.inert_console import console


@pytest.mark.parametrize(("columns", "shown"), [("0", 80), ("1", 1), ("100", 100)])
def test_a_width_of_nothing_hides_nothing(monkeypatch: pytest.MonkeyPatch, columns: str, shown: int) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    stream = io.StringIO()
    made = console(stream)
    made.print("told")
    assert (made.width, "".join(stream.getvalue().split())) == (shown, "told")
