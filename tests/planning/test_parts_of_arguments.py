"""Parts of an argument that upstream no longer takes are passed where it takes them alone now."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.planning.plan import Plan
from tests.planning.test_plan import migrated, text

OLD = """\
class Budget:
    def __init__(self, config, registry):
        self.model = model = config.model
        self.plan = config.scheduling.plan
        self.registry = registry


def make(config, registry):
    width = config.width
    height = config.plan.height
    return width, height
"""
NEW = """\
class Budget:
    def __init__(self, model, plan, registry):
        self.model = model
        self.plan = plan
        self.registry = registry


def make(width, height, registry):
    return width, height
"""
MINE = "from up.budget import Budget, make\n\n\ndef f(self, config, r):\n    return {}\n"


def done(tmp_path: Path, returned: str, old: str = OLD, new: str = NEW) -> Plan:
    more = ({"up/budget.py": old}, {"up/budget.py": new})
    return migrated(tmp_path, MINE.format(returned), ("helper(x, 2)", "helper(x, 3)"), more=more)


@pytest.mark.parametrize(
    ("call", "after"),
    [
        ("Budget(config, r)", "Budget(config.model, config.scheduling.plan, r)"),
        (
            "Budget(self.config, registry=r)",
            "Budget(registry=r, model=self.config.model, plan=self.config.scheduling.plan)",
        ),
        (
            "Budget(config=config, registry=r)",
            "Budget(registry=r, model=config.model, plan=config.scheduling.plan)",
        ),
        ("make(config, r)", "make(config.width, config.plan.height, r)"),
        ("make(config, registry=r)", "make(registry=r, width=config.width, height=config.plan.height)"),
    ],
)
def test_the_part_is_passed(tmp_path: Path, call: str, after: str) -> None:
    plan = done(tmp_path, call)
    assert f"    return {after}\n" in text(plan)
    assert not plan.unwritten


@pytest.mark.parametrize(
    ("call", "old", "new"),
    [
        pytest.param("make(read(), r)", ("", ""), ("", ""), id="a call that would run twice"),
        pytest.param("make(config, r)", ("width = config.width", "width = config"), ("", ""), id="no part"),
        pytest.param(
            "make(config, r)",
            ("    width = c", "    if registry:\n        width = c"),
            ("", ""),
            id="on one way",
        ),
        pytest.param(
            "make(config, r)", ("width = c", "config = registry\n    width = c"), ("", ""), id="another"
        ),
        pytest.param(
            "make(config, r)",
            ("width = config.width", "width = config.width\n    width = 1"),
            ("", ""),
            id="twice",
        ),
        pytest.param("make(config, r)", ("width =", "breadth ="), ("", ""), id="of another name"),
        pytest.param(
            "Budget(config, r)", ("", ""), ("self.plan = plan", "self.plans = plan"), id="kept elsewhere"
        ),
        pytest.param(
            "Budget(config, r)", ("", ""), ("self.plan = plan", "self.plan = plan[0]"), id="kept otherwise"
        ),
        pytest.param(
            "make(config, r)",
            ("", ""),
            ("make(width, ", "make(config, width, "),
            id="the whole is still taken",
        ),
    ],
)
def test_what_upstream_does_not_show_is_not_passed(
    tmp_path: Path, call: str, old: tuple[str, str], new: tuple[str, str]
) -> None:
    plan = done(tmp_path, call, OLD.replace(*old), NEW.replace(*new))
    assert text(plan) == ""
    assert plan.unwritten
