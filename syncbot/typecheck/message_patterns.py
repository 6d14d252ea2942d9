"""Checkers that are programs: their messages mean what regular expressions say, rule by rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from importlib.resources import files

import msgspec

from syncbot.typecheck.checker_process import version
from syncbot.typecheck.model import Diagnostic, Finding, Problem
from syncbot.typecheck.registry import executable


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The meaning of messages under a rule; groups are fields of a finding, ``name`` is one of ``names``."""

    rule: str
    problem: Problem
    pattern: str


class MessagePatterns:
    """An engine by its messages, of which the first that matches counts; ``checkers`` has them in YAML."""

    name: str

    @cached_property
    def messages(self) -> Sequence[Message]:
        """The messages that are read."""
        text = (files("syncbot.typecheck.checkers") / f"{self.name}.yaml").read_bytes()
        return msgspec.yaml.decode(text, type=tuple[Message, ...])

    def version(self) -> str | None:
        """The installed version, None where it is not installed."""
        program = executable(self.name)
        return (version(program) or None) if program else None

    def knows(self, rule: str) -> bool:
        """Whether messages under a rule are read."""
        return any(known.rule == rule for known in self.messages)

    def read(self, diagnostic: Diagnostic) -> Finding | None:
        """Return the finding that a diagnostic means, None for those that never mean an upstream change."""
        for known in self.messages:
            match = re.search(known.pattern, diagnostic.message) if known.rule == diagnostic.rule else None
            if match is not None:
                found = match.groupdict(default="")
                names = re.findall(r"`([^`]+)`", found.get("names", "")) or filter(None, [found.get("name")])
                return Finding(
                    diagnostic, self.name, known.problem, found.get("owner", ""), tuple(names),
                    found.get("ours", ""), found.get("theirs", ""), bool(found.get("partly")),
                )  # fmt: skip
        return None
