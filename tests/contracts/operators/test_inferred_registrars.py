"""Functions of upstream that register operators, told without configuration."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

UTILS = (
    "from torch.library import Library\nlibrary = Library('lib', 'FRAGMENT')\n\n\n"
    "def register(name, body, target=None):\n    mine = target or library\n"
    "    mine.define({text})\n    mine.impl(name, {implements})\n"
)
OPS = "from lib.utils import register\n\n\ndef core(x): ...\n\n\nregister('{name}', core)\n"
USES = "import torch\nfrom lib import utils\n\n\ndef f(x):\n    return torch.ops.lib.core(x)\n"


def upstream(utils: str, name: str) -> dict[str, str]:
    return {"lib/__init__.py": "", "lib/utils.py": utils, "lib/ops.py": OPS.format(name=name)}


@pytest.mark.parametrize("text", ["name", "name + schema(body)", "f'{name}{schema(body)}'"])
def test_an_operator_that_upstream_registers_under_another_name(text: str) -> None:
    utils = UTILS.replace("{text}", text).replace("{implements}", "body")
    told = compare(upstream(utils, "core"), upstream(utils, "other"), USES)
    assert told == ["operator-renamed lib::core breaks 6"]


def test_an_operator_that_is_registered_twice_from_now_on() -> None:
    utils = UTILS.replace("{text}", "name").replace("{implements}", "body")
    mine = "from lib.utils import register\n\n\ndef own(x): ...\n\n\nregister('other', own)\n"
    told = compare(upstream(utils, "core"), upstream(utils, "other"), mine)
    assert told == ["operator-taken lib::other breaks 7"]


@pytest.mark.parametrize(
    ("utils", "uses"),
    [
        (
            UTILS.replace("{text}", "name").replace("{implements}", "body"),
            USES.replace("ops.lib", "ops.other"),
        ),
        (UTILS.replace("{text}", "'core'").replace("{implements}", "body"), USES),
        (UTILS.replace("{text}", "name").replace("{implements}", "other"), USES),
        (
            UTILS.replace("{text}", "name").replace("{implements}", "body")
            + "more = Library('more', 'DEF')\n",
            USES,
        ),
    ],
)
def test_what_registers_no_operator_of_that_name(utils: str, uses: str) -> None:
    assert compare(upstream(utils, "core"), upstream(utils, "other"), uses) == []
