"""A call that reaches a function of upstream through a module that only hands it on is rewritten all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.patching.errors import NoMatch
from syncbot.patching.source import Source
from tests.planning.test_plan import migrated, text

FRONT = "from up.deep import f\n\n\nclass Other:\n    def f(self, a, b=0): ...\n"
OLD = {"up/deep.py": "def f(a, b=0):\n    return a\n", "up/front.py": FRONT}
NEW = {**OLD, "up/deep.py": "def f(a):\n    return a\n"}


@pytest.mark.parametrize(
    ("imported", "name"),
    [
        ("from up import front", "front.f"),
        ("from up.front import f", "f"),
        ("import up.front as u", "u.f"),
        ("from up.deep import f", "f"),
    ],
)
def test_an_argument_that_is_gone_is_left_out(tmp_path: Path, imported: str, name: str) -> None:
    mine = f"{imported}\nfrom up.front import Other\n\n\ndef go():\n    Other().f(1, b=2)\n    return {name}(1, b=2)\n"
    done = migrated(tmp_path, mine, ("helper(x, 2)", "helper(x, 3)"), more=(OLD, NEW))
    assert text(done) == mine.replace(f"{name}(1, b=2)\n", f"{name}(1)\n").replace(
        "Other().f(1)", "Other().f(1, b=2)"
    )
    (rewritten,) = done.rewritten
    (rule,) = rewritten.rules
    assert rule.name == "call_argument_removed", "one rule for all calls and lanes"
    with pytest.raises(NoMatch):
        rule.forward(Source("from elsewhere.front import f\nf(1, b=2)\n", "other.py"))
