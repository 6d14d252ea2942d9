"""Pages about a lane of somebody else's package, for its users and for the maintainers of the package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from syncbot.lanes.debt import Debt, Entry
from syncbot.lanes.evidence import TestedSuite
from syncbot.lanes.matrix import Lane
from syncbot.overlay.series import Change
from syncbot.patching.model import Patch

PAGES = ("INSTALL.md", "MAINTAINERS.md", "PULL_REQUEST.md")

_CASE = "simulate-"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneFacts:
    """The facts for the pages. ``patches`` are those of the lane, ``waiting`` those that nobody wrote."""

    package: str
    distribution: str
    version: str
    upstream: str
    baseline: str
    lane: Lane
    patches: Sequence[Patch]
    waiting: Sequence[Patch]
    debt: Debt
    checks: Mapping[str, str]
    series: Sequence[str]
    changes: Sequence[Change]
    sdist: str | None
    wheel: str

    @property
    def tests(self) -> TestedSuite | None:
        """The outcome of the package's own tests; None unless they ran on the lane as it is."""
        known = self.lane.checks.get("tests")
        return known.suite if known is not None and self.checks["tests"] != "stale" else None

    def cases(self, status: str) -> list[str]:
        """The simulated runs that a status is known of."""
        return [name for name, known in self.checks.items() if name.startswith(_CASE) and known == status]

    @property
    def own_debt(self) -> list[Entry]:
        """The findings that the package has even on the upstream that it was made for."""
        return [entry for entry in self.debt.findings if self.baseline in entry.definitions]

    @property
    def accepted(self) -> list[Entry]:
        """The findings that were accepted for the lane's upstream, and are no debt of the package."""
        version = str(self.lane.version)
        return [
            e for e in self.debt.findings if version in e.definitions and self.baseline not in e.definitions
        ]


def pages(facts: LaneFacts) -> dict[str, str]:
    """Return the pages by the names of their files."""
    environment = Environment(
        loader=PackageLoader("syncbot.overlay"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["line"] = lambda text: " ".join(str(text).split()).replace("|", "\\|")
    return {name: environment.get_template(name).render(facts=facts) for name in PAGES}


def notice(facts: LaneFacts) -> str:
    """Return the notice of a changed distribution: what was changed, and by what."""
    made_for = f"{facts.upstream} {facts.lane.version}"
    lines = [
        f"{facts.distribution} {facts.lane.wheel} is {facts.package}, changed for {made_for}.",
        "Its authors did not make these changes and do not support them. Its licence is unchanged.",
        "",
        "Changed:",
        *(f"- {patch.id}: {' '.join(patch.reason.split())}" for patch in facts.patches),
    ]
    return "\n".join([*lines, ""])
