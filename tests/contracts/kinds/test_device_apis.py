"""Device functions that an imported upstream module newly uses."""

from __future__ import annotations

from syncbot.contracts.configured_facts import Knowledge
from tests.contracts.world import engine, findings, rows

KNOWN = Knowledge(device_apis=("torch.cuda.",))
OLD = "import torch\ndef f():\n    torch.cuda.synchronize()\n"
NEW = OLD + "    torch.cuda.fancy_pool()\n"
USE = "from engine.core import f\n"


def test_each_function_is_told_with_its_name() -> None:
    new = NEW + "    torch.cuda.other_pool()\n"
    found = findings(engine(OLD), engine(new), {"plugin/use.py": USE}, KNOWN)
    assert [f.details.subject for f in found] == ["torch.cuda.fancy_pool", "torch.cuda.other_pool"]
    assert rows(found) == [
        "device-api-used engine.core at-risk 1 torch.cuda.fancy_pool",
        "device-api-used engine.core at-risk 1 torch.cuda.other_pool",
    ]
