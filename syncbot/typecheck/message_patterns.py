"""Checkers that are programs: their messages mean what regular expressions say, rule by rule."""

from __future__ import annotations

import re
from collections.abc import Sequence

from syncbot.typecheck.checker_process import version
from syncbot.typecheck.model import Diagnostic, Finding, Problem
from syncbot.typecheck.registry import executable


class MessagePatterns:
    """An engine by its messages: rows of rule, problem and pattern, of which the first that matches counts.
    The groups are fields of a finding, ``name`` one of ``names``."""

    name: str
    messages: Sequence[tuple[str, Problem, str]]

    def version(self) -> str | None:
        """The installed version, None where it is not installed."""
        program = executable(self.name)
        return (version(program) or None) if program else None

    def knows(self, rule: str) -> bool:
        """Whether messages under a rule are read."""
        return any(known == rule for known, _, _ in self.messages)

    def read(self, diagnostic: Diagnostic) -> Finding | None:
        """What a diagnostic means, None for those that never mean an upstream change."""
        for rule, problem, pattern in self.messages:
            if rule == diagnostic.rule and (match := re.search(pattern, diagnostic.message)) is not None:
                found = match.groupdict(default="")
                names = re.findall(r"`([^`]+)`", found.get("names", "")) or filter(None, [found.get("name")])
                return Finding(
                    diagnostic, self.name, problem, found.get("owner", ""), tuple(names),
                    found.get("ours", ""), found.get("theirs", ""), bool(found.get("partly")),
                )  # fmt: skip
        return None
