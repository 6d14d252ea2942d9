"""Values that the backend takes over by not saying anything."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
from dataclasses import dataclass, field

LIMIT = 16

@dataclass
class Config:
    fast: bool = True
    size: int = field(default=1)
    names: list = field(default_factory=list)

def f(a, b=1, *, c=None):
    return a
"""
READ = "from lib.a import Config\n\ndef g(config: Config):\n    return config.{}\n"


@pytest.mark.parametrize(
    ("new", "backend", "expected"),
    [
        pytest.param(
            OLD.replace("b=1", "b=2"),
            "from lib.a import f\n\nf(0, c=1)\n",
            ["default-changed lib.a.f at-risk 3 b"],
            id="parameter left out",
        ),
        pytest.param(
            OLD.replace("c=None", "c=True"),
            "from lib.a import f\n\nf(0, 1)\n",
            ["default-changed lib.a.f at-risk 3 c"],
            id="keyword left out",
        ),
        pytest.param(
            OLD.replace("fast: bool = True", "fast: bool = False"),
            READ.format("fast"),
            ["field-default-changed lib.a.Config.fast at-risk 4 fast"],
            id="field",
        ),
        pytest.param(
            OLD.replace("default=1", "default=2"),
            READ.format("size"),
            ["field-default-changed lib.a.Config.size at-risk 4 size"],
            id="field function",
        ),
        pytest.param(
            OLD.replace("LIMIT = 16", "LIMIT = 32"),
            "from lib.a import LIMIT\n",
            ["constant-changed lib.a.LIMIT at-risk 1"],
            id="constant",
        ),
    ],
)
def test_other_values(new: str, backend: str, expected: list[str]) -> None:
    assert compare(OLD, new, backend) == expected


@pytest.mark.parametrize(
    ("new", "backend"),
    [
        pytest.param(OLD.replace("b=1", "b=2"), "from lib.a import f\n\nf(0, 1)\n", id="passed"),
        pytest.param(OLD.replace("b=1", "b=2"), "from lib.a import f\n\nf(0, **x)\n", id="maybe passed"),
        pytest.param(OLD.replace("b=1", "b=0x1"), "from lib.a import f\n\nf(0)\n", id="written otherwise"),
        pytest.param(OLD.replace("c=None", "c=make()"), "from lib.a import f\n\nf(0)\n", id="no literal"),
        pytest.param(OLD.replace("= True", "= False"), READ.format("size"), id="another field"),
        pytest.param(
            OLD.replace("= True", "= False"),
            READ.replace("return config.{}", "config.fast = 1"),
            id="written only",
        ),
        pytest.param(
            OLD.replace("LIMIT = 16", "LIMIT = 32"), "from lib.a import f\n\nf(0)\n", id="another name"
        ),
        pytest.param(
            OLD.replace("LIMIT = 16", "LIMIT = [1]"), "from lib.a import LIMIT\n", id="no single value"
        ),
        pytest.param(
            OLD.replace("LIMIT = 16", "if x:\n    LIMIT = 32"), "from lib.a import LIMIT\n", id="conditional"
        ),
    ],
)
def test_values_of_no_concern(new: str, backend: str) -> None:
    assert compare(OLD, new, backend) == []
