"""Classes of upstream in whose place an option names one of the backend."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

BASE = "class Backend:\n    def shape(self, a{}): ...\n"
WORKER = """from lib.base import Backend
class Worker:
    def work(self, backend: Backend):
        return Runner().run(backend)
class Runner:
    def run(self, backend: Backend):
        return backend.shape(1{})
"""
CHOOSES = "def setup(config):\n    config.worker_cls = 'lib.worker.Worker'\n"
MINE = "from lib.base import Backend\nclass Mine(Backend):\n    def shape(self, a): ...\n"


def _verdicts(plugin: str) -> list[str]:
    def files(parameter: str, passed: str) -> dict[str, str]:
        return {
            "lib/__init__.py": "",
            "lib/base.py": BASE.format(parameter),
            "lib/worker.py": WORKER.format(passed),
            "lib/platform.py": CHOOSES,
        }

    own = {"plugin/__init__.py": "", "plugin/use.py": MINE + plugin}
    return [row.split()[2] for row in compare(files("", ""), files(", kind=0", ", kind=2"), own)]


@pytest.mark.parametrize(
    "plugin",
    [
        "class Own: ...\ndef setup(config):\n    config.worker_cls = 'plugin.use.Own'\n",
        "class Own: ...\ndef setup(c):\n    if c.a:\n        c.b.worker_cls = (\n            'plugin.use.Own'\n        )\n",
        "class Own: ...\ndef setup(config):\n    config.worker_cls = \\\n        'plugin.use.Own'\n",
    ],
)
def test_what_a_class_calls_that_is_never_chosen(plugin: str) -> None:
    assert _verdicts(plugin) == ["at-risk"]


@pytest.mark.parametrize(
    "plugin",
    [
        pytest.param("", id="no option"),
        pytest.param(
            "class Own: ...\ndef setup(c):\n    c.other_cls = 'plugin.use.Own'\n", id="another option"
        ),
        pytest.param("def setup(c):\n    c.worker_cls = 'plugin.use.Own'\n", id="no class"),
        pytest.param(
            "class Own: ...\ndef setup(c, d):\n    c.worker_cls = 'plugin.use.Own'\n"
            "    d.worker_cls = 'lib.worker.Worker'\n",
            id="chosen as well",
        ),
        pytest.param(
            "from lib.worker import Worker\nclass Own(Worker): ...\ndef setup(c):\n"
            "    c.worker_cls = 'plugin.use.Own'\n",
            id="derived",
        ),
    ],
)
def test_what_a_class_calls_that_may_be_chosen(plugin: str) -> None:
    assert _verdicts(plugin) == ["breaks"]
