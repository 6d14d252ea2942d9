"""Attributes asked for with something in their place, where nothing does without them."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class Registry:\n    def ask(self, x): ...\n    x: int = 1\n\n\nREGISTRY = Registry()\n"
NEW = "class Registry:\n    x: int = 1\n\n\nREGISTRY = Registry()\n"
HEAD = "from lib.a import REGISTRY\ndef f(x):\n    found = getattr(REGISTRY, 'ask', {default})\n    {rest}\n"


def _verdict(rest: str, default: str = "None") -> str:
    (row,) = compare(OLD, NEW, HEAD.format(rest=rest, default=default))
    return row.split()[2]


@pytest.mark.parametrize(
    "rest",
    [
        "return found(x)",
        "if not callable(found):\n        raise RuntimeError('changed')\n    return found(x)",
        "if found is None:\n        raise RuntimeError('changed')\n    return [found]",
        "assert found is not None\n    return [found]",
        "if not all(callable(one) for one in (found, x)):\n        raise RuntimeError\n    return found(x)",
        "if found is None:\n        raise RuntimeError\n    try:\n        return found(x)\n    except E: ...",
        "return found.__name__",
    ],
)
def test_nothing_does_without(rest: str) -> None:
    assert _verdict(rest) == "breaks"


@pytest.mark.parametrize(
    ("rest", "default"),
    [
        ("return found", "None"),
        ("if found is not None:\n        return found(x)", "None"),
        ("if callable(found):\n        return found(x)", "None"),
        ("return found(x) if found else 1", "None"),
        ("found = found or int\n    return found(x)", "None"),
        ("try:\n        return found(x)\n    except TypeError:\n        return 1", "None"),
        ("if not all(callable(one) for one in (found, x)):\n        return 1\n    return found(x)", "None"),
        ("return found(x)", "int"),
        ("return found", "False"),
    ],
)
def test_something_does_without(rest: str, default: str) -> None:
    assert _verdict(rest, default) == "at-risk"


@pytest.mark.parametrize(
    ("backend", "verdict"),
    [
        ("getattr(REGISTRY, 'ask', None)(1)", "breaks"),
        ("getattr(REGISTRY, 'ask', None).name", "breaks"),
        ("{}[getattr(REGISTRY, 'ask', None)]", "at-risk"),
        ("print(getattr(REGISTRY, 'ask', None))", "at-risk"),
    ],
)
def test_what_is_done_with_it_at_once(backend: str, verdict: str) -> None:
    (row,) = compare(OLD, NEW, f"from lib.a import REGISTRY\n{backend}\n")
    assert row.split()[2] == verdict
