"""Names and bodies that are alike by chance."""

from __future__ import annotations

import pytest

from tests.contracts.world import findings


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
