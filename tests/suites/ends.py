"""A small plugin and its upstream at both ends, and the groups of differences that rules are asked about."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from syncbot.api.extract import extract
from syncbot.api.model import ModuleTable
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.suites.classes import Classed, Decisions, classed
from syncbot.suites.differences import Difference, Group, grouped
from syncbot.suites.lane_sources import LaneSources
from syncbot.verify.suite.outcomes import Asked, Cause, Frame

NODE = "tests/test_it.py::test_it"


class _Tables:
    def get(self, blob: str, read: Callable[[str], bytes]) -> ModuleTable:
        return extract(read(blob))


def sources(texts: Mapping[str, str], tests: Mapping[str, str]) -> LaneSources:
    """One end: modules of ``up`` and of ``plugin`` by name, and files of tests."""
    trees = []
    for package in ("up", "plugin"):
        own = {name: text for name, text in texts.items() if name.partition(".")[0] == package}
        modules = {package: (f"{package}/__init__.py", "")}
        modules |= {name: (f"{name.replace('.', '/')}.py", text) for name, text in own.items()}
        trees.append(ModuleTree.of_modules(modules, _Tables(), str.encode))
    files = {file: text.encode() for file, text in tests.items()}
    files |= {
        f"{name.replace('.', '/')}.py": text.encode()
        for name, text in texts.items()
        if name.startswith("plugin")
    }
    return LaneSources(files, ("plugin",), ("up",), Universe(trees, follow=(trees[1],)))


@dataclass(frozen=True)
class Ends:
    """The release, the lane, and what tests stand in both."""

    release: Mapping[str, str]
    lane: Mapping[str, str]
    tests: Mapping[str, str]

    def frame(self, file: str, expression: str = "", function: str = "go") -> Frame:
        """A frame in a file of the lane or of a test, that was computing an expression of it."""
        text = self.tests.get(file) or self.lane[file.removesuffix(".py").replace("/", ".")]
        if not expression:
            return Frame(file, 1, function)
        node = next(
            n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.expr) and ast.unparse(n) == expression
        )
        place = (node.end_lineno or 0, node.col_offset, node.end_col_offset or 0)
        return Frame(file, node.lineno, function, "", place)

    def classed(self, *causes: Cause, decisions: Decisions | None = None) -> list[Classed]:
        """The classes of differences that have these causes, one each."""
        found = [
            Difference(f"{NODE}[{number}]" if number else NODE, "fail", cause)
            for number, cause in enumerate(causes)
        ]
        groups: list[Group] = grouped(found, {"up", "plugin"}, ("tests",))
        ends = (sources(self.release, self.tests), sources(self.lane, self.tests))
        return classed(groups, decisions or Decisions(), *ends, ("tests",))

    def told(self, kind: str, message: str, *frames: Frame, asked: Asked | None = None) -> Classed:
        """The class of one difference."""
        (found,) = self.classed(Cause(kind, message, (self.frame("tests/test_it.py"), *frames), "", asked))
        return found
