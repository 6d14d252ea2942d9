"""Reads commit messages: the types of change that they name, and whether they announce a break."""

from __future__ import annotations

import re
from dataclasses import dataclass

from syncbot.upstream.model import Commit

FEATURE, MODEL, BUG_FIX, PERFORMANCE = "feature", "model support", "bug fix", "performance"
REFACTOR, ARCHITECTURE, SECURITY, DEPENDENCY = "refactor", "architecture", "security", "dependency"
CONFIGURATION, TEST, CI, DOCUMENTATION = "configuration", "test", "CI", "documentation"
TYPES = (
    *(ARCHITECTURE, FEATURE, MODEL, BUG_FIX, PERFORMANCE, SECURITY),
    *(REFACTOR, DEPENDENCY, CONFIGURATION, TEST, CI, DOCUMENTATION),
)

_TAG = re.compile(r"\s*\[([^\]\n]{1,60})\]\s*:?")
# Conventional Commits: `feat(scope)!: subject`
_CONVENTIONAL = re.compile(r"\s*([a-z]{2,12})(?:\([^)\n]{0,60}\))?(!?):\s", re.IGNORECASE)
_BREAKING = re.compile(r"^BREAKING[ -]CHANGE:", re.MULTILINE)

_TAG_TYPES = {
    **dict.fromkeys(("bugfix", "bug fix", "bug", "fix", "hotfix", "revert"), BUG_FIX),
    **dict.fromkeys(("feature", "feat", "new feature"), FEATURE),
    **dict.fromkeys(("perf", "performance", "optimization", "optimize"), PERFORMANCE),
    **dict.fromkeys(("refactor", "cleanup", "clean up"), REFACTOR),
    **dict.fromkeys(("ci", "ci build"), CI),
    **dict.fromkeys(("test", "tests"), TEST),
    **dict.fromkeys(("doc", "docs", "documentation"), DOCUMENTATION),
    **dict.fromkeys(("model", "new model"), MODEL),
    **dict.fromkeys(("security",), SECURITY),
    **dict.fromkeys(("deps", "dependencies", "dependency"), DEPENDENCY),
    **dict.fromkeys(("config", "configuration"), CONFIGURATION),
}
_FIRST_WORDS = {
    **dict.fromkeys(("fix", "fixes", "fixed", "revert", "correct"), BUG_FIX),
    **dict.fromkeys(("add", "adds", "support", "enable", "implement", "introduce", "allow"), FEATURE),
    **dict.fromkeys(("optimize", "accelerate", "speed"), PERFORMANCE),
    **dict.fromkeys(("refactor", "move", "rename", "simplify", "unify", "consolidate", "migrate"), REFACTOR),
    **dict.fromkeys(("remove", "delete", "drop", "deprecate", "clean", "split"), REFACTOR),
    **dict.fromkeys(("bump", "upgrade", "pin", "unpin"), DEPENDENCY),
}
_SECURITY = re.compile(r"\b(CVE-\d{4}-\d+|GHSA(-\w{4}){3}|vulnerabilit(y|ies)|security)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Message:
    """The content of a commit message: the change types it names, and whether it announces a break."""

    types: frozenset[str]
    breaking: bool

    @classmethod
    def of(cls, commit: Commit) -> Message:
        """Return the content of a commit's message."""
        tags: list[str] = []
        rest = commit.subject
        while found := _TAG.match(rest):
            tags += re.split(r"[/,&]", found[1])
            rest = rest[found.end() :]
        conventional = _CONVENTIONAL.match(rest)
        if conventional:
            tags.append(conventional[1])
            rest = rest[conventional.end() :]
        names = {re.sub(r"[\s_-]+", " ", tag).strip().lower() for tag in tags}
        types = {_TAG_TYPES[name] for name in names if name in _TAG_TYPES}
        types |= {DOCUMENTATION for name in names if name.startswith("doc")}
        types |= {REFACTOR for name in names if name.endswith(" refactor")}
        first = re.match(r"\W*(\w+)", rest)
        if first and not types - {CI, TEST} and first[1].lower() in _FIRST_WORDS:
            types.add(_FIRST_WORDS[first[1].lower()])
        if _SECURITY.search(commit.subject):
            types.add(SECURITY)
        breaking = bool(conventional and conventional[2]) or bool(_BREAKING.search(commit.body))
        return cls(frozenset(types), breaking or bool({"breaking", "breaking change"} & names))
