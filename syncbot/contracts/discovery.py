"""All contracts of a backend with one upstream tree."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence

from syncbot.api.extract import parse
from syncbot.api.names import defined_names
from syncbot.api.universe import Universe
from syncbot.contracts.context import Context
from syncbot.contracts.guards import other_version
from syncbot.contracts.inference import Inference, Scope
from syncbot.contracts.knowledge import NOTHING, Knowledge
from syncbot.contracts.model import Contract
from syncbot.contracts.registry import finders
from syncbot.contracts.replaced import calls_of_own, stand_ins
from syncbot.contracts.shadowing import StandIn
from syncbot.contracts.sources import Backend, SourceFile
from syncbot.contracts.walk import walk


def discover(
    backend: Backend,
    universe: Universe,
    upstream: Sequence[str],
    knowledge: Knowledge = NOTHING,
    problems: MutableMapping[str, str] | None = None,
    replaced: dict[str, StandIn] | None = None,
) -> list[Contract]:
    """The contracts of every file of the backend, in the order of files and lines.

    ``knowledge`` is what the configuration says of the upstream. Code that runs on one other named
    upstream version only is no contract, nor is a call of a function that the backend replaces by its own.
    A file that is nested too deeply to be walked gives none, and its path with the reason to ``problems``;
    ``replaced`` gets the upstream names that the backend assigns onto.
    """
    own_names = frozenset[str]().union(*(defined_names(file.text) for file in backend.files))
    inference = Inference(universe, own_names)
    found: list[Contract] = []
    for file in backend.files:
        try:
            contracts = _in_file(file, universe, inference, upstream, knowledge)
        except RecursionError as error:
            if problems is not None:
                problems[file.path] = f"RecursionError: {error}"
            continue
        found.extend(c for c in contracts if not other_version(c.place.guards))
    assigned = stand_ins(found, upstream)
    own = calls_of_own(found, assigned, universe)
    if replaced is not None:
        replaced.update(assigned)
    return [c for c in found if c not in own] if own else found


def _in_file(
    file: SourceFile,
    universe: Universe,
    inference: Inference,
    upstream: Sequence[str],
    knowledge: Knowledge,
) -> list[Contract]:
    try:
        tree = parse(file.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    context = Context(
        file=file,
        universe=universe,
        upstream=tuple(upstream),
        inference=inference,
        scope=Scope(file.module),
        knowledge=knowledge,
    )
    return walk(tree, context, finders())
