"""Device functions that an imported upstream module newly uses."""

from __future__ import annotations

import pytest

from syncbot.contracts.configured_facts import Knowledge
from tests.contracts.compare import compare, engine, rows, told

KNOWN = Knowledge(device_apis=("torch.cuda.",))
OLD = "import torch\ndef f():\n    torch.cuda.synchronize()\n"
NEW = OLD + "    torch.cuda.fancy_pool()\n"
USE = "from engine.core import f\n"


@pytest.mark.parametrize("plugin", [USE, "import engine.core\n", "from engine import core\n",
                                    "def late():\n    from engine.core import f\n"])  # fmt: skip
def test_a_device_function_that_is_new_upstream(plugin: str) -> None:
    line = 2 if plugin.startswith("def") else 1
    assert told(OLD, NEW, plugin, KNOWN) == [f"device-api-used core at-risk {line}"]
    assert told(OLD, NEW, plugin) == []


@pytest.mark.parametrize(
    ("old", "new", "plugin"),
    [
        pytest.param(OLD, OLD + "    torch.cuda.synchronize()\n", USE, id="used before"),
        pytest.param(OLD, OLD + "    torch.zeros(1)\n", USE, id="no device function"),
        pytest.param(OLD, OLD + "    own.torch.cuda.fancy_pool()\n", USE, id="something else of that name"),
        pytest.param(OLD, OLD + "    # torch.cuda.fancy_pool()\n", USE, id="comment"),
        pytest.param(NEW, OLD, USE, id="no longer used"),
        pytest.param(OLD, NEW, "from engine import other\n", id="module not imported"),
        pytest.param(OLD, NEW, "from .engine.core import f\n", id="relative import"),
    ],
)  # fmt: skip
def test_device_functions_that_are_no_news(old: str, new: str, plugin: str) -> None:
    other = "def g(): ...\n"
    assert compare(engine(old, other=other), engine(new, other=other), {"plugin/use.py": plugin}, KNOWN) == []


def test_what_another_upstream_module_used_before_is_no_news() -> None:
    other = "import torch\ndef g():\n    torch.cuda.fancy_pool()\n"
    assert compare(engine(OLD, other=other), engine(NEW, other=other), {"plugin/use.py": USE}, KNOWN) == []


def test_each_function_is_told_with_its_name() -> None:
    new = NEW + "    torch.cuda.other_pool()\n"
    found = compare(engine(OLD), engine(new), {"plugin/use.py": USE}, KNOWN)
    assert [f.details.subject for f in found] == ["torch.cuda.fancy_pool", "torch.cuda.other_pool"]
    assert rows(found) == ["device-api-used core at-risk 1"]
