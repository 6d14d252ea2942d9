"""Targets that tests replace with mock and with pytest's monkeypatch."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

HEAD = "from unittest import mock\nfrom unittest.mock import patch\nimport lib.a\nfrom lib.a import Box\n\n"
OLD = "N = 1\n\n\ndef f(): ...\n\n\nclass Box:\n    limit = 1\n\n    def size(self): ...\n"
BARE = "class Box: ...\n"


@pytest.mark.parametrize(
    ("use", "gone"),
    [
        ("patch.object(Box, 'size')", "attribute-removed lib.a.Box.size"),
        ("mock.patch.object(Box, 'size', return_value=1)", "attribute-removed lib.a.Box.size"),
        ("mocker.patch.object(lib.a, 'f')", "attribute-removed lib.a.f"),
        ("patch.object(lib.a.Box, 'limit', 2)", "attribute-removed lib.a.Box.limit"),
        ("patch.object(Box(), 'size')", "attribute-removed lib.a.Box.size"),
        ("monkeypatch.setattr(Box, 'limit', 2)", "attribute-removed lib.a.Box.limit"),
        ("monkeypatch.setattr(lib.a, 'N', 2)", "attribute-removed lib.a.N"),
        ("monkeypatch.delattr(lib.a, 'N')", "attribute-removed lib.a.N"),
        ("monkeypatch.setattr('lib.a.N', 2)", "symbol-removed lib.a.N"),
        ("patch('lib.a.f')", "symbol-removed lib.a.f"),
        ("mock.patch('lib.a.Box.size')", "symbol-removed lib.a.Box.size"),
        ("mocker.patch('lib.a.Box.limit', 3)", "symbol-removed lib.a.Box.limit"),
    ],
)
def test_targets_that_are_gone(use: str, gone: str) -> None:
    (row,) = compare(OLD, BARE, f"{HEAD}{use}\n")
    assert row.startswith(f"{gone} breaks 6")
    assert compare(OLD, f"import os\n{OLD}", f"{HEAD}{use}\n") == []


def test_decorators_are_looked_at() -> None:
    backend = f"{HEAD}@patch.object(Box, 'size')\n@patch('lib.a.f')\ndef test_it(one, two): ...\n"
    assert compare(OLD, BARE, backend) == [
        "attribute-removed lib.a.Box.size breaks 6 size",
        "symbol-removed lib.a.f breaks 7",
    ]


@pytest.mark.parametrize(
    "use",
    [
        "patch.object(Box, 'size', create=True)",
        "monkeypatch.setattr(Box, 'limit', 2, raising=False)",
        "patch.object(Box, name)",
        "patch.object(other, 'size')",
        "patch.object(Box, 'never')",
        "patch.dict(lib.__dict__, {'size': 1})",
        "registry.object(Box, 'size')",
    ],
)
def test_what_does_not_need_the_target(use: str) -> None:
    assert compare(OLD, BARE, f"{HEAD}{use}\n") == []


def test_a_property_in_place_of_a_method_is_still_there() -> None:
    new = OLD.replace("    def size", "    @property\n    def size")
    assert compare(OLD, new, f"{HEAD}patch.object(Box(), 'size')\n") == []
