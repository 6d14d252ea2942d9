"""From which verdict on a report counts as failed."""

from __future__ import annotations

from collections.abc import Mapping

from syncbot.contracts.model import Verdict

#: The verdicts that fail a check or a commit, by the name of the mildest of them.
FAILING: Mapping[str, frozenset[str]] = {
    "breaks": frozenset({Verdict.BREAKS}),
    "at-risk": frozenset({Verdict.BREAKS, Verdict.AT_RISK, Verdict.DRIFT}),
    "never": frozenset(),
}
