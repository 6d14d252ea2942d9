"""Finds the breaks of a lane's sources (the baseline's, patched) by its upstream, and the rewrites that mend
them. It compares the lane's upstream with that of the lane beside it, towards the baseline, whose sources
these are too: between neighbours less has changed, and more of it is plain."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from packaging.version import Version

from syncbot.api.every_node import every_node
from syncbot.api.model import Parameter
from syncbot.api.signatures import Signature
from syncbot.api.syntax import parse
from syncbot.config import Config
from syncbot.contracts.changes import ArgumentDetails, ChangeKind, ParameterDetails, ParameterKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.discovery import discover
from syncbot.contracts.kinds.overrides import OverrideContract
from syncbot.contracts.overrides.upstream_members import upstream_member
from syncbot.contracts.registry import audit_of
from syncbot.contracts.source_files import read_backend
from syncbot.contracts.sources import Backend
from syncbot.impact.analysis import compared, impact_id
from syncbot.impact.first_commit import first_commit_where
from syncbot.impact.model import Impact, Location, Verdict
from syncbot.impact.session import opened
from syncbot.impact.trees import Trees
from syncbot.impact.upstream_hunk import difference
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.patching.proposals import propose
from syncbot.patching.registry import Rule
from syncbot.planning.answer_registry import answer
from syncbot.planning.backend_states import BackendState
from syncbot.planning.model import Answer
from syncbot.planning.plan import Rewritten, plan
from syncbot.planning.planning_context import PlanningContext, last_signature
from syncbot.planning.way_back import leads_back, turned
from syncbot.upstream.opening import Upstream

#: What is told of an upstream already: a symbol, and the first version with its change.
Told: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LaneFinding:
    """One thing that a lane lacks. ``rules`` are forward to the newer side, none where an author is needed;
    ``notes`` say why, or what they leave open. ``first_version`` is the first lane of the newer side. The
    impact shows the symbol from older to newer, and the commit where the history is known."""

    impact: Impact
    rules: tuple[Rule, ...]
    first_version: Version
    notes: tuple[str, ...] = ()


def findings(
    config: Config,
    upstream: Upstream,
    matrix: Matrix,
    beside: Lane,
    lane: Lane,
    sources: Path,
    cache: Path,
    commit: str | None = None,
    told: Collection[Told] = (),
) -> list[LaneFinding]:
    """Return the breaks of the lane's sources in a folder that the lane ``beside`` it, nearer to the
    baseline, does not have; worst first. ``commit`` is the lane's upstream where no tag names it; changes in
    ``told`` are not traced. Raises UsageError where upstream lacks the version, EnvironmentFailure."""
    if lane.version == beside.version:
        return []
    backend = read_backend(sources, config.sources, config.tests, config.limits.values)
    with opened(config, upstream, backend, cache) as trees:
        walk = _Walk(trees, backend, matrix, beside, lane, commit)
        found = walk.findings()
        # Commits of releases are made here: they say nothing of the upstream's own.
        known = upstream.kind == "git"
        return [
            each if (each.impact.symbol, str(each.first_version)) in told else walk.traced(each, known)
            for each in found
        ]


class _Walk:
    """Looks at the lanes from one to another that is farther from the baseline."""

    def __init__(
        self, trees: Trees, backend: Backend, matrix: Matrix, beside: Lane, lane: Lane, commit: str | None
    ) -> None:
        self._trees = trees
        self._backend = backend
        self._baseline = matrix.baseline_lane
        self._beside = beside
        self._older = lane.version < beside.version
        low, high = sorted((lane.version, beside.version))
        self._between = sorted((x for x in matrix if low < x.version < high), key=lambda x: x.version)
        self._lane = lane
        self._named = commit
        self._known: dict[str, list[Impact]] = {}
        self._pairs: dict[tuple[str, str], list[Impact]] = {}
        self._upstreamwise: set[str] = set()
        self._texts = {file.path: file.text.decode("utf-8", "replace") for file in backend.files}
        self._ends = (self._commit(beside), self._commit(lane))

    def _impacts(self, end: str) -> list[Impact]:
        """Return the impacts of going from the other lane's upstream to a commit, without harmless ones."""
        if end not in self._known:
            start = self._ends[0]
            found = self._compared(start, end)
            if self._older:
                extra = list(_followed(self._trees, self._backend, start, end))
                self._upstreamwise.update(i.id for i in extra)
                answered = {(i.symbol, i.details.subject) for i in extra}
                found = [
                    i for i in found
                    if not isinstance(i.details, ParameterDetails)
                    or (i.symbol, i.details.parameter) not in answered
                ] + extra  # fmt: skip
            self._known[end] = [i for i in found if self._matters(i)]
        return self._known[end]

    def findings(self) -> list[LaneFinding]:
        """Return the lane's findings, each with the rules that mend it, turned in upstream's direction."""
        impacts = self._impacts(self._ends[1])
        more = [LaneFinding(i, (), self._beside.version) for i in self._seen_from_baseline]
        walked = [i for i in impacts if i.id not in self._upstreamwise]
        done = plan(self._trees, *self._ends, walked) if walked else None
        mended = {m.impact.id: m for m in done.rewritten} if done is not None else {}
        left = {u.impact.id: u.why for u in done.unwritten} if done is not None else {}
        found = [self._finding(impact, mended.get(impact.id), left.get(impact.id)) for impact in impacts]
        checked = self._checked({p for each in found if not each.rules for p in each.impact.locations})
        return [each for each in found if each.rules or checked & {*each.impact.locations}] + more

    @cached_property
    def _seen_from_baseline(self) -> list[Impact]:
        """The breaks that the lane's static check, which begins at the baseline, finds at other places than
        the way from the other lane does, and that the other lane's check does not find."""
        if self._beside.version == self._baseline.version:
            return []
        seen = {place for impact in self._impacts(self._ends[1]) for place in impact.locations}
        found = [i for i in self._broken(self._lane) if not seen & {*i.locations}]
        there = {i.id for i in self._broken(self._beside)} if found else frozenset[str]()
        return [impact for impact in found if impact.id not in there]

    @cached_property
    def _concerned(self) -> Set[str]:
        """The files in which the ends show something."""
        shown = (*self._impacts(self._ends[1]), *self._seen_from_baseline)
        return {place.file for impact in shown for place in impact.locations}

    def _compared(self, start: str, end: str) -> list[Impact]:
        """The impacts of going from one commit to another, without those on tests alone. Of upstreams between
        both ends nothing is asked but whether they show what these do."""
        if (start, end) not in self._pairs:
            found = compared(self._trees, start, end, None if end in self._ends else self._concerned)
            self._pairs[start, end] = [i for i in found if not i.tests_only]
        return self._pairs[start, end]

    def _broken(self, lane: Lane) -> list[Impact]:
        found = self._compared(self._commit(self._baseline), self._commit(lane))
        return [i for i in found if i.verdict is Verdict.BREAKS]

    def _checked(self, asked: Set[Location]) -> Set[Location]:
        """Those of some places at which the lane's static check finds something. What stands there for
        versions in between alone, and is nothing to this one, needs no author."""
        places = {p for impact in self._broken(self._lane) for p in impact.locations} if asked else set()
        if left := asked - places:
            trees = BackendState(self._trees, *self._ends, {}).walking({place.file for place in left})
            universe = trees.universe(trees.tree(self._ends[1]))
            for contract in trees.contracts(universe):
                audit = audit_of(contract) if contract.place.location in left else None
                if audit is not None and any(audit(contract, universe)):
                    places.add(contract.place.location)
        return places

    def _finding(self, impact: Impact, planned: Rewritten | None, why: str | None) -> LaneFinding:
        version = self._turn(impact)[1].version
        known = propose(_with_value(self._backend, impact))
        # What the planner has looked at and refused, no rule of its own makes right: an override that only
        # takes what its base and its own callers have to get is no answer.
        refused = why is not None and impact.contract == "override"
        rules: tuple[Rule, ...] = () if known is None or refused else (known,)
        if impact.id in self._upstreamwise:
            return LaneFinding(impact, rules, version)
        notes: tuple[str, ...] = ()
        taken = self._taken(impact, known) if planned is None and why is None else None
        if taken is not None:
            rules, notes = taken.rules, taken.notes
        # A rule that names what is called follows it into lines that are not written yet.
        if planned is not None and planned.rules and not (rules and impact.contract == "call"):
            if leads_back(planned.rules, self._texts):
                rules, notes = planned.rules, planned.notes
            elif not rules:
                why = "the rewrites that mend it do not lead back"
        if not rules:
            return LaneFinding(impact, (), version, (why,) if why else ())
        return LaneFinding(impact, turned(rules) if self._older else rules, version, notes)

    def _taken(self, impact: Impact, known: Rule | None) -> Answer | None:
        """Return how an override takes a parameter that breaks nothing, which a plan leaves out: if it calls
        its base, it passes the parameter on; else the notes say that it drops it. Else None."""
        if self._older or known is None or known.name != "override_parameter_added":
            return None
        reply = answer(impact, self._context)
        if not isinstance(reply, Answer) or reply.needs or not leads_back(reply.rules, self._texts):
            return None
        return reply

    @cached_property
    def _context(self) -> PlanningContext:
        return PlanningContext(self._trees, *self._ends)

    def traced(self, finding: LaneFinding, history: bool) -> LaneFinding:
        """The finding with the diff of its symbol and, where upstream's ``history`` is known, the commit."""
        impact = finding.impact
        old, new = self._ends[::-1] if self._older else self._ends
        hunk = difference(self._trees, impact.symbol, old, new, impact.details.names)
        impact = replace(impact, upstream_hunk=hunk)
        if history:
            before, after = map(self._commit, self._turn(impact))
            commit = first_commit_where(
                self._trees, impact.symbol, before, after, lambda sha: self._shown_at(sha, impact)
            )
            if commit is not None:
                impact = replace(impact, commit=commit.sha, pr=commit.pr)
        return replace(finding, impact=impact)

    def _matters(self, impact: Impact) -> bool:
        return impact.verdict is Verdict.BREAKS or (
            impact.verdict is not Verdict.DRIFT and propose(impact) is not None
        )

    def _turn(self, impact: Impact) -> tuple[Lane, Lane]:
        """The last lane on the older side of the change and the first on the newer side."""
        # From there down, the last lane that does not show the finding has the change.
        between = reversed(self._between) if self._older else self._between
        last = self._beside
        for lane in between:
            if self._shown_at(self._commit(lane), impact):
                return (lane, last) if self._older else (last, lane)
            last = lane
        return (self._lane, last) if self._older else (last, self._lane)

    def _shown_at(self, sha: str, impact: Impact) -> bool:
        return any(other.id == impact.id for other in self._impacts(sha))

    def _commit(self, lane: Lane) -> str:
        named = self._named is not None and lane == self._lane
        return self._trees.repository.resolve(str(self._named if named else lane.version))


def _with_value(backend: Backend, impact: Impact) -> Impact:
    """The impact with what all calls pass for an argument: what one side leaves out, the other passes."""
    details = impact.details
    lost = impact.kind is ChangeKind.PARAMETER_REMOVED and impact.contract == "call"
    if not lost or not isinstance(details, ArgumentDetails):
        return impact
    value = _passed(backend, impact, details.argument)
    return replace(impact, details=ArgumentDetails(argument=details.argument, value=value))


def _passed(backend: Backend, impact: Impact, argument: str) -> str | None:
    texts = {file.path: file.text for file in backend.files}
    passed: set[str | None] = set()
    for place in impact.locations:
        here = [
            node
            for node in every_node(parse(texts[place.file]))
            if isinstance(node, ast.Call) and (node.lineno, node.col_offset) == (place.line, place.column - 1)
        ]
        words = [k for node in here for k in node.keywords if k.arg == argument]
        passed.add(ast.unparse(words[0].value) if len(words) == 1 else None)
    return passed.pop() if len(passed) == 1 else None


def _followed(trees: Trees, backend: Backend, newer: str, older: str) -> Iterator[Impact]:
    """Parameters that overrides take because upstream added them after the older version. With a default they
    break nothing there, but that version does not call for them. Told as upstream went."""
    pair = trees.comparison(newer, older)
    tests = {file.path for file in backend.files if file.is_test}
    places: dict[tuple[str, str], list[tuple[OverrideContract, Parameter, Signature]]] = {}
    for contract in discover(backend, pair.old, trees.packages):
        if not isinstance(contract, OverrideContract) or contract.place.location.file in tests:
            continue
        known = _signatures(contract, pair)
        if known is None:
            continue
        symbol, ours, new, old = known
        for parameter in new.parameters:
            if parameter.kind in ("*", "**") or ours.get(parameter.name) is None:
                continue
            if old.get(parameter.name) is None and not _renamed(old, new, parameter):
                places.setdefault((symbol, parameter.name), []).append((contract, parameter, new))
    for (symbol, name), found in sorted(places.items()):
        yield _gained(symbol, name, found)


def _signatures(
    contract: OverrideContract, pair: Comparison
) -> tuple[str, Signature, Signature, Signature] | None:
    """An override's upstream symbol, and its signatures: ours, upstream's newer one and its older one."""
    now, then = pair.old.resolve(contract.receiver), pair.new.resolve(contract.receiver)
    if now is None or then is None:
        return None
    mine = pair.old.member(now, contract.name)
    after = upstream_member(now, contract.name, pair.old, contract.upstream)
    before = upstream_member(then, contract.name, pair.new, contract.upstream)
    if mine is None or after is None or before is None:
        return None
    if not (mine.functions and after.functions and before.functions):
        return None
    ours, new, old = (last_signature(member.functions, True) for member in (mine, after, before))
    return after.symbol, ours, new, old


def _renamed(old: Signature, new: Signature, parameter: Parameter) -> bool:
    """Whether another name stood in the parameter's place: a rename, which the analysis tells."""
    if parameter not in new.positional or len(old.positional) != len(new.positional):
        return False
    previous = old.positional[new.positional.index(parameter)]
    return new.get(previous.name) is None


def _gained(symbol: str, name: str, found: Sequence[tuple[OverrideContract, Parameter, Signature]]) -> Impact:
    _, parameter, signature = found[0]
    names = [p.name for p in signature.parameters]
    before = names[: names.index(name)]
    base, _, method = symbol.rpartition(".")
    places = {contract.place.location for contract, _, _ in found}
    return Impact(
        id=impact_id("", ChangeKind.PARAMETER_ADDED, symbol, name, False),
        commit="",
        pr=None,
        symbol=symbol,
        kind=ChangeKind.PARAMETER_ADDED,
        verdict=Verdict.NONE if parameter.default is not None else Verdict.BREAKS,
        locations=tuple(sorted(Location(p.file, p.line, p.column) for p in places)),
        message=f"{symbol}() gained {name}, which overrides take",
        details=ParameterDetails(
            parameter=name,
            method=method,
            base=base,
            default=parameter.default,
            kind=ParameterKind(parameter.kind),
            after=before[-1] if before else None,
        ),
        contract="override",
        classes=tuple(sorted({contract.receiver for contract, _, _ in found})),
    )
