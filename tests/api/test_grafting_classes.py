"""Classes that put the members of those that derive from them into something else."""

from __future__ import annotations

import ast
import textwrap

import pytest

from syncbot.api.grafting_classes import grafts


def class_(method: str) -> ast.ClassDef:
    """A class with one method."""
    (node,) = ast.parse("class Patch:\n" + textwrap.indent(textwrap.dedent(method), "    ")).body
    assert isinstance(node, ast.ClassDef)
    return node


@pytest.mark.parametrize(
    "method",
    [
        "def apply(cls):\n    for name, it in cls.__dict__.items():\n        setattr(cls.target, name, it)",
        "def apply(cls):\n    for name, it in vars(cls).items():\n        setattr(cls.target, name, it)",
        "def apply(cls, target):\n    for name in dir(cls):\n        setattr(target, name, getattr(cls, name))",
        "def apply(cls):\n    for name, it in inspect.getmembers(cls):\n        if name[0] != '_':\n"
        "            setattr(target(), name, it)",
        "def apply(self):\n    for name, it in type(self).__dict__.items():\n"
        "        setattr(self.target, name, it)",
        "def apply(self):\n    for name in list(vars(self.__class__)):\n"
        "        setattr(self.target, f'_{name}', 1)",
    ],
)
def test_all_that_the_class_defines_is_set_on_something_else(method: str) -> None:
    assert grafts(class_(method))


@pytest.mark.parametrize(
    "method",
    [
        "def apply(cls):\n    pass",
        "def apply():\n    for name, it in cls.__dict__.items():\n        setattr(target, name, it)",
        "def __init__(self, **all):\n    for name, it in all.items():\n        setattr(self, name, it)",
        "def copy(self, other):\n    for name, it in vars(other).items():\n        setattr(self, name, it)",
        "def fill(cls):\n    for name, it in vars(cls).items():\n        setattr(cls, name, it)",
        "def fill(cls):\n    for name, it in vars(cls).items():\n        setattr(cls.target, 'name', it)",
        "def clone(self, other):\n    for name, it in vars(self).items():\n        setattr(self, name, it)",
    ],
)
def test_nothing_or_something_else_is_set(method: str) -> None:
    assert not grafts(class_(method))
