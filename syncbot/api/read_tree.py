"""A tree that tells from which of its modules an answer came."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from syncbot.api.blobs_with_text import Mentions
from syncbot.api.tree import BlobValues, ModuleTree, Tables, modules_of

T = TypeVar("T")


class ReadTree(ModuleTree):
    """A tree that notices which modules are read or searched, from :meth:`begin` until it is asked."""

    def __init__(
        self,
        files: Mapping[str, str],
        packages: Sequence[str],
        tables: Tables,
        read: Callable[[str], bytes],
        roots: Mapping[str, str] | None = None,
        mentions: Mentions | None = None,
    ) -> None:
        super().__init__(files, packages, tables, read, roots, mentions)
        self._read_modules: set[str] = set()
        self._looks: set[str] = set()
        self._searched = self._notices = False

    def begin(self) -> None:
        """Begin anew to notice what is read."""
        self._read_modules.clear()
        self._looks.clear()
        self._searched, self._notices = False, True

    def read_modules(self) -> Collection[str] | None:
        """The modules that were read, by name, table, text or search; None where that may be all of them."""
        self._notices = False
        looked_at = modules_of(self._looks)
        if self._searched or any(module.endswith(".*") for module in looked_at):
            return None
        return self._read_modules | (looked_at & self.modules.keys())

    def derived(self, module: str, values: BlobValues[T]) -> T | None:
        """See :meth:`ModuleTree.derived`."""
        self._read_modules.add(module)
        return super().derived(module, values)

    def source(self, module: str) -> bytes | None:
        """See :meth:`ModuleTree.source`."""
        self._read_modules.add(module)
        return super().source(module)

    def blob(self, module: str) -> str | None:
        """See :meth:`ModuleTree.blob`."""
        self._read_modules.add(module)
        return super().blob(module)

    def mentioning(self, modules: Iterable[str], *texts: str) -> list[str]:
        """See :meth:`ModuleTree.mentioning`."""
        if modules is self.modules:
            self._searched = True
        else:
            modules = list(modules)
            self._read_modules.update(modules)
        return super().mentioning(modules, *texts)

    def note(self, looks: Iterable[str]) -> None:
        """See :meth:`ModuleTree.note`."""
        if self._notices:
            looks = looks if isinstance(looks, frozenset | set) else tuple(looks)
            self._looks.update(looks)
        super().note(looks)
