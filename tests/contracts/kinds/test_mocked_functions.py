"""Functions that tests put into upstream's place for a while."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class T:\n    def m(self, x): ...\n    def run(self):\n        self.m(1)\ndef f(x): ...\n"
NEW = OLD.replace("x)", "x, y)").replace("m(1)", "m(1, 2)")
HEAD = "from unittest import mock\nfrom unittest.mock import patch\nfrom lib import a\nfrom lib.a import T\n"
HEAD += "def new(self, x): ...\n"


@pytest.mark.parametrize(
    ("use", "symbol"),
    [
        ("patch.object(T, 'm', new)", "T.m"),
        ("mock.patch.object(T, 'm', new=new)", "T.m"),
        ("mock.patch.object(T, 'm', autospec=True, side_effect=new)", "T.m"),
        ("patch.multiple(T, m=new)", "T.m"),
        ("patch('lib.a.T.m', new)", "T.m"),
        ("mocker.patch('lib.a.f', lambda x: 1)", "f"),
        ("monkeypatch.setattr(a, 'f', lambda x: 1)", "f"),
        ("monkeypatch.setattr('lib.a.f', lambda x: 1)", "f"),
    ],
)
def test_the_function_does_not_take_what_is_required_now(use: str, symbol: str) -> None:
    assert compare(OLD, NEW, f"{HEAD}{use}\n") == [f"parameter-required lib.a.{symbol} breaks 6 y"]


@pytest.mark.parametrize(
    "use",
    [
        "patch.object(T, 'm')",
        "patch.object(T, 'm', return_value=1)",
        "patch.object(T, 'm', side_effect=new)",
        "patch.object(T, 'm', mock.Mock())",
        "patch.object(T, 'm', lambda self, x, y: 1)",
        "patch.object(T, 'm', lambda self, *a, **k: 1)",
        "patch.object(T, 'm', lambda: 1)",
        "patch.object(T(), 'other', lambda x: 1)",
        "patch('lib.a.g', lambda x: 1)",
        "monkeypatch.setattr(a, 'other', lambda x: 1)",
        "patch.dict('lib.a.f', new)",
        "queue.dispatch('lib.a.f', lambda x: 1)",
    ],
)
def test_what_is_put_there_fits_or_is_no_function(use: str) -> None:
    assert compare(OLD, NEW, f"{HEAD}{use}\n") == []


def test_who_passes_what_need_not_run_in_the_test() -> None:
    new = OLD.replace("x)", "x, y=0)").replace("m(1)", "m(1, y=2)")
    assert compare(OLD, new, f"{HEAD}patch.object(T, 'm', new)\n") == [
        "parameter-added lib.a.T.m at-risk 6 y"
    ]
