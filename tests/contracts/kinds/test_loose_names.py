"""Names on receivers of unknown class, where hardly anything upstream defines such a name any more."""

from __future__ import annotations

import pytest

from tests.contracts.compare import compare, engine, rows, told

OLD = "class State:\n    def __init__(self):\n        self.token_count = 1\n        self.other_thing = 2\n"
NEW = OLD.replace("token_count", "tokens")
READ = "import engine\ndef read():\n    return engine.current().token_count\n"


@pytest.mark.parametrize(
    ("new", "plugin"),
    [
        pytest.param(NEW, READ, id="attribute"),
        pytest.param(NEW, "import engine\ndef read():\n    for state in engine.states():\n"
                     "        first = state[0]\n        return first.token_count + 1\n", id="of an item, by names"),
        pytest.param(NEW, "from engine.core import State\nclass Mine(State):\n    def read(self, one):\n"
                     "        return one.token_count\n", id="in what upstream calls"),
        pytest.param(NEW, "from engine import core\ndef read():\n    return core.current().token_count\n",
                     id="of what upstream gives"),
        pytest.param(NEW, "from engine.core import State\nclass Mine(State):\n    def read(self):\n"
                     "        return self.run.token_count\n", id="of a part"),
    ],
)  # fmt: skip
def test_names_that_vanished(new: str, plugin: str) -> None:
    found = told(OLD, new, plugin)
    assert [line.rpartition(" ")[0] for line in found] == ["name-vanished token_count at-risk"]


@pytest.mark.parametrize(
    ("new", "plugin"),
    [
        pytest.param(OLD.replace("= 1", "= 3"), READ, id="still there"),
        pytest.param(NEW + "class Other:\n    token_count = 1\n", READ, id="defined elsewhere"),
        pytest.param(NEW, READ + "class Own:\n    token_count = 1\n", id="defined here"),
        pytest.param(NEW, "import torch\ndef read():\n    return torch.token_count\n", id="foreign"),
        pytest.param(NEW, "import engine\ndef read(state):\n    return state.token_count\n", id="no link is shown"),
        pytest.param(NEW, "import engine, other\ndef read():\n    state = other.current()\n"
                     "    return state.token_count\n", id="another package's object"),
        pytest.param(NEW, READ.replace("token_count", "__token_count__"), id="dunder"),
        pytest.param(NEW, "def write(state):\n    state.token_count = 1\n", id="written"),
        pytest.param(NEW, "def read(state):\n    return state['token_count']\n", id="item"),
        pytest.param(OLD.replace("self.token_count", "if True:\n            self.token_count"), READ,
                     id="on a branch"),
    ],
)  # fmt: skip
def test_names_that_did_not_vanish_or_may_be_anything(new: str, plugin: str) -> None:
    assert told(OLD, new, plugin) == []


@pytest.mark.parametrize("name", ["count", "counters", "tok_cnt", "tokencounter"])
def test_short_names_and_single_words_may_come_from_anywhere(name: str) -> None:
    old, plugin = OLD.replace("token_count", name), READ.replace("token_count", name)
    assert told(old, NEW, plugin) == []


@pytest.mark.parametrize("name", ["named_modules", "register_buffer", "is_contiguous"])
def test_names_of_torch_are_no_evidence(name: str) -> None:
    old, plugin = OLD.replace("token_count", name), READ.replace("token_count", name)
    assert told(old, NEW, plugin) == []


def test_a_known_receiver_is_told_once() -> None:
    plugin = "from engine.core import State\ndef read(state: State):\n    return state.token_count\n"
    assert told(OLD, NEW, plugin) == ["attribute-removed core.State.token_count breaks 3"]


def test_most_definitions_gone_is_as_good_as_all() -> None:
    before = engine(OLD, b=OLD, c=OLD)
    backend = {"plugin/use.py": READ}
    most = compare(before, engine(NEW, b=NEW, c=OLD), backend)
    assert rows(most) == ["name-vanished token_count at-risk 3"]
    assert "few modules upstream still define: token_count (before: engine.b, engine.core)" in most[0].reason
    assert compare(before, engine(NEW, b=OLD, c=OLD), backend) == []


def test_a_test_for_the_name_is_said_to_fail_silently() -> None:
    plugin = (
        "import engine\ndef read():\n    state = engine.current()\n"
        "    if hasattr(state, 'token_count'):\n        return state.token_count\n"
    )
    (finding,) = compare(engine(OLD), engine(NEW), {"plugin/use.py": plugin})
    assert finding.reason.endswith("the test for it here will fail silently")


def test_a_removed_module_takes_its_names_away() -> None:
    found = compare(engine("", state=OLD), engine(""), {"plugin/use.py": READ})
    assert rows(found) == ["name-vanished token_count at-risk 3"]
