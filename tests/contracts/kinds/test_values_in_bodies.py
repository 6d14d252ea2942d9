"""Values of the backend's classes of which upstream asks what their type does not have."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = "class Base:\n    names = None\n\n    def go(self, x):\n        {}\n"
USE = "from lib.a import Base\nclass Mine(Base):\n    names = {}\n"
OLD = LIB.format("return list(self.names)")
MAPPED = "return self.names.keys()"


@pytest.mark.parametrize(
    ("value", "body"),
    [
        ("['a']", MAPPED),
        ("('a', 'b')", "return self.names.items()"),
        ("['a']", "if self.names is None:\n            return 1\n        return self.names.keys()"),
        ("[]", MAPPED),
        ("['a']", "if self.names:\n            return self.names.keys()"),
        ("['a']", "known = self.names\n        return known.values()"),
        ("{'a'}", "return self.names[0]"),
        ("0", "return x in self.names"),
        ("0", "return x not in self.names"),
        ("1", "return [n for n in self.names]"),
    ],
)
def test_what_the_type_does_not_have(value: str, body: str) -> None:
    old = OLD if value[0] not in "01" else LIB.format("return self.names & x")
    told = compare(old, LIB.format(body), USE.format(value))
    assert told == ["attribute-type-changed lib.a.Base.names breaks 3 names"]


@pytest.mark.parametrize(
    ("old", "value", "body"),
    [
        pytest.param(OLD, "{'a': 1}", MAPPED, id="a mapping"),
        pytest.param(OLD, "made()", MAPPED, id="a value of no known type"),
        pytest.param(LIB.format(MAPPED), "['a']", MAPPED, id="as before"),
        pytest.param(OLD, "['a']", "return x.names.keys()", id="of another object"),
        pytest.param(OLD, "['a']", "return x.keys(self.names)", id="of something else"),
        pytest.param(
            OLD, "['a']", "if isinstance(self.names, dict):\n            self.names.keys()", id="it looks"
        ),
        pytest.param(
            OLD,
            "['a']",
            "known = self.names\n        known = {}\n        return known.keys()",
            id="given anew",
        ),
        pytest.param(OLD, "['a']\n    def go(self, x): ...", MAPPED, id="the method is ours"),
        pytest.param(OLD, "['a']", "return x in self.names", id="it can be searched"),
        pytest.param(OLD, "[]", "if self.names:\n            return self.names.keys()", id="it is false"),
        pytest.param(
            OLD,
            "()",
            "if not self.names:\n            return x\n        return self.names.keys()",
            id="it is left where false",
        ),
        pytest.param(OLD, "''", "return self.names and self.names.keys()", id="it is false on the left"),
    ],
)
def test_what_the_type_has_or_nobody_asks(old: str, value: str, body: str) -> None:
    assert compare(old, LIB.format(body), USE.format(value)) == []
