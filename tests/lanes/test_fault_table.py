"""The table of the plugin's faults says which were noticed, and lists what a case is blind to."""

from __future__ import annotations

import sys
from pathlib import Path

from syncbot.lanes.evidence import Evidence, PlantedFault
from syncbot.lanes.plugin_matrix import Release

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import plugin_faults


def evidence(**faults: PlantedFault) -> Evidence:
    return Evidence(
        status="pass", command="c", date="d", digest="e", details="refused", faults=faults or None
    )


def test_blind_cases_are_listed_with_their_reason() -> None:
    checks = {
        "simulate-plain-v1": evidence(),
        "faults-plain-v1": evidence(
            slot=PlantedFault(took_effect=3, noticed="other tokens"), sum=PlantedFault(took_effect=0)
        ),
        "faults-some_case-v2": evidence(
            scale=PlantedFault(took_effect=2, blind="it rounds"), seed=PlantedFault(took_effect=1)
        ),
        "faults-refused-v1": evidence(),
    }
    release = Release(tag="v1.0", wheel="1.0", python=">=3.11", upstream="1.5", checks=checks)
    assert list(plugin_faults.rows(release)) == [
        "| `plain` | v1 | `slot` | 3 | other tokens |",
        "| `plain` | v1 | `sum` | 0 | never met |",
        "| `refused` | v1 | | | refused |",
        "| `some_case` | v2 | `scale` | 2 | blind |",
        "| `some_case` | v2 | `seed` | 1 | **not noticed** |",
    ]
    assert list(plugin_faults.blind(release)) == [
        "- `some_case-v2` to `scale`: it rounds.",
        "- `some_case-v2` to `seed`: not explained.",
        "- `some_case-v2` as a whole: none of its faults makes it fail.",
    ]
