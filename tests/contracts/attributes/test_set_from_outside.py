"""Attributes that upstream's functions set on the objects which they are handed."""

from __future__ import annotations

import pytest

from tests.contracts.world import engine, findings, rows

SET = "class Box:\n    def __init__(self, wide):\n        self.size = 1\n"
BARE = "class Box:\n    def __init__(self, wide):\n        self.other = 1\n"
READ = "from engine.core import Box\ndef read(box: Box):\n    return box.size\n"


@pytest.mark.parametrize(
    "fit",
    [
        pytest.param("def fit(x):\n    x.size = 1\n", id="function"),
        pytest.param("def fit(x: Box):\n    x.size = 1\n", id="of that class"),
        pytest.param("import typing\ndef fit(x: typing.Any):\n    x.size = 1\n", id="of any class"),
        pytest.param("def fit(x):\n    x.size: int = 1\n", id="with an annotation"),
        pytest.param("def fit(x):\n    x.other, x.size = 1, 2\n", id="several at once"),
        pytest.param("def fit(x):\n    setattr(x, 'size', 1)\n", id="by name"),
        pytest.param("def fit(x):\n    x.register_buffer('size', 1)\n", id="registered"),
        pytest.param("class Fitter:\n    def fit(self, x):\n        x.size = 1\n", id="method"),
        pytest.param(
            "class Fitter:\n    @staticmethod\n    def fit(x):\n        x.size = 1\n", id="static method"
        ),
    ],
)
def test_what_a_function_sets_on_an_object_that_it_is_handed(fit: str) -> None:
    function = "Fitter.fit" if "Fitter" in fit else "fit"
    for old, new in (
        (engine(SET), engine(BARE + fit)),
        (engine(SET), engine(BARE, fitting=f"from engine.core import Box\n{fit}")),
        (engine(SET, fitting=fit), engine(f"from engine.fitting import *\n{BARE}", fitting=fit)),
        (engine(SET, fitting=fit), engine(f"from . import fitting\n{BARE}", fitting=fit)),
    ):
        found = findings(old, new, {"plugin/use.py": READ})
        assert rows(found) == ["attribute-removed engine.core.Box.size at-risk 3 size"]
        assert f".{function} sets it from outside" in found[0].reason
