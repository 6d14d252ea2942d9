"""Names of registered classes in options."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = {
    "lib/factory.py": 'register_connector("FastConnector", "lib.fast", "FastConnector")\n'
    "register_connector('WideConnector', 'lib.wide', 'WideConnector')\n",
}
NEW = {"lib/factory.py": "register_connector('WideConnector', 'lib.wide', 'WideConnector')\n"}
ROW = "registration-removed FastConnector breaks 1 connector"


@pytest.mark.parametrize(
    "use",
    [
        'config = {"connector": "FastConnector", "role": "both"}\n',
        'run(connector="FastConnector")\n',
        'run(json.dumps({"more": {"connector": "FastConnector"}}))\n',
    ],
)
def test_a_name_that_is_registered_no_more(use: str) -> None:
    assert compare(OLD, NEW, use) == [ROW]


@pytest.mark.parametrize(
    ("new", "use"),
    [
        pytest.param(NEW, 'config = {"connector": "WideConnector"}\n', id="another one"),
        pytest.param(NEW, 'print("FastConnector")\n', id="no option"),
        pytest.param(NEW, 'config = {"the connector": "FastConnector"}\n', id="a text for people"),
        pytest.param(NEW, 'config = {"connector": "FastConnector"}\nclass FastConnector: ...\n', id="an own class"),
        pytest.param(NEW, 'add.register("FastConnector", C)\nrun(connector="FastConnector")\n', id="registered here"),
        pytest.param(
            {**NEW, "lib/fast.py": "class FastConnector: ...\n"}, 'run(connector="FastConnector")\n', id="the class is left"
        ),
        pytest.param({"lib/other.py": OLD["lib/factory.py"]}, 'run(connector="FastConnector")\n', id="moved"),
    ],
)  # fmt: skip
def test_names_of_no_concern(new: dict[str, str], use: str) -> None:
    assert compare(OLD, new, use) == []


def test_a_name_that_was_only_written() -> None:
    old = {"lib/factory.py": "NAMES = ['FastConnector']\n"}
    assert compare(old, {"lib/factory.py": ""}, 'run(connector="FastConnector")\n') == []
