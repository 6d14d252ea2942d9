"""Two versions of an upstream package ``engine`` and a backend ``plugin``: texts by path, findings out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping

from syncbot.contracts.configured_facts import NOTHING, Knowledge
from syncbot.contracts.discovery import discover
from syncbot.contracts.model import Finding, Verdict
from syncbot.contracts.registry import judge_of
from syncbot.contracts.sources import in_memory
from tests.contracts.world import comparison

Texts = Mapping[str, str]
PACKAGES = ("engine",)


def compare(old: Texts, new: Texts, backend: Texts, knowledge: Knowledge = NOTHING) -> list[Finding]:
    """Return the findings on the backend when ``new`` replaces the tree ``old``, but for harmless ones."""
    own = in_memory(backend)
    pair = comparison(old, new, own, PACKAGES)
    found: list[Finding] = []
    for contract in discover(own, pair.old, PACKAGES, knowledge):
        judge = judge_of(contract)
        if judge is not None:
            found.extend(f for f in judge(contract, pair) if f.verdict is not Verdict.NONE)
    return found


def told(old: str, new: str, plugin: str, knowledge: Knowledge = NOTHING) -> list[str]:
    """The findings where ``engine/core.py`` alone changes and ``plugin/use.py`` alone relies on it."""
    return rows(compare(engine(old), engine(new), {"plugin/use.py": text(plugin)}, knowledge))


def rows(found: Iterable[Finding]) -> list[str]:
    """Findings as ``kind symbol verdict line``, sorted, each once; symbols without the package's name."""
    return sorted(
        {
            f"{f.kind} {f.symbol.removeprefix('engine.')} {f.verdict} {f.contract.place.location.line}"
            for f in found
        }
    )


def engine(core: str, **more: str) -> dict[str, str]:
    """An upstream tree of ``engine/core.py`` and further modules by name."""
    modules = {"__init__": "", "core": core, **more}
    return {f"engine/{name}.py": text(body) for name, body in modules.items()}


def text(source: str) -> str:
    """A source as it is written in a test, without its indentation and first line break."""
    return textwrap.dedent(source).lstrip("\n")
