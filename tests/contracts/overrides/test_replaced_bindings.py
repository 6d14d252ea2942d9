"""A name that a module imports is replaced there: who calls the function by another name goes on as before."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

KEPT_HOME = "def f(a):\n    return a\n"
KEPT_HERE = "from lib.b import f\n\ndef g():\n    return f(1)\n"


@pytest.mark.parametrize(
    ("user", "verdict"),
    [
        pytest.param({"lib/c.py": "from lib.b import f\n\ndef h():\n    return f(1)\n"}, "at-risk", id="from home"),
        pytest.param({"lib/c.py": "import lib.b\n\ndef h():\n    return lib.b.f(1)\n"}, "at-risk", id="of home"),
        pytest.param({"lib/b.py": KEPT_HOME + "\ndef h():\n    return f(1)\n"}, "at-risk", id="at home"),
        pytest.param({"lib/c.py": "from lib.a import f\n\ndef h():\n    return f(1)\n"}, "breaks", id="from there"),
        pytest.param({"lib/c.py": "from lib import a\n\ndef h():\n    return a.f(1)\n"}, "breaks", id="of there"),
        pytest.param(
            {"lib/c.py": "from lib.d import f\n\ndef h():\n    return f(1)\n", "lib/d.py": "from lib.a import f\n"},
            "breaks",
            id="from there by another module",
        ),
        pytest.param({"lib/c.py": "def h():\n    from lib.a import *\n    return f(1)\n"}, "breaks", id="all of it"),
    ],
)  # fmt: skip
def test_only_calls_by_a_name_that_is_patched_reach_the_replacement(
    user: dict[str, str], verdict: str
) -> None:
    plugin = "import lib.a\n\ndef own(a):\n    return a\n\nlib.a.f = own\n"
    old = {"lib/a.py": KEPT_HERE, "lib/b.py": KEPT_HOME, **user}
    new = {path: text.replace("(1)", "(1, b=2)").replace("f(a)", "f(a, b=0)") for path, text in old.items()}
    new["lib/a.py"] = KEPT_HERE
    assert compare(old, new, plugin) == [f"parameter-added lib.b.f {verdict} 6 b"]
