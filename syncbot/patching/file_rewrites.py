"""One rule on one file: its result, which is Python wherever the file was, and which a cache may keep."""

from __future__ import annotations

import hashlib
import json
import sys
import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from syncbot.api.cache import package_digest
from syncbot.errors import EnvironmentFailure
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import Rule
from syncbot.patching.source import Source
from syncbot.sealed_values import keep, recall


@dataclass(frozen=True, slots=True)
class FileRewrites:
    """Applies rules to files. With a ``cache``, a rule that has met a text before is not asked again."""

    cache: Path | None = None

    def rewritten(self, rule: Rule, source: Source, forward: bool) -> str:
        """Return the text that a rule makes of a file. Raises NoMatch, CannotRewrite."""
        decided = rule.decided_by() if self.cache is not None else None
        if self.cache is None or decided is None:
            return _rewritten(rule, source, forward)
        facts = [decided, str(forward), source.path, source.text, _code()]
        name = hashlib.sha256("\0".join(facts).encode("utf-8", "surrogatepass")).hexdigest()[:40]
        file = self.cache / "rewrites" / name[:2] / name
        known = recall(self.cache, file)
        if known is not None:
            return _read(json.loads(known), source.text)
        try:
            text = _rewritten(rule, source, forward)
        except NoMatch as error:
            self._keep(file, {"no match": str(error)})
            raise
        self._keep(file, _difference(source.text, text))
        return text

    def _keep(self, file: Path, result: dict[str, str | int]) -> None:
        assert self.cache is not None
        # A cache that cannot be written is no error.
        with suppress(EnvironmentFailure):
            keep(self.cache, file, json.dumps(result).encode())


def _rewritten(rule: Rule, source: Source, forward: bool) -> str:
    text = rule.forward(source) if forward else rule.backward(source)
    mistake = _mistake(text) if text != source.text else None
    if mistake is not None and _mistake(source.text) is None:
        raise CannotRewrite(f"{source.path} would no longer be Python: {mistake}")
    return text


def _difference(before: str, after: str) -> dict[str, str | int]:
    """The part of a text that is not as it was, and how much stays around it."""
    start = _alike(before, after)
    rest = _alike(before[start:][::-1], after[start:][::-1])
    return {"start": start, "rest": rest, "text": after[start : len(after) - rest]}


def _alike(one: str, other: str) -> int:
    """How many characters at the start are the same."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (x, y) in enumerate(pairs) if x != y), min(len(one), len(other)))


def _read(result: dict[str, str | int], before: str) -> str:
    match result:
        case {"start": int(start), "rest": int(rest), "text": str(text)}:
            return before[:start] + text + before[len(before) - rest :]
    raise NoMatch(str(result["no match"]))


def _mistake(text: str) -> str | None:
    """Why a text is not valid Python; None where it is."""
    with warnings.catch_warnings():
        # Sources may hold what Python warns of: that is no matter of a rewrite.
        warnings.simplefilter("ignore")
        try:
            compile(text.lstrip("\ufeff"), "<source>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            return str(error)
    return None


@cache
def _code() -> str:
    """A digest of all code that decides what a rule makes of a text."""
    own = package_digest("patching/**/*.py", "contracts/changes.py", "contracts/sources.py")
    return f"{own} {version('libcst')} {sys.version}"
