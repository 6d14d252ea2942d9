"""Dataclasses that derive from upstream ones: frozen, or not."""

from __future__ import annotations

import dataclasses

import pytest


def test_python_refuses_what_is_told() -> None:
    for theirs, ours in ((True, False), (False, True)):
        base = dataclasses.make_dataclass("Base", ["size"], frozen=theirs)
        with pytest.raises(TypeError, match="frozen"):
            dataclasses.make_dataclass("Mine", [], bases=(base,), frozen=ours)
