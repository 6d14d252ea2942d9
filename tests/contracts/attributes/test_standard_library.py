"""The attributes of objects of the standard library's classes."""

from __future__ import annotations

import collections
import queue
import types

import pytest

from syncbot.contracts.attributes.standard_library import standard_class_has


@pytest.mark.parametrize(
    ("class_", "name", "has"),
    [
        (queue.Queue, "empty", True),
        (queue.Queue, "maxsize", True),
        (queue.LifoQueue, "queue", True),
        (queue.Queue, "add", False),
        (collections.deque, "append", True),
        (collections.deque, "add", False),
        (types.SimpleNamespace, "__dict__", True),
    ],
)
def test_methods_and_what_methods_set(class_: type, name: str, has: bool) -> None:
    assert standard_class_has(class_, name) is has
