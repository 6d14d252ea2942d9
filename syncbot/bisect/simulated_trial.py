"""The simulated check of a lane as the command of a search."""

from __future__ import annotations

import shlex
from pathlib import Path

from syncbot.bisect.trial import Command
from syncbot.lanes.generate import Generated
from syncbot.lanes.matrix import Lane
from syncbot.verify.lane_environment import SimulationSetup
from syncbot.verify.simulate import checks


def simulated_command(
    workshop: SimulationSetup, distribution: str, lane: Lane, made: Generated, work: Path
) -> Command:
    """All simulated checks of a lane, until one fails, on each commit's tree. ``work`` is an empty folder.
    Raises EnvironmentFailure, ConfigurationError."""
    settings = workshop.settings
    environment = workshop.environment(distribution, lane)
    subject = workshop.subject(lane, made)
    site, temporary = work / "site", work / "tmp"
    temporary.mkdir()
    wheels = (subject.wheel, *subject.beside.wheels)
    workshop.installer.install_aside(environment.python, wheels, site, work / "install.log")
    lines = []
    for check in checks(settings):
        line = [str(environment.python), "-m", settings.check, "--case", check.case]
        line += ["--runner", check.runner, "--output", str(work / f"{check.name}.json")]
        lines.append(shlex.join(line))
    return Command(
        identity=(lane.tag, made.digest, subject.beside.digest or "", environment.digest),
        words=("sh", "-c", " && ".join(lines)),
        setup=None,
        environment=workshop.stand(subject, environment).variables(site, temporary),
        folder=work,
        timeout=settings.timeout * len(lines),
        apart=True,
    )
