"""All that is to be told of an upgrade beside its impacts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from syncbot.impact.model import Impact, Verdict
from syncbot.impact.trees import Trees
from syncbot.upgrade.authors import Authors
from syncbot.upgrade.dependencies import dependencies
from syncbot.upgrade.model import Notice, Upgrade
from syncbot.upgrade.registry import drafts
from syncbot.upgrade.used_names import used_names
from syncbot.upstream.commit_range import Span
from syncbot.upstream.model import Meter, no_meter, step

# What comes first of a topic: what is known best, then what is met most.
_ORDER = ("returns", "default", "caller", "left-open", "body", "parameter", "field", "method")


def upgrade(
    trees: Trees, span: Span, impacts: Iterable[Impact], ours: Path, meter: Meter = no_meter
) -> Upgrade:
    """Return what a range means for the names that a project in the folder ``ours`` uses; what impacts tell
    is not told again. Raises EnvironmentFailure."""
    if not span.commits:
        return Upgrade()
    with step(meter, "comparing what the project uses"):
        pair = trees.comparison(span.old, span.new)
        tests = {file.path for file in trees.backend.files if file.is_test}
        used = used_names(trees.contracts(pair.old, span.new), pair, tests)
        told = set(_told(impacts))
        authors = Authors(trees, span)
        notices: dict[tuple[str, str, str], Notice] = {}
        for name in used:
            for draft in drafts(name, pair):
                notice = draft.notice
                key = (notice.what, notice.symbol, notice.subject)
                if _identity(notice.symbol, notice.subject) in told:
                    continue
                known = notices.get(key)
                if known is None:
                    notices[key] = replace(notice, commits=authors.of(draft))
                else:
                    places = tuple(sorted({*known.places, *notice.places}))
                    ways = tuple(dict.fromkeys((*known.ways, *notice.ways)))
                    notices[key] = replace(known, places=places, ways=ways)
        names = tuple(sorted((name.name, name.likeness) for name in used))
        # What returns something else has another body by that alone.
        other = {notice.symbol for notice in notices.values() if notice.what == "returns"}
        kept = (n for n in notices.values() if n.what != "body" or n.symbol not in other)
        found = tuple(sorted(kept, key=_rank))
    return Upgrade(notices=found, dependencies=dependencies(trees.repository, span, ours), names=names)


def _told(impacts: Iterable[Impact]) -> Iterator[str]:
    """Yield the identities that impacts report: each subject, and its symbol, whose body needs no notice."""
    for impact in impacts:
        if impact.verdict is not Verdict.NONE:
            yield _identity(impact.symbol, impact.details.subject or "")
            yield _identity(impact.symbol, "")


def _identity(symbol: str, subject: str) -> str:
    """Return the identity of a changed definition: ``__init__`` and ``__new__`` count as their class."""
    name = symbol.removesuffix(".__init__").removesuffix(".__new__")
    return name if not subject or name.rpartition(".")[2] == subject else f"{name}.{subject}"


def _rank(notice: Notice) -> tuple[int, bool, str, str]:
    private = notice.subject.startswith("_") and not notice.subject.endswith("__")
    return _ORDER.index(notice.what), private, notice.symbol, notice.subject
