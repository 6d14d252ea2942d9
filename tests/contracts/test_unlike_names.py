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
    ("body", "name", "told"),
    [
        ("return False", "other", "is dead"),
        ("return False", "run_deeply_all", "is dead"),
        ("return False", "may_deeply", "the same body is now may_deeply"),
        ("return self.x + 1", "other", "the same body is now other"),
    ],
)
def test_a_body_that_says_nothing_tells_no_new_name(body: str, name: str, told: str) -> None:
    was = "go_deeply" if name == "may_deeply" else "run"
    old = f"class T:\n    def {was}(self):\n        # Why.\n        {body}\ndef use(t: T):\n    t.{was}()\n"
    own = f"from lib.a import T\nclass M(T):\n    def {was}(self):\n        return 3\n"
    (found,) = findings(old, old.replace(was, name), own)
    assert told in found.reason


def test_a_class_that_a_moved_module_only_imports_is_another_one() -> None:
    old = "class T:\n    a: int\n    b: int\n    c: int\nclass S:\n    def run(self): ...\n"
    new = {
        "lib/new/a.py": "from .x import T\nclass S:\n    def run(self): ...\n",
        "lib/new/x.py": "class T:\n    z: int\n    y: int\n",
    }
    rows = compare(old, new, "from lib.a import T, S\n")
    assert rows == ["module-moved lib.a breaks 1", "symbol-removed lib.a.T breaks 1"]
