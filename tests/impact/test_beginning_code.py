"""Code that begins to run with a version of upstream."""

from __future__ import annotations

from textwrap import dedent

import pytest

from syncbot.contracts.model import Verdict
from syncbot.impact.analysis import impacts
from syncbot.impact.contract_findings import attributed_findings
from syncbot.witness.findings import programs

from .conftest import Engine, TreesOf

OLD = """
class Runner:
    def run(self, batch): ...

class Spec:
    def __init__(self):
        self.blocks = 1

def load(path, flag=None): ...
"""
NEW = OLD + "X = 1\n"
IS = "import engine\n\n\ndef is_(v):\n    return engine.__version__ == v\n"


def begun(engine: Engine, trees_of: TreesOf, plugin: str, new: str = NEW, **more: str) -> list[str]:
    """Return the findings on code that begins to run, with lines; the end of the range is version 2.0."""
    engine.commit({"engine/core.py": OLD})
    engine.git("tag", "v1.0")
    engine.noise()
    end = engine.commit({"engine/core.py": new})
    engine.git("tag", "v2.0")
    texts = {
        "plugin/__init__.py": IS,
        "plugin/use.py": "from plugin import is_\n" + dedent(plugin).lstrip("\n"),
    }
    trees = trees_of({**texts, **{f"plugin/{name}.py": dedent(text) for name, text in more.items()}})
    commits = trees.repository.commits(engine.shas[0], end)
    told = attributed_findings(trees, engine.shas[0], end, commits[::-1])
    shown = [each for each in told if each.finding.kind == "branch-unmet"]
    assert all(each.commit is not None and each.commit.sha == end for each in shown)
    assert all(each.finding.verdict is Verdict.BREAKS for each in shown)
    return [
        f"{each.finding.contract.place.location.line - 1} {each.finding.reason.partition(',')[0]}"
        for each in shown
    ]


@pytest.mark.parametrize(
    ("plugin", "told"),
    [
        pytest.param(
            "if not is_('1.0'):\n    from engine.core import Other\n",
            ["2 engine.core.Other does not exist"], id="import",
        ),
        pytest.param(
            "import engine.core\nif not is_('1.0'):\n    engine.core.nothing()\n",
            ["3 engine.core.nothing does not exist"], id="attribute of a module",
        ),
        pytest.param(
            "from engine.core import Spec\ndef f(s: Spec):\n    return s.blocks if is_('1.0') else s.chunks\n",
            ["3 engine.core.Spec.chunks does not exist"], id="attribute of an object",
        ),
        pytest.param(
            "from engine.core import Spec\nclass Mine(Spec):\n    def g(self):\n        if is_('2.0'):\n"
            "            return self.chunks\n",
            ["5 plugin.use.Mine.chunks does not exist"], id="attribute of an object of ours",
        ),
        pytest.param(
            "from engine.core import load\nload('a', **({} if is_('1.0') else {'strict': 1}))\n",
            ["2 engine.core.load() does not take strict"], id="keyword of one version",
        ),
        pytest.param(
            "from engine.core import load\nload(**({'path': 1} if is_('1.0') else {}))\n",
            ["2 engine.core.load() requires path"], id="keyword of the other version",
        ),
        pytest.param(
            "from engine.core import Runner\nclass Mine(Runner):\n    def run(self, batch):\n"
            "        return super().run(batch, **({} if is_('1.0') else {'dummy': 1}))\n",
            ["4 engine.core.Runner.run() does not take dummy"], id="call of what is overridden",
        ),
        pytest.param(
            "from engine.core import load\nif is_('1.0'):\n    Extra = None\nelse:\n    from engine.core import Runner as Extra\n"
            "if Extra is not None:\n    load(where=1)\n",
            ["7 engine.core.load() does not take where"], id="where a name is None",
        ),
    ],
)  # fmt: skip
def test_what_begins_to_run_lacks_something(
    engine: Engine, trees_of: TreesOf, plugin: str, told: list[str]
) -> None:
    assert sorted(begun(engine, trees_of, plugin)) == sorted(told)


def test_a_module_that_only_such_code_names(engine: Engine, trees_of: TreesOf) -> None:
    plugin = "if not is_('1.0'):\n    register('plugin.more:Thing')\n"
    found = begun(engine, trees_of, plugin, more="\nfrom engine.gone import Thing\n")
    assert found == ["1 engine.gone.Thing does not exist"]


@pytest.mark.parametrize(
    "plugin",
    [
        pytest.param("if is_('1.0'):\n    from engine.core import Other\n", id="ends to run"),
        pytest.param("if is_('3.0'):\n    from engine.core import Other\n", id="another version's"),
        pytest.param("from engine.core import Other\n", id="ran before"),
        pytest.param("if not is_('1.0'):\n    from engine.core import load\n", id="is there"),
        pytest.param(
            "if not is_('1.0'):\n    try:\n        from engine.core import Other\n    except ImportError:\n"
            "        pass\n",
            id="caught",
        ),
        pytest.param(
            "from engine.core import Spec\ndef f(s: Spec):\n    if not is_('1.0') and hasattr(s, 'chunks'):\n"
            "        return s.chunks\n",
            id="tested for",
        ),
        pytest.param(
            "from engine.core import load\nif not is_('1.0'):\n    if 'where' in names(load):\n"
            "        load('a', where=1)\n",
            id="passed where it is taken",
        ),
        pytest.param(
            "from engine.core import Spec\ndef f(s: Spec):\n    s.chunks = 2\n"
            "    return s.blocks if is_('1.0') else s.chunks\n",
            id="set by ours",
        ),
        pytest.param(
            "import other\nif not is_('1.0'):\n    other.nothing()\n    x.nothing()\n", id="nobody knows what of"
        ),
        pytest.param(
            "from engine.core import Spec\nclass Mine(Spec):\n    def chunks(self): ...\n"
            "def f(s: Spec):\n    return s.blocks if is_('1.0') else s.chunks()\n",
            id="it may be one of ours",
        ),
        pytest.param(
            "from engine.core import Spec\ndef f(s: Spec):\n    if not is_('1.0'):\n        if isinstance(s, Other):\n"
            "            s.chunks()\n",
            id="told apart",
        ),
        pytest.param(
            "from engine.core import Base\nclass Mine(Base):\n    def g(self):\n"
            "        return 1 if is_('1.0') else self.chunks\n",
            id="a base that is not seen",
        ),
    ],
)  # fmt: skip
def test_what_begins_to_run_has_all(engine: Engine, trees_of: TreesOf, plugin: str) -> None:
    assert begun(engine, trees_of, plugin) == []


def test_what_upstream_changed_is_told_once(engine: Engine, trees_of: TreesOf) -> None:
    plugin = "from engine.core import load\nif not is_('1.0'):\n    load('a', flag=1)\n"
    assert begun(engine, trees_of, plugin, OLD.replace(", flag=None", "")) == []


def test_nothing_of_upstream_alone_can_show_that_a_line_begins_to_run(
    engine: Engine, trees_of: TreesOf
) -> None:
    engine.commit({"engine/core.py": OLD})
    engine.git("tag", "v1.0")
    end = engine.commit({"engine/core.py": NEW})
    engine.git("tag", "v2.0")
    plugin = "from plugin import is_\nif not is_('1.0'):\n    from engine.core import Other\n"
    trees = trees_of({"plugin/__init__.py": IS, "plugin/use.py": plugin})
    commits = trees.repository.commits(engine.shas[0], end)
    told = impacts(attributed_findings(trees, engine.shas[0], end, commits), set())
    assert [impact.kind for impact in told] == ["branch-unmet"]
    ((_, why),) = programs(trees, engine.shas[0], end, told)
    assert why == "upstream lacked it before as well: what changed is that the line runs"
