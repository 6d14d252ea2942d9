"""The faults that checks of the published plugin were given, from its matrix.

``python benchmarks/plugin_faults.py`` prints them. With ``--record`` it writes how many were noticed to
benchmarks/results/published-plugin-faults.yaml.
"""

from __future__ import annotations

import argparse
import datetime
import subprocess
from collections.abc import Iterator
from pathlib import Path

from evidence_page import Figure, record

from syncbot.lanes import plugin_matrix
from syncbot.lanes.evidence import PlantedFault
from syncbot.lanes.plugin_matrix import Release

ROOT = Path(__file__).parents[1]
MATRIX = "overlays/as-published/plugin_matrix.yaml"
_CHECK = "faults-"


def noticed(fault: PlantedFault) -> str:
    """Return the reaction of a run to a fault, in a few words."""
    if not fault.took_effect:
        return "never met"
    return fault.noticed or ("blind" if fault.blind else "**not noticed**")


def rows(release: Release) -> Iterator[str]:
    """The rows of a release's checks, by name."""
    for name, evidence in sorted(release.checks.items()):
        if not name.startswith(_CHECK):
            continue
        case, _, runner = name.removeprefix(_CHECK).rpartition("-")
        for fault, said in (evidence.faults or {}).items():
            yield f"| `{case}` | {runner} | `{fault}` | {said.took_effect} | {noticed(said)} |"
        if not evidence.faults:
            yield f"| `{case}` | {runner} | | | {evidence.details} |"


def blind(release: Release) -> Iterator[str]:
    """A line for each fault that took effect and was not noticed, with the reason, and for each check that
    noticed none."""
    for name, evidence in sorted(release.checks.items()):
        faults = evidence.faults or {}
        check = f"`{name.removeprefix(_CHECK)}`"
        for fault, said in faults.items():
            if said.took_effect and said.noticed is None:
                yield f"- {check} to `{fault}`: {said.blind or 'not explained'}."
        if faults and not any(said.noticed for said in faults.values()):
            yield f"- {check} as a whole: none of its faults makes it fail."


def table() -> str:
    """Return a table of the faults for each release whose checks were given some, newest first."""
    lines: list[str] = []
    for release in plugin_matrix.load(ROOT / MATRIX).releases:
        if found := list(rows(release)):
            lines += [
                f"{release.version}:",
                "",
                "| case | runner | fault | took effect | noticed |",
                "|---|---|---|---|---|",
            ]
            lines += [*found, "", "Blind are:", "", *(list(blind(release)) or ["- none."]), ""]
    return "\n".join(lines or ["No release has such evidence in the matrix.", ""])


def figure() -> Figure:
    """How many of the faults that took effect were noticed. Raises ValueError where no fault was given."""
    releases = plugin_matrix.load(ROOT / MATRIX).releases
    given = [
        (name, fault)
        for release in releases
        for name, evidence in release.checks.items()
        if name.startswith(_CHECK)
        for fault in (evidence.faults or {}).values()
        if fault.took_effect
    ]
    if not given:
        raise ValueError("no release has such evidence: run syncbot verify-plugin --faults")
    days = [
        evidence.date[:10] for release in releases for evidence in release.checks.values() if evidence.date
    ]
    # The last commit that changed what it says, wherever the file was then.
    changing = ["--follow", "--diff-filter=AM", "-1", "--abbrev=8", "--format=%h"]
    head = subprocess.run(
        ["git", "log", *changing, "--", MATRIX],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    noticed = sum(fault.noticed is not None for _, fault in given)
    return Figure(
        what="Faults in checks of the published plugin that took effect and were noticed",
        figure=f"{noticed} of {len(given)}, in {len({name for name, _ in given})} checks",
        date=datetime.date.fromisoformat(max(days)),
        commit=head.stdout.strip(),
        command="syncbot verify-plugin --release 0.30.0rc2 --faults",
    )


def main() -> None:
    """Print the list, and record its sum where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the sum to benchmarks/results")
    given = parser.parse_args()
    print(table())
    if given.record:
        record("published-plugin-faults", [figure()])


if __name__ == "__main__":
    main()
