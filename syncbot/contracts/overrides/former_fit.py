"""Whether an override fitted what it overrides before upstream changed anything."""

from __future__ import annotations

from syncbot.api.signatures import Arguments, Signature, bind
from syncbot.contracts.grounds import Ground, Verdict
from syncbot.contracts.model import Finding


def never_fitted(ours: Signature, old: Signature) -> bool:
    """Whether no call that upstream's own signature allows could have bound to ours: it has other callers."""
    places = sum(p.required for p in old.positional)
    keywords = tuple(p.name for p in old.parameters if p.kind == "key" and p.required)
    unfit = [problem.kind for problem in bind(ours, Arguments(places, keywords))]
    return "too-many" in unfit or "unexpected" in unfit


def as_before(finding: Finding) -> Finding:
    """A finding that is no more than a risk, since the override did not fit before either."""
    if finding.verdict is not Verdict.BREAKS:
        return finding
    return finding.doubted(Ground.DOUBTED, "; but this override did not fit before either")
