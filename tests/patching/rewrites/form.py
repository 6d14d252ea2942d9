"""The form of cases of rewrites: Markdown, in which headings are cases.

A block ``yaml`` is the rewrite as a patch file has it, for its section and those below. ``diff`` shows a text before
and after, ``diff forward`` one that cannot be gone back from; ``py`` is a text that stays as it is, in both directions
or in the one that is named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import yaml

from syncbot.errors import SyncbotError
from syncbot.patching.model import Rewrite
from syncbot.patching.registry import Rule
from tests.sections import Block, FormError, joined, leaves, marked

from .cases import both_ways, forward_only, never, unchanged

_SHOWN: dict[tuple[str, tuple[str, ...]], Callable[..., None]] = {
    ("diff", ()): both_ways,
    ("diff", ("forward",)): forward_only,
    ("py", ()): never,
    ("py", ("forward",)): partial(unchanged, forward=True),
    ("py", ("backward",)): partial(unchanged, forward=False),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A rewrite, and the block that shows it."""

    rule: Rule | None = None
    block: Block | None = None

    def texts(self) -> list[str]:
        """Return the text before and the one after; only one where it stays as it is. Raises FormError."""
        assert self.block is not None
        if self.block.language == "py":
            return [self.block.text]
        return [joined(marked(self.block, self.block.lines, sign)) for sign in "-+"]

    def check(self) -> None:
        """Fail where the rewrite does not do what the block shows."""
        assert self.block is not None
        _SHOWN[self.block.language, self.block.words](self.rule, *self.texts())


def checks(text: str) -> list[tuple[str, int, Callable[[], None]]]:
    """Return the title, the line and the check of each case of a document. Raises FormError."""
    found = []
    for leaf in leaves(text, Case(), _with):
        if leaf.value.rule is None or leaf.value.block is None:
            raise FormError(
                leaf.line, f"{leaf.title!r} needs a rewrite (```yaml) and a text (```diff or ```py)"
            )
        leaf.value.texts()
        found.append((leaf.title, leaf.line, leaf.value.check))
    return found


def _with(case: Case, block: Block) -> Case:
    if block.language == "yaml":
        try:
            return replace(case, rule=Rewrite.model_validate(yaml.safe_load(block.text)).build())
        except (yaml.YAMLError, ValueError, SyncbotError) as error:
            raise FormError(block.start, f"that is no rewrite: {error}") from error
    if (block.language, block.words) not in _SHOWN:
        shown = ", ".join(f"```{' '.join((language, *words))}" for language, words in _SHOWN)
        raise FormError(block.start - 1, f"a block begins as one of ```yaml, {shown}")
    if case.block is not None:
        raise FormError(block.start - 1, "a second text: give it a heading of its own")
    return replace(case, block=block)
