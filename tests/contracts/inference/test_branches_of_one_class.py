"""Names of several values, in a branch that is for objects of one class."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = """
class Spec:
    page: int


class Full(Spec):
    heads: int


class Group:
    names: list[str]
    spec: Spec
"""
NEW = LIB.replace("heads", "kept")
HEAD = "from lib.a import Full, Group, Spec\n\n\ndef f(groups: list[Group]):\n"
TOLD = {
    "two values": (
        "    spec = None\n    for g in groups:\n        spec = g.spec\n"
        "    if isinstance(spec, Full):\n        return spec.heads\n"
    ),
    "one loop in another": (
        "    for g in groups:\n        spec = g.spec\n        for n in g.names:\n            spec = g.spec\n"
        "            if isinstance(spec, Full):\n                return spec.heads\n"
    ),
    "further in": (
        "    spec = a\n    spec = b\n    if isinstance(spec, Full):\n        for i in c:\n            if d:\n"
        "                return spec.heads\n"
    ),
    "and something else": (
        "    spec = a\n    spec = b\n    if isinstance(spec, Full) and spec.page:\n        return spec.heads\n"
    ),
    "another branch binds it": (
        "    spec = a\n    if isinstance(spec, Full):\n        return spec.heads\n    else:\n        spec = b\n"
    ),
    "the one after another": (
        "    spec = a\n    spec = b\n    if isinstance(spec, Group):\n        return 1\n"
        "    elif isinstance(spec, Full):\n        return spec.heads\n"
    ),
}
NOT_TOLD = {
    "bound in the branch": (
        "    spec = a\n    if isinstance(spec, Full):\n        spec = b\n        return spec.heads\n"
    ),
    "bound later in a loop": (
        "    spec = a\n    if isinstance(spec, Full):\n        while spec:\n            spec.heads\n            spec = b\n"
    ),
    "bound by a loop": (
        "    spec = a\n    spec = b\n    if isinstance(spec, Full):\n        for spec in c:\n            spec.heads\n"
    ),
    "deleted and bound": (
        "    spec = a\n    if isinstance(spec, Full):\n        del spec\n        spec = b\n        spec.heads\n"
    ),
    "the branch for others": (
        "    spec = a\n    spec = b\n    if isinstance(spec, Full):\n        return 1\n    else:\n        return spec.heads\n"
    ),
    "a function in the branch": (
        "    spec = a\n    spec = b\n    if isinstance(spec, Full):\n        def g(spec):\n            return spec.heads\n"
    ),
    "behind the branch": (
        "    spec = a\n    spec = b\n    if isinstance(spec, Full):\n        d()\n    return spec.heads\n"
    ),
}


@pytest.mark.parametrize("body", TOLD.values(), ids=TOLD)
def test_in_the_branch_it_is_of_that_class(body: str) -> None:
    (found,) = compare(LIB, NEW, HEAD + body)
    line = next(n for n, text in enumerate((HEAD + body).splitlines(), 1) if ".heads" in text)
    assert found == f"attribute-removed lib.a.Full.heads breaks {line} heads"


@pytest.mark.parametrize("body", NOT_TOLD.values(), ids=NOT_TOLD)
def test_elsewhere_it_may_be_of_another(body: str) -> None:
    assert compare(LIB, NEW, HEAD + body) == []
