"""Upstream gave the backend a name that it has to import."""

from __future__ import annotations

from pydantic import Field

from syncbot.patching.argument_types import Dotted, Name
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.import_block import ImportBlock, Imported, body_of, import_block, tree_of
from syncbot.patching.registry import Mirror, rule
from syncbot.patching.source import Source
from syncbot.patching.statement_rules import StatementRule


@rule(
    "import_added",
    mirror=Mirror(
        "import_removed",
        reason="Upstream no longer has, or no longer asks for, a name that the backend imports.",
        does="Stop importing a name; backward imports it, at its place in isort's order.",
    ),
)
class ImportAdded(StatementRule):
    """Import a name at its place in isort's order, whatever else is imported; backward takes it out."""

    symbol: Dotted = Field(
        description="what is imported: 'pkg.module.Thing' from its module, 'pkg' alone as a module",
        examples=["pkg.module.Thing"],
    )
    alias: Name | None = Field(default=None, description="the name that it is used by, if another one")
    type_checking: bool = Field(default=False, description="under 'if TYPE_CHECKING:'")

    def forward(self, source: Source) -> str:
        """Import it."""
        text = self._block(source.text, source.path).added(self._imported)
        return _with_line_ends_of(source.text, text)

    def backward(self, source: Source) -> str:
        """Import it no longer."""
        text = self._block(source.text, source.path).removed(self._imported)
        if self._block(text, source.path).added(self._imported) != source.text.replace("\r\n", "\n"):
            raise CannotRewrite(
                f"{source.path}: {self._imported.line} is not where isort has it; sort the imports"
            )
        return _with_line_ends_of(source.text, text)

    @property
    def _imported(self) -> Imported:
        module, _, name = self.symbol.rpartition(".")
        return Imported(module, name, self.alias)

    def _block(self, text: str, path: str) -> ImportBlock:
        text = text.replace("\r\n", "\n")
        within = () if self.within is None else self.within.split(".")
        body = body_of(tree_of(text, path), within, self.type_checking)
        if body is None:
            what = "'if TYPE_CHECKING:'" if self.type_checking else f"definition of {self.within}"
            raise NoMatch(f"{path}: no {what}")
        return import_block(text, path, body)


def _with_line_ends_of(old: str, new: str) -> str:
    return new.replace("\n", "\r\n") if "\r\n" in old else new
