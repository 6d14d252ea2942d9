"""Methods of mixins that know nothing of upstream, and override its methods where both are bases of a class."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class A:\n    def run(self, x): ...\n    def go(self): return self.run(1)\n"
NEW = "class A:\n    def run(self, x, y): ...\n    def go(self): return self.run(1, 2)\n"
MIXIN = "class Mixin:\n    def run(self, x): ...\n"
TOLD = ["parameter-required lib.a.A.run breaks 3 y"]


@pytest.mark.parametrize(
    "classes",
    [
        "class Mine(Mixin, A): ...\n",
        "class Between(Mixin): ...\nclass Mine(Between, A): ...\n",
        "class Late(A): ...\nclass Mine(Mixin, Late): ...\n",
        "class Mine(Mixin, A): ...\nclass Below(Mine): ...\n",
    ],
)
def test_a_mixin_in_front_of_an_upstream_class_overrides_its_methods(classes: str) -> None:
    assert compare(OLD, NEW, f"from lib.a import A\n{MIXIN}{classes}") == TOLD


@pytest.mark.parametrize(
    "classes",
    [
        "class Mine(A, Mixin): ...\n",
        "class Mine(Mixin): ...\n",
        "class Mine(Mixin, A):\n    def run(self, x, y): ...\n",
        "class First:\n    def run(self, x, y): ...\nclass Mine(First, Mixin, A): ...\n",
        "class Mine(Mixin, Exception): ...\n",
    ],
)
def test_a_mixin_whose_method_is_not_what_upstream_finds(classes: str) -> None:
    assert compare(OLD, NEW, f"from lib.a import A\n{MIXIN}{classes}") == []


def test_a_mixin_of_another_file_is_told_where_it_is_mixed_in() -> None:
    files = {
        "plugin/mixins.py": MIXIN,
        "plugin/__init__.py": "from lib.a import A\nfrom plugin.mixins import Mixin\n\n"
        "class Mine(Mixin, A): ...\n",
    }
    assert compare(OLD, NEW, files) == ["parameter-required lib.a.A.run breaks 4 y"]


def test_a_mixin_method_that_upstream_calls_no_more() -> None:
    new = "class A:\n    def go(self): ...\n"
    told = compare(
        OLD, new, f"from lib.a import A\n{MIXIN.replace('...', 'print(x)')}class Mine(Mixin, A): ...\n"
    )
    assert told == ["method-removed lib.a.A.run breaks 3 run"]
