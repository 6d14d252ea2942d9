"""Attributes that upstream's functions set on the objects which they are handed."""

from __future__ import annotations

import pytest

from tests.contracts.compare import compare, engine, rows, told

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
        found = compare(old, new, {"plugin/use.py": READ})
        assert rows(found) == ["attribute-removed core.Box.size at-risk 3"]
        assert f".{function} sets it from outside" in found[0].reason


@pytest.mark.parametrize(
    "fit",
    [
        pytest.param("def fit(x):\n    return x.size == 1\n", id="only reads it"),
        pytest.param("def fit(x):\n    x.size += 1\n", id="adds to it"),
        pytest.param("def fit(x):\n    x.size: int\n", id="only declares it"),
        pytest.param("def fit(x):\n    return getattr(x, 'size', 1)\n", id="asks for it by name"),
        pytest.param("def fit(x):\n    x.part.size = 1\n", id="on a part of it"),
        pytest.param("class Other:\n    def fit(self, x):\n        self.size = 1\n", id="on itself"),
        pytest.param("class Other: ...\ndef fit(x: Other):\n    x.size = 1\n", id="of another class"),
        pytest.param("def fit():\n    x = make()\n    x.size = 1\n", id="on what it makes"),
        pytest.param("import torch\ndef fit(x: torch.nn.Module):\n    x.size = 1\n", id="of another package"),
        pytest.param(
            "from torch import nn\ndef fit(x: nn.Module):\n    x.size = 1\n", id="of a module of it"
        ),
    ],
)
def test_what_no_function_sets_on_an_object_that_it_is_handed(fit: str) -> None:
    assert told(SET, BARE + fit, READ) == ["attribute-removed core.Box.size breaks 3"]


@pytest.mark.parametrize(
    ("declared", "verdict"), [("box: Box", "at-risk"), ("box", "breaks"), ("box: 'Other'", "breaks")]
)
def test_what_a_method_sets_on_an_object_that_its_own_has(declared: str, verdict: str) -> None:
    fit = (
        f"class Other: ...\nclass Fitter:\n    def __init__(self, {declared}):\n        self.box = box\n"
        "    def fit(self):\n        self.box.size = 1\n"
    )
    assert told(SET, BARE + fit, READ) == [f"attribute-removed core.Box.size {verdict} 3"]


def test_a_module_that_neither_changed_nor_is_imported_sets_nothing() -> None:
    fit = "def fit(x):\n    x.size = 1\n"
    found = compare(engine(SET, fitting=fit), engine(BARE, fitting=fit), {"plugin/use.py": READ})
    assert rows(found) == ["attribute-removed core.Box.size breaks 3"]


def test_a_base_that_is_not_seen_may_be_that_of_another_package() -> None:
    fit = "import torch\ndef fit(x: torch.nn.Module):\n    x.size = 1\n"
    old, new = (f"import torch\n{t}".replace("Box:", "Box(torch.nn.Module):") for t in (SET, BARE + fit))
    assert told(old, new, READ) == ["attribute-removed core.Box.size at-risk 3"]
