"""Prepares the run of a plugin's own tests, and keeps the evidence of a run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from syncbot.atomic import write_file
from syncbot.config import SimulationSettings, SuiteSettings
from syncbot.errors import ConfigurationError
from syncbot.lanes import evidence_files
from syncbot.lanes.dependence import Present
from syncbot.lanes.evidence import Evidence, TestedSuite
from syncbot.lanes.matrix import Lane
from syncbot.suites.report import SuiteReport
from syncbot.verify.lane_environment import SimulationSetup, lock_file
from syncbot.verify.simulate import Subject
from syncbot.verify.suite.outcomes import as_evidence, evidence_name
from syncbot.verify.suite.run import Suite, SuiteRun
from syncbot.verify.suite.tools import tools

#: The name of the check in a matrix.
CHECK = "tests"


def suite_settings(settings: SimulationSettings) -> SuiteSettings:
    """The settings of a plugin's own tests. Raises ConfigurationError where there are none."""
    if settings.tests is None:
        raise ConfigurationError(
            'there is no table "tests": name the folders of the tests in [tool.syncbot.plugin.tests], of an '
            "overlay in [simulate.tests]"
        )
    return settings.tests


def suite_run(
    setup: SimulationSetup,
    subject: Callable[[], Subject],
    distribution: str,
    lane: Lane,
    suite: Suite,
) -> SuiteRun:
    """A suite with all that it needs to be run: its environment, and pytest beside it. The ``subject`` is
    asked for when the environment has its lock, on which what runs depends. Raises ConfigurationError,
    EnvironmentFailure."""
    environment = setup.environment(distribution, lane)
    file = lock_file(setup.config, lane)
    if environment.lock is not None and not file.exists():
        write_file(file, str(environment.lock).encode())
    with tempfile.TemporaryDirectory(prefix="syncbot-project-") as folder:
        # What names requirements stands at the top, or in a folder of that name.
        for path, content in suite.files.items():
            if "/" not in path or path.startswith("requirements/"):
                target = Path(folder, path)
                target.parent.mkdir(exist_ok=True)
                target.write_bytes(content)
        made = tools(Path(folder), suite.settings.requires, environment, setup.installer, setup.cache)
    return SuiteRun(setup.stand(subject(), environment), suite, made)


def suite_evidence(report: SuiteReport, lane: Lane, present: Present, command: str, folder: Path) -> Evidence:
    """The evidence of a report, whose file is written into a folder in the place of the lane's former one."""
    suite = report.suite
    name = evidence_name(lane.tag, suite.digest)
    for former in folder.glob(evidence_name(lane.tag, "?" * 12)):
        if former.name != name:
            former.unlink()
    evidence_files.write_changed(folder / name, as_evidence(lane.tag, suite))
    counted = {str(class_): number for class_, number in report.differences.items()}
    return Evidence(
        status="pass" if report.passed else "fail",
        command=command,
        date=suite.moment,
        digest=present.digest(suite.executed, present.environment),
        details=report.counts,
        simulated_with=lane.simulated_with,
        environment=present.environment,
        executed=suite.executed,
        suite=TestedSuite(
            file=name, counts=suite.counts, differences=counted if report.before is not None else None
        ),
    )
