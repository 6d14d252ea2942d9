"""Names and bodies that are alike by chance."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare, findings


@pytest.mark.parametrize(("kept", "kind"), [(1, "symbol-removed"), (2, "symbol-moved")])
def test_one_name_of_many_makes_no_class_another_one(kept: int, kind: str) -> None:
    names = ["a", "b", "c", "d"]
    fields = "".join(f"    {name}: int\n" for name in names)
    others = "".join(f"    {name}: int\n" for name in [*names[:kept], "x", "y", "z"][:3])
    new = {"lib/a.py": "", "lib/b.py": f"class T:\n{others}"}
    assert [row.split()[0] for row in compare(f"class T:\n{fields}", new, "from lib.a import T\n")] == [kind]


@pytest.mark.parametrize(
    ("body", "told"),
    [("return False", "is dead"), ("return self.x + 1", "the same body is now other")],
)
def test_a_body_that_says_nothing_tells_no_new_name(body: str, told: str) -> None:
    old = f"class T:\n    def run(self):\n        # Why.\n        {body}\ndef use(t: T):\n    t.run()\n"
    own = "from lib.a import T\nclass M(T):\n    def run(self):\n        return 3\n"
    (found,) = findings(old, old.replace("def run", "def other").replace("t.run", "t.other"), own)
    assert told in found.reason
