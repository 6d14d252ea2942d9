"""Calls of what may be an object of a class of the backend's own."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class Loader:\n    def load(self, a, b=0): ...\n"
NEW = "class Loader:\n    def load(self, a): ...\n"
PLUGIN = """
from lib.a import Loader


class Mine(Loader):
    def load(self, {takes}): ...


def run(loader: Loader):
    loader.load(1, b=2)
"""
GONE = "parameter-removed lib.a.Loader.load {} 9 b"


def test_a_method_of_ours_that_fits_may_be_what_is_called() -> None:
    assert GONE.format("at-risk") in compare(OLD, NEW, PLUGIN.format(takes="a, b=0"))


@pytest.mark.parametrize(
    "plugin",
    [
        pytest.param(PLUGIN.format(takes="a"), id="does not fit either"),
        pytest.param(PLUGIN.format(takes="a, b=0").replace("(Loader):\n", "(Other):\n"), id="another class"),
        pytest.param(PLUGIN.format(takes="a, b=0").replace("def load(", "def other("), id="another method"),
    ],
)
def test_what_only_upstreams_method_can_be(plugin: str) -> None:
    assert GONE.format("breaks") in compare(OLD, NEW, plugin)


def test_upstreams_own_method_by_name() -> None:
    called = PLUGIN.format(takes="a, b=0").replace("loader.load(1", "Loader.load(loader, 1")
    assert GONE.format("breaks") in compare(OLD, NEW, called)
