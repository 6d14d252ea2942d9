"""The faults that checks of the published plugin were given, from its matrix, in the page of its evidence.

``python benchmarks/plugin_faults.py --write docs/evidence/published-plugin.md``
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from syncbot.lanes import plugin_matrix
from syncbot.lanes.evidence import PlantedFault
from syncbot.lanes.plugin_matrix import Release

ROOT = Path(__file__).parents[1]
_LIST = re.compile(r"(?<=<!-- faults: begin -->\n).*(?=<!-- faults: end -->)", re.DOTALL)
_CHECK = "faults-"


def noticed(fault: PlantedFault) -> str:
    """What a run made of a fault, in a few words."""
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
    """What is known of each release whose checks were given faults, newest first."""
    lines: list[str] = []
    for release in plugin_matrix.load(ROOT / "plugin_matrix.yaml").releases:
        if found := list(rows(release)):
            lines += [
                f"{release.version}:",
                "",
                "| case | runner | fault | took effect | noticed |",
                "|---|---|---|---|---|",
            ]
            lines += [*found, "", "Blind are:", "", *(list(blind(release)) or ["- none."]), ""]
    return "\n".join(lines or ["No release has such evidence in the matrix.", ""])


def main() -> None:
    """Write the list into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, required=True, help="the page")
    page = parser.parse_args().write
    page.write_text(_LIST.sub(lambda _: table(), page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
