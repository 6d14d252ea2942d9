"""Hooks that the backend implements for upstream's plugin manager."""

from __future__ import annotations

import pytest

from tests.contracts.compare import told

OLD = """
import pluggy
hookspec = pluggy.HookspecMarker("engine")

@hookspec
def engine_configure(config, path):
    pass

@hookspec(firstresult=True)
def pytest_engine_run(config):
    pass

class Specs:
    @hookspec
    def engine_end(self, config):
        pass
"""
GONE = OLD.replace("def engine_configure", "def engine_prepare").replace("engine_end", "engine_stop")
MARK = "import pluggy\nhookimpl = pluggy.HookimplMarker('engine')\n"
IMPL = MARK + "@hookimpl\ndef engine_configure(config, path): ...\n"


@pytest.mark.parametrize(
    ("old", "new", "plugin", "expected"),
    [
        (OLD, GONE, IMPL, ["hook-removed core.engine_configure breaks 4"]),
        (OLD, GONE, MARK + "@hookimpl(tryfirst=True)\ndef engine_configure(config): ...\n",
         ["hook-removed core.engine_configure breaks 4"]),
        (OLD, GONE, MARK + "class Plugin:\n    @hookimpl\n    def engine_end(self, config): ...\n",
         ["hook-removed core.engine_end breaks 5"]),
        (OLD, GONE, MARK + "@hookimpl(optionalhook=True)\ndef engine_configure(config): ...\n",
         ["hook-removed core.engine_configure at-risk 4"]),
        (OLD, OLD.replace("pytest_engine_run", "pytest_engine_go"), "def pytest_engine_run(config): ...\n",
         ["hook-removed core.pytest_engine_run breaks 1"]),
        (OLD, OLD.replace("@hookspec\ndef engine_configure", "@marked\ndef engine_configure"), IMPL,
         ["hook-removed core.engine_configure at-risk 4"]),
        (OLD, OLD.replace("config, path", "config"), IMPL, ["parameter-removed core.engine_configure breaks 4"]),
    ],
)  # fmt: skip
def test_nobody_calls_it_so_any_more(old: str, new: str, plugin: str, expected: list[str]) -> None:
    assert told(old, new, plugin) == expected


@pytest.mark.parametrize(
    ("new", "plugin"),
    [
        (OLD.replace("config, path", "config, path, more"), IMPL),
        (OLD.replace("config, path", "config"), IMPL.replace("config, path", "config")),
        (OLD.replace("config, path", "config"), IMPL.replace("config, path", "config, path=None")),
        (GONE, IMPL.replace("@hookimpl\n", "")),
        (GONE, IMPL.replace("engine_configure", "engine_other")),
        (GONE, "class Plugin:\n    def pytest_engine_run(self, config): ...\n"),
        (OLD, IMPL),
    ],
)
def test_it_is_called_as_before_or_was_never_a_hook(new: str, plugin: str) -> None:
    assert told(OLD, new, plugin) == []


def test_a_hook_that_another_module_specifies_now_is_called_still() -> None:
    plugin = IMPL.replace("config, path", "config")
    assert told(OLD, GONE + "\n@hookspec\ndef engine_configure(config): ...\n", plugin) == []
