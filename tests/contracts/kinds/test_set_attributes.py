"""Attributes that subclasses set for upstream to read."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
class Base:
    fast = True

    def __init__(self):
        self.sizes = []

    def run(self):
        return self.fast, self.sizes
"""
IN_INIT = "from lib.a import Base\n\nclass Own(Base):\n    def __init__(self):\n        super().__init__()\n        self.sizes = [1]\n"
IN_BODY = "from lib.a import Base\n\nclass Own(Base):\n    fast = False\n"
NO_SIZES = OLD.replace("        self.sizes = []", "        pass").replace(", self.sizes", "")
NO_FAST = OLD.replace("    fast = True\n", "").replace("self.fast, ", "")


@pytest.mark.parametrize(
    ("new", "backend", "expected"),
    [
        (NO_SIZES, IN_INIT, "attribute-unused lib.a.Base.sizes at-risk 6 sizes"),
        (NO_FAST, IN_BODY, "attribute-unused lib.a.Base.fast at-risk 4 fast"),
        (
            NO_FAST,
            IN_BODY.replace("fast =", "fast: bool ="),
            "attribute-unused lib.a.Base.fast at-risk 4 fast",
        ),
    ],
)
def test_nobody_asks_any_more(new: str, backend: str, expected: str) -> None:
    assert compare(OLD, new, backend) == [expected]


def test_what_was_set_as_upstream_did() -> None:
    old = OLD.replace("self.sizes = []", "self.sizes = sorted(CONFIG)").replace(", self.sizes", "")
    copied = IN_INIT.replace("[1]", "sorted(CONFIG)")
    gone = old.replace("        self.sizes = sorted(CONFIG)", "        pass")
    assert compare(old, gone, copied) == ["attribute-unused lib.a.Base.sizes drift 6 sizes"]
    assert compare(old, gone, IN_INIT) == []


@pytest.mark.parametrize(
    ("new", "backend"),
    [
        pytest.param(NO_SIZES, IN_BODY, id="another attribute is set"),
        pytest.param(NO_SIZES, IN_INIT.replace("Own(Base)", "Own"), id="no subclass"),
        pytest.param(
            NO_SIZES.replace("return self.fast", "return self.fast, self.sizes"),
            IN_INIT,
            id="still asked for",
        ),
        pytest.param(
            OLD.replace("        self.sizes = []", "        pass").replace(
                "class Base:", "class Root:\n    sizes = ()\n\nclass Base(Root):"
            ),
            IN_INIT,
            id="set by an ancestor now",
        ),
        pytest.param(
            NO_SIZES.replace("class Base:", "class Base(Foreign):"), IN_INIT, id="a base nobody sees"
        ),
        pytest.param(NO_SIZES, IN_INIT.replace("self.sizes", "self.own"), id="an attribute of its own"),
    ],
)
def test_nothing_to_tell(new: str, backend: str) -> None:
    assert not [row for row in compare(OLD, new, backend) if row.startswith("attribute-unused")]


PROPERTY = (
    OLD.replace("self.sizes = []", "self._sizes = []")
    + """
    @property
    def sizes(self):
        return self._sizes
"""
)
SETTER = """
    @sizes.setter
    def sizes(self, value):
        self._sizes = value
"""


def test_what_is_set_is_a_property_now() -> None:
    assert compare(OLD, PROPERTY, IN_INIT) == ["attribute-read-only lib.a.Base.sizes breaks 6 sizes"]


@pytest.mark.parametrize(
    ("new", "backend"),
    [
        pytest.param(PROPERTY + SETTER, IN_INIT, id="with a setter"),
        pytest.param(PROPERTY.replace("@property", "@cached_property"), IN_INIT, id="kept on the object"),
        pytest.param(PROPERTY, IN_INIT + "    sizes = ()\n", id="a value of the class stands before it"),
        pytest.param(PROPERTY, IN_BODY + "    sizes = ()\n", id="set in the class"),
        pytest.param(
            PROPERTY,
            IN_INIT
            + "    @property\n    def sizes(self):\n        return 1\n"
            + SETTER.replace("_sizes", "own"),
            id="a property of the backend's own",
        ),
        pytest.param(PROPERTY, IN_INIT.replace("self.sizes", "other.sizes"), id="set on another object"),
    ],
)
def test_what_can_still_be_set(new: str, backend: str) -> None:
    assert not [row for row in compare(OLD, new, backend) if row.startswith("attribute-read-only")]
