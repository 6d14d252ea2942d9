"""Names of modules and classes that the backend reads with a dot, and members that are set on some paths."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare, contracts

ENUM = "from enum import Enum, auto\nclass C(Enum):\n    A = auto()\n"


@pytest.mark.parametrize(
    ("old", "new", "use", "expected"),
    [
        # a module's
        ("N = 1\n", "", "lib.a.N", ["attribute-removed lib.a.N breaks 3 N"]),
        ("def f(): ...\n", "", "lib.a.f()", ["attribute-removed lib.a.f breaks 3 f"]),
        ("N = 1\n", "N = 2\n", "lib.a.N", []),
        ("N = 1\n", "from lib.b import N\n", "lib.a.N", []),
        ("N = 1\n", "if X:\n    N = 1\n", "lib.a.N", []),
        ("N = 1\n", "N, M = 1, 2\n", "lib.a.N", []),
        ("N = 1\n", "for N in range(3): ...\n", "lib.a.N", []),
        ("N = 1\n", "with open('x') as (N, M): ...\n", "lib.a.N", []),
        ("N = 1\n", "import os as N\n", "lib.a.N", []),
        ("N = 1\n", "if (N := 1): ...\n", "lib.a.N", []),
        ("N = 1\n", "try: ...\nexcept OSError: ...\nelse:\n    N = 1\n", "lib.a.N", []),
        ("N = 1\n", "match X:\n    case 1:\n        N = 1\n", "lib.a.N", []),
        # a class's
        ("class C:\n    n = 1\n", "class C: ...\n", "lib.a.C.n", ["attribute-removed lib.a.C.n breaks 3 n"]),
        ("class C:\n    n = 1\n", "class B:\n    n = 1\nclass C(B): ...\n", "lib.a.C.n", []),
        ("class C:\n    n = 1\n", "class C:\n    n: int\n", "lib.a.C.n", []),
        ("class C:\n    class N: ...\n", "class C: ...\n", "lib.a.C.N",
         ["attribute-removed lib.a.C.N breaks 3 N"]),
        (ENUM + "    B = 2\n", ENUM, "lib.a.C.B", ["attribute-removed lib.a.C.B breaks 3 B"]),
        (ENUM, ENUM + "    Z = 0\n", "lib.a.C.A", []),
        # tested for
        ("N = 1\n", "", "getattr(lib.a, 'N', 0)", ["attribute-removed lib.a.N at-risk 3 N"]),
        ("N = 1\n", "", "getattr(lib.a, 'N')", ["attribute-removed lib.a.N breaks 3 N"]),
        ("N = 1\n", "", "hasattr(lib.a, 'N') and lib.a.N", ["attribute-removed lib.a.N at-risk 3 N"]),
        ("N = 1\n", "", "lib.a.N if hasattr(lib.a, 'N') else 0", ["attribute-removed lib.a.N at-risk 3 N"]),
        ("N = 1\n", "", "getattr(lib.a, name)", []),
        ("N = 1\n", "", "lib.a.__name__", []),
    ],
)  # fmt: skip
def test_names_that_are_read_with_a_dot(old: str, new: str, use: str, expected: list[str]) -> None:
    more = {"lib/b.py": "N = 1\n"}
    backend = f"import lib.a\n\n{use}\n"
    assert compare({"lib/a.py": old, **more}, {"lib/a.py": new, **more}, backend) == expected


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("if n:\n            self.size = n", True),
        ("if n:\n            self.size = n\n        else:\n            self.size = 0", False),
        ("if n:\n            self.size = n\n        elif m:\n            self.size = 0", True),
        ("if n:\n            self.size = n\n        elif m:\n            self.size = 0\n        else:\n"
         "            self.size = 1", False),
        ("if n:\n            self.size = n\n        if not n:\n            self.size = 0", True),
        ("with n:\n            self.size = n", False),
        ("try:\n            self.size = n\n        except OSError:\n            self.size = 0", False),
        ("try: ...\n        except OSError:\n            self.size = 0", True),
        ("for self.size in n: ...", False),
        ("self.load(n)\n\n    def load(self, n):\n        self.size = n", False),
    ],
)  # fmt: skip
def test_an_attribute_that_is_set_on_some_paths_only(body: str, told: bool) -> None:
    head = "class Box:\n    def __init__(self, n, m):\n        "
    backend = "from lib.a import Box\n\n\ndef g(b: Box):\n    return b.size\n"
    found = compare(f"{head}self.size = 1\n", f"{head}{body}\n", backend)
    assert found == (["attribute-conditional lib.a.Box.size at-risk 5"] if told else [])


def test_an_attribute_of_an_attribute_is_found_through_annotations() -> None:
    upstream = (
        "class Cache:\n    size: int\n\n\nclass Config:\n    cache: Cache\n\n\nclass Root:\n"
        "    def __init__(self, config: Config):\n        self.config = config\n"
    )
    backend = (
        "from lib.a import Root\n\n\nclass C(Root):\n    def go(self):\n"
        "        return self.config.cache.size\n"
    )
    new = upstream.replace("    size: int", "    length: int")
    assert compare(upstream, new, backend) == ["attribute-removed lib.a.Cache.size breaks 6 size"]


def test_a_base_that_changed_takes_its_attributes_along() -> None:
    old = "class A:\n    size = 1\n\n\nclass B:\n    other = 2\n\n\nclass Box(A): ...\n"
    backend = "from lib.a import Box\n\n\nclass C(Box):\n    def go(self):\n        return self.size\n"
    assert compare(old, old.replace("Box(A)", "Box(B)"), backend) == [
        "attribute-removed lib.a.A.size breaks 6 size"
    ]
    assert compare(old, old.replace("Box(A)", "Box(B, A)"), backend) == []


def test_uses_are_told_apart() -> None:
    backend = "from lib.a import Box\n\n\ndef g(b: Box):\n    b.n = b.f() + b.n\n"
    found = contracts("class Box:\n    n = 1\n    def f(self): ...\n", backend)
    shown = {(c.symbol, getattr(c, "use", "")) for c in found if c.kind == "attribute"}
    assert shown == {("lib.a.Box.n", "write"), ("lib.a.Box.n", "read"), ("lib.a.Box.f", "call")}
