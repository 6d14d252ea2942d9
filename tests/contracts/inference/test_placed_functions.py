"""A function that another module of the backend puts into upstream's place has its object and its types."""

from __future__ import annotations

import pytest

from tests.contracts.compare import compare, engine, rows, text

OLD = """
class Config:
    size = 1

class Runner:
    size = 1

    def run(self, config: Config): ...

class Other:
    size = 1

    def run(self, config): ...

def go(config: Config): ...
"""
NEW = OLD.replace("size", "length")
IMPORT = "from engine import core\nfrom plugin.use import mine\n"


def lost(use: str, patch: str) -> list[str]:
    """Return the findings on attributes in a function of one module that another module puts somewhere."""
    backend = {"plugin/__init__.py": text(IMPORT + patch), "plugin/use.py": text(use)}
    found = compare(engine(OLD), engine(NEW), backend)
    return [row for row in rows(found) if row.startswith("attribute")]


@pytest.mark.parametrize(
    "patch",
    [
        "core.Runner.run = mine\n",
        "core.Runner.run = \\\n    mine\n",
        "import plugin.use\ncore.Runner.run = plugin.use.mine\n",
        "setattr(core.Runner, 'run', mine)\n",
        "from engine.core import Runner as R\nR.run = mine\nR.walk = mine\n",
        "def apply():\n    core.Runner.run = mine\n",
        "if True:\n    core.Runner.run = mine  # ours\n",
        "def wrap(function):\n    return function\n\ncore.Runner.run = wrap(mine)\n",
        "def wrap(function):\n    return function\n\ncore.Runner.run = wrap(\n    mine\n)\n",
    ],
)
def test_the_first_parameter_is_an_object_of_the_class(patch: str) -> None:
    assert lost("def mine(self, *rest):\n    self.size\n", patch) == [
        "attribute-removed core.Runner.size breaks 2"
    ]


@pytest.mark.parametrize(
    ("use", "line"),
    [
        ("@classmethod\ndef mine(cls):\n    cls().size\n", 3),
        ("@classmethod\ndef mine(cls):\n    cls.size\n", 3),
        ("def mine(self):\n    type(self)().size\n", 2),
    ],
)
def test_a_class_method_is_handed_the_class(use: str, line: int) -> None:
    assert lost(use, "core.Runner.run = mine\n") == [f"attribute-removed core.Runner.size breaks {line}"]


@pytest.mark.parametrize("patch", ["core.Runner.run = mine\n", "core.go = mine\n"])
def test_a_parameter_without_annotation_is_what_the_function_replaced_took(patch: str) -> None:
    own = "def mine(*args, config):\n    config.size\n"
    assert lost(own, patch) == ["attribute-removed core.Config.size breaks 2"]


@pytest.mark.parametrize(
    ("use", "patch"),
    [
        ("def mine(self, config):\n    self.size\n", ""),
        ("def mine(self, config):\n    self.size\n", "core.Runner.run = wrapped(mine)\n"),
        ("def mine(self, config):\n    self.size\n", "class Box: ...\n\ncore.Runner.run = Box(mine)\n"),
        (
            "def mine(self, config):\n    self.size\n",
            "def bind(function, last):\n    return last\n\ncore.Runner.run = bind(mine, 1)\n",
        ),
        ("def mine(self, config):\n    self.size\n", "core.Runner.run = core.Other.run = mine\n"),
        ("def mine(self, config):\n    self.size\n", "core.Runner.run = mine\ncore.Other.run = mine\n"),
        ("def mine(self: object, config: dict):\n    self.size, config.size\n", "core.Runner.run = mine\n"),
        ("def mine(config):\n    config.size\n", "core.gone = mine\n"),
        ("@staticmethod\ndef mine(it):\n    it.size\n", "core.Runner.run = mine\n"),
        ("def mine():\n    def mine(self):\n        self.size\n", "core.Runner.run = mine\n"),
    ],
)
def test_what_goes_elsewhere_or_nowhere_says_nothing(use: str, patch: str) -> None:
    assert lost(use, patch) == []
