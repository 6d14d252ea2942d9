"""Who is suspected of differences between two runs, in a range of real commits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from syncbot.contracts.sources import in_memory
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.triage.silent_changes import SilentChanges, outermost
from syncbot.upstream.commit_range import between
from syncbot.verify.recording.differences import Difference, What
from tests.impact.conftest import Engine, TreesOf, engine, trees_of  # noqa: F401 (fixtures)

RUNNER = "engine.runner:Runner.prepare"
OLD = """\
class Runner:
    def prepare(self, backend):
        backend.build(1)
        return self.warm()

    def warm(self):
        return 0
"""
BASE = "class Impl:\n    def forward(self, x):\n        return x\n\n    def other(self):\n        return 0\n"
PLUGIN = """\
from engine.base import Impl


class OurImpl(Impl):
    def forward(self, x):
        return npu_norm(x)

    def build(self, n):
        return n
"""
Suspects = Callable[..., list[str]]


@pytest.fixture
def suspects(engine: Engine, trees_of: TreesOf, tmp_path: Path) -> Suspects:  # noqa: F811
    """Tells who is suspected of a difference, after three commits of upstream."""
    old = engine.commit({"engine/runner.py": OLD, "engine/base.py": BASE})
    engine.commit({"engine/runner.py": OLD.replace("return 0", "return 2")}, "Warm up more")
    engine.commit({"engine/runner.py": OLD.replace("        backend.build(1)\n", "")}, "Build nothing")
    new = engine.commit(
        {"engine/base.py": BASE.replace("forward(self, x)", "forward(self, x, scale)")}, "Scale"
    )

    def look(
        what: What,
        name: str,
        callers: tuple[str, ...] = (),
        after: Mapping[str, str] | None = None,
        led: Mapping[str, set[str]] | None = None,
    ) -> list[str]:
        trees = trees_of({"plugin/impl.py": PLUGIN})
        span = between(trees.repository, old, new)
        impacts = analyse(trees, span, AnalysisCache(tmp_path / "analyses")).impacts
        own = in_memory(after or {"plugin/impl.py": PLUGIN})
        changes = SilentChanges(trees, span, impacts, trees.backend, own)
        found = changes.suspects(Difference(what, name), callers, led or {})
        return [str(each).partition(" ")[2] if each.commit else str(each) for each in found]

    return look


def test_a_method_that_is_called_no_more_leads_to_the_commit_that_took_the_call_out(
    suspects: Suspects,
) -> None:
    assert suspects(What.NEVER_CALLED, "plugin.impl:OurImpl.build", (RUNNER,)) == [
        f"Build nothing: {RUNNER} names build no more"
    ]


def test_a_method_whose_callers_did_not_change_has_no_suspect(suspects: Suspects) -> None:
    assert suspects(What.NEVER_CALLED, "plugin.impl:OurImpl.build", ("engine.base:Impl.other",)) == []


def test_where_no_caller_changed_the_nearest_that_led_to_it_is_suspected(suspects: Suspects) -> None:
    led = {"engine.base:Impl.other": {RUNNER}, RUNNER: {"engine.runner:Runner.warm"}}
    found = suspects(What.NEVER_CALLED, "plugin.impl:OurImpl.far", ("engine.base:Impl.other",), led=led)
    assert found == [f"Build nothing: {RUNNER} changed"]


def test_a_finding_of_the_range_is_named_with_its_verdict_and_once(suspects: Suspects) -> None:
    found = suspects(What.ARGUMENT, "plugin.impl:OurImpl.forward", ("engine.base:Impl.forward",))
    assert len(found) == 1
    assert found[0].startswith(("Scale: breaks ", "Scale: at-risk "))


def test_a_lane_that_differs_itself_is_suspected_first(suspects: Suspects) -> None:
    after = {"plugin/impl.py": PLUGIN.replace("return n\n", "return n + 1\n")}
    assert suspects(What.ARGUMENT, "plugin.impl:OurImpl.build", (), after) == [
        "the lanes' own sources differ in plugin.impl:OurImpl.build"
    ]
    after = {"plugin/impl.py": PLUGIN.partition("    def build")[0]}
    assert suspects(What.NEVER_CALLED, "plugin.impl:OurImpl.build", (), after) == [
        "only the older lane's sources have plugin.impl:OurImpl.build"
    ]


def test_an_operator_leads_to_the_function_that_names_it(suspects: Suspects) -> None:
    found = suspects(What.OPERATOR_GONE, "npu::npu_norm")
    assert len(found) == 1
    assert found[0].startswith(("Scale: breaks ", "Scale: at-risk "))
    assert suspects(What.OPERATOR_GONE, "npu::npu_nor") == []


def test_a_method_without_any_trace_has_no_suspects(suspects: Suspects) -> None:
    assert suspects(What.NEWLY_CALLED, "plugin.impl:OurImpl.gone") == []


def test_the_outermost_functions_are_those_that_nothing_led_to() -> None:
    led = {"a": {"b", "c"}, "b": {"a", "d"}, "e": {"f"}}
    assert outermost(["a"], led) == ("c", "d")
    assert outermost(["x"], led) == ("x",)
