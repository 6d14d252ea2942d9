"""The findings behind impacts: with the contracts that reports leave out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.model import Finding
from syncbot.impact.analysis import impact_id
from syncbot.impact.contract_findings import judged
from syncbot.impact.model import Impact
from syncbot.impact.runs import Evidenced
from syncbot.impact.trees import Trees
from syncbot.witness.model import NotWitnessable, Program
from syncbot.witness.registry import program_of


def programs(
    trees: Trees, old: str, new: str, impacts: Sequence[Impact]
) -> Iterator[tuple[Impact, Program | str]]:
    """Each impact with its witness, or with the reason why it has none. The contracts in its files are
    judged anew between the ends of the range: that of a class tells of its methods' lines."""
    pair = trees.comparison(old, new)
    files = {place.file for impact in impacts for place in impact.locations}
    contracts = [c for c in trees.contracts(pair.old, new) if c.place.location.file in files]
    found = judged(contracts, pair)
    for impact in impacts:
        yield impact, _program([f for f in found if _is_of(f, impact)], impact, pair)


def _is_of(finding: Finding, impact: Impact) -> bool:
    named = impact_id(impact.commit, finding.kind, finding.symbol, finding.meaning, impact.tests_only)
    return named == impact.id and finding.contract.place.location in impact.locations


def _program(findings: Sequence[Finding], impact: Impact, pair: Comparison) -> Program | str:
    why = "the change is another one between the ends of the range"
    if "contracts" not in impact.engines:
        ran = impact.evidence is Evidenced.RAN
        why = "only a run shows it" if ran else "only a type checker sees it"
    elif impact.kind is ChangeKind.BRANCH_UNMET:
        why = "upstream lacked it before as well: what changed is that the line runs"
    for finding in sorted(findings, key=lambda f: f.contract.place.location):
        try:
            return program_of(finding, pair)
        except NotWitnessable as reason:
            why = str(reason)
    return why
