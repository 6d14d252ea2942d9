"""Values of the enclosing function that have the same name as a parameter that upstream now requires."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planning.test_plan import migrated, text

REQUIRED = (("helper(x, y)", "helper(x, y, z: int)"), ("helper(x, 2)", "helper(x, 2, z=3)"))


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("def other(x, z):\n    return helper(x, 2)\n", id="a parameter"),
        pytest.param("def other(x, *, z: int = 1):\n    return helper(x, 2)\n", id="one of the same type"),
        pytest.param("def other(x, z: 'int | None'):\n    return helper(x, 2)\n", id="one that may be none"),
        pytest.param("def other(x):\n    z = x + 1\n    return helper(x, 2)\n", id="a variable"),
        pytest.param("def other(x):\n    for z in x:\n        helper(x, 2)\n", id="a variable of a loop"),
    ],
)
def test_a_value_of_that_name_is_passed(tmp_path: Path, body: str) -> None:
    done = migrated(tmp_path, f"from up.base import helper\n\n\n{body}", *REQUIRED)
    assert "helper(x, 2, z=z)" in text(done)
    assert not done.unwritten


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("def other(x):\n    a = helper(x, 2)\n    z = a\n    return z\n", id="made later"),
        pytest.param(
            "def other(x):\n    if x:\n        z = 1\n    return helper(x, 2)\n", id="on one way only"
        ),
        pytest.param("def other(x, z: str):\n    return helper(x, 2)\n", id="of another type"),
        pytest.param("def other(x, z):\n    z = x\n    return helper(x, 2)\n", id="bound anew"),
        pytest.param("def other(x):\n    z = 1\n    z = x\n    return helper(x, 2)\n", id="set twice"),
        pytest.param("def other(x, *z):\n    return helper(x, 2)\n", id="the rest of the arguments"),
        pytest.param("def other(x):\n    z = 1\n    del z\n    return helper(x, 2)\n", id="deleted"),
        pytest.param("def other(x, z):\n    return helper(z, 2)\n", id="passed for something else"),
        pytest.param("z = 3\n\n\ndef other(x):\n    return helper(x, 2)\n", id="a global of that name"),
    ],
)
def test_what_may_be_something_else_is_not_passed(tmp_path: Path, body: str) -> None:
    done = migrated(tmp_path, f"from up.base import helper\n\n\n{body}", *REQUIRED)
    assert text(done) == ""
    assert [left.why for left in done.unwritten] == ["it now requires z, and nothing shows what to pass here"]
