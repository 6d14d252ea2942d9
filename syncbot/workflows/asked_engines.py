"""The engines that a check asks beside the contract engine, and how the work of each ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from syncbot.config import Config
from syncbot.contracts.sources import Backend
from syncbot.errors import UsageError
from syncbot.impact.model import Ended, EngineState, Impact
from syncbot.typecheck.model import TypecheckResult
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import Span
from syncbot.upstream.model import Meter, step
from syncbot.upstream.opening import Upstream


def states(engines: Sequence[str], checked: TypecheckResult) -> tuple[EngineState, ...]:
    """How the work of each asked engine ended; what was never begun, since nothing came in, lacks nothing."""
    known = {engine.name: engine for engine in checked.engines}
    return tuple(known.get(name, EngineState(name, Ended.FINISHED)) for name in engines)


def prover(
    config: Config, upstream: Upstream, span: Span, engines: Sequence[str], checked: TypecheckResult
) -> Callable[[Backend], Sequence[Impact]] | None:
    """The asked type checkers that finished their work, as judges of rewrites; None without any."""
    ended = states(engines, checked)
    names = [e.name for e in ended if e.name != "contracts" and e.state is Ended.FINISHED]
    if not names:
        return None
    from syncbot.planning.type_checker_proof import type_checker

    return type_checker(config, upstream, span, cache_dir(), names)


def type_checked(
    config: Config,
    upstream: Upstream,
    backend: Backend,
    span: Span,
    engines: Sequence[str],
    meter: Meter,
) -> TypecheckResult:
    """Return the findings of the type checkers; nothing if none is wanted. Raises UsageError for one that is
    not installed."""
    wanted = [engine for engine in engines if engine != "contracts"]
    if not wanted or not span.commits:
        return TypecheckResult(())
    from syncbot.typecheck.checked_range import run

    with step(meter, "type checkers"):
        result = run(
            backend,
            upstream.repository,
            span,
            cache_dir(),
            config.root / config.environment if config.environment else None,
            wanted,
            packages=upstream.packages,
        )
    for engine in result.engines:
        if engine.state is Ended.NOT_INSTALLED:
            raise UsageError(engine.reason)
    return result
