"""A project's own test of the upstream's version: how it is written, and which expressions are one."""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from syncbot.api.every_node import every_node
from syncbot.contracts.conditions.guards import VersionTests
from syncbot.errors import ConfigurationError, UsageError

_VERSION = "{version}"


@dataclass(frozen=True, slots=True)
class Gate:
    """``expression``, with ``{version}``, is true on one upstream version; ``line`` is its import."""

    expression: str
    line: str | None = None

    def __post_init__(self) -> None:
        if _VERSION not in self.expression:
            raise ConfigurationError(f"gate = {self.expression!r} has to hold {_VERSION}")
        try:
            ast.parse(self.of("1.0.0"), mode="eval")
        except SyntaxError as error:
            raise ConfigurationError(f"gate = {self.expression!r} is no expression: {error.msg}") from error
        if self.line is not None and self.module is None:
            raise ConfigurationError(f"gate_import = {self.line!r} has to read 'from MODULE import NAME'")

    def of(self, version: str) -> str:
        """The expression for one version."""
        return self.expression.replace(_VERSION, version)

    def normal(self, version: str) -> str:
        """The same as syntax has it, to be compared with. Raises UsageError where it is none."""
        try:
            return ast.unparse(ast.parse(self.of(version), mode="eval"))
        except SyntaxError as error:
            raise UsageError(f"{version!r} is not a version as gates have it, such as 0.31.0") from error

    def answer(self, text: str, version: Version) -> bool | None:
        """Return the value of an expression, as syntax has it, on a version; None where it is no gate."""
        return VersionTests(self.expression, version).own(text)

    @property
    def name(self) -> str:
        """The first name of the expression: what has to be imported."""
        return next(n.id for n in every_node(ast.parse(self.of("1.0"))) if isinstance(n, ast.Name))

    @property
    def module(self) -> str | None:
        """The module that the import line imports from."""
        try:
            body = ast.parse(self.line or "").body
        except SyntaxError:
            return None
        first = body[0] if len(body) == 1 else None
        return first.module if isinstance(first, ast.ImportFrom) and not first.level else None


def version_of(text: str) -> str:
    """The version that stands in a gate, as written. Raises UsageError for none, or one with a leading v."""
    with suppress(InvalidVersion):
        Version(text)
        if re.fullmatch(r"[0-9]\S*", text):
            return text
    raise UsageError(f"{text!r} is not a version as gates have it, such as 0.31.0")


def gate_of(expression: str | None, line: str | None) -> Gate:
    """The gate of these settings. Raises UsageError where there is none."""
    if expression is None:
        raise UsageError(
            "no test of the version is known: set gate in [tool.syncbot], such as "
            "gate = 'upstream_is(\"{version}\")', or pass --gate"
        )
    return Gate(expression, line)
