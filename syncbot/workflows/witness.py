"""Shows the breaks: imports upstream on both sides of a range, with a witness for each impact."""

from __future__ import annotations

from collections.abc import Sequence

from syncbot.config import Config
from syncbot.impact.analysis import Analysis
from syncbot.impact.model import Impact, Verdict
from syncbot.impact.trees import Trees
from syncbot.lanes.matrix import Matrix
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.model import Meter
from syncbot.upstream.opening import Upstream


def witnessed(
    config: Config,
    matrix: Matrix | None,
    followed: Upstream,
    trees: Trees,
    found: Analysis,
    named: str,
    meter: Meter,
) -> Sequence[Impact]:
    """The impacts, those that break with what running their witnesses showed; those whose ids begin as
    ``named`` if that is not empty. Raises ConfigurationError,
    UsageError, EnvironmentFailure."""
    from syncbot.witness.interpreters import interpreter
    from syncbot.witness.testimonies import Side, shown_on, with_testimonies

    asked = [i for i in found.impacts if (i.id.startswith(named) if named else i.verdict is Verdict.BREAKS)]
    if not asked:
        return found.impacts
    old, new = (
        Side(
            commit,
            interpreter(config, matrix, followed.repository, commit, cache_dir(), meter),
            config.witness.prepare,
        )
        for commit in (found.span.old, found.span.new)
    )
    return with_testimonies(found.impacts, shown_on(trees, (old, new), asked, cache_dir(), meter))
