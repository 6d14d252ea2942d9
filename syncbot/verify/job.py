"""A job of simulated checks that can run on any machine: some checks of one lane, and all that they need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from syncbot.atomic import write_file
from syncbot.config import Config
from syncbot.lanes.dependence import Present
from syncbot.lanes.matrix import Lane
from syncbot.upstream.model import Meter, no_meter
from syncbot.verify.configured_checks import simulation
from syncbot.verify.installer import Installer
from syncbot.verify.lane_environment import SimulationSetup, beside_folder, lock_texts
from syncbot.verify.simulate import Beside, Check, Outcome, Subject, remember, simulate_all


@dataclass(frozen=True, slots=True)
class Job:
    """Checks of one lane on one runner; ``sources`` is their digest, ``wheel`` its name and content,
    ``beside`` are those installed beside it, of files with the digest ``made_of``; ``present`` is what the
    checks may depend on. Whoever does the job needs no checkout."""

    config: Config
    distribution: str
    lane: Lane
    sources: str
    wheel: tuple[str, bytes]
    batch: tuple[Check, ...]
    locks: Mapping[str, str]
    beside: tuple[tuple[str, bytes], ...] = ()
    made_of: str | None = None
    read: Mapping[str, str] = field(default_factory=dict)
    told: Mapping[str, str] = field(default_factory=dict)
    present: Present = field(default_factory=Present)

    def __str__(self) -> str:
        return f"{self.lane.tag}: {', '.join(map(str, self.batch))}"


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a job: the digest of the environment that it ran in, an outcome for each check, and the
    text of the environment's lock, if it has one."""

    environment: str
    outcomes: dict[Check, Outcome]
    lock: str | None = None


def jobs(
    config: Config, distribution: str, lane: Lane, subject: Subject, batches: Iterable[tuple[Check, ...]]
) -> list[Job]:
    """One job for each batch of checks of a lane."""
    wheel = (subject.wheel.name, subject.wheel.read_bytes())
    locks = lock_texts(config, lane)
    beside = tuple((each.name, each.read_bytes()) for each in subject.beside.wheels)
    made_of, read, told = subject.beside.digest, subject.read, subject.told
    facts = (locks, beside, made_of, read, told, subject.present)
    return [Job(config, distribution, lane, subject.sources, wheel, batch, *facts) for batch in batches]


def perform(job: Job, cache: Path, meter: Meter = no_meter) -> Done:
    """Do a job here; ``cache`` keeps the environment. Raises EnvironmentFailure if it cannot be made."""
    workshop = _workshop(job, cache, meter)
    environment = workshop.environment(job.distribution, job.lane)
    subject = _subject(job, workshop)
    brought = zip((subject.wheel, *subject.beside.wheels), (job.wheel, *job.beside), strict=True)
    for wheel, (_, content) in brought:
        if not wheel.exists():
            write_file(wheel, content)
    stand = workshop.stand(subject, environment)
    lock = str(environment.lock) if environment.lock is not None else None
    return Done(environment.digest, simulate_all(stand, job.batch), lock)


def remember_all(job: Job, done: Done, cache: Path) -> None:
    """Keep what passed elsewhere as if it had passed on this machine. Raises EnvironmentFailure."""
    workshop = _workshop(job, cache, no_meter)
    subject = _subject(job, workshop)
    for check, outcome in done.outcomes.items():
        if outcome.passed:
            remember(subject, check, outcome, done.environment, workshop.settings, cache)


def _workshop(job: Job, cache: Path, meter: Meter) -> SimulationSetup:
    settings = simulation(job.config)
    installer = Installer.of_this_machine(cache, settings.inherit)
    return SimulationSetup(job.config, settings, installer, cache, meter, job.locks)


def _subject(job: Job, workshop: SimulationSetup) -> Subject:
    wheel = workshop.cache / "lanes" / f"{job.lane.tag}-{job.sources[:16]}" / job.wheel[0]
    folder = beside_folder(workshop.cache, job.made_of)
    beside = Beside(tuple(folder / name for name, _ in job.beside), job.made_of)
    wheels = workshop.wheels(job.lane)
    return Subject(job.lane.tag, wheel, job.sources, wheels, beside, job.read, job.told, job.present)
