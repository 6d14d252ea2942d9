"""Caches facts about texts for judges that look for a word: a range needs them for nearly all files."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from syncbot.api import blobs_with_text, bounded_source
from syncbot.api import names as _names
from syncbot.api import options as _options
from syncbot.api.blobs_with_text import KnownMentions, Mentions
from syncbot.api.cache import TableCache, source_digest
from syncbot.api.names import NameIndex, defined_names
from syncbot.api.options import Options, options
from syncbot.contracts import file_names as _file_names
from syncbot.contracts.configured_facts import NOTHING, Knowledge
from syncbot.contracts.file_names import FileNames, file_names
from syncbot.contracts.operators import schema_files
from syncbot.contracts.sources import Backend
from syncbot.errors import EnvironmentFailure
from syncbot.limits import Limits
from syncbot.sealed_values import keep, recall

_DEFAULTS = Limits()
# So many files of mentions stay: each upstream has one.
_MOST = 8


def names_cache(folder: Path | None, limits: Limits = _DEFAULTS) -> TableCache[frozenset[str]]:
    """The cache of the names that a text defines; the index of names keeps in memory what is asked for."""
    return TableCache(folder, "names", source_digest(_names) + limits.key, defined_names, frozenset[str], 1)


@dataclass(frozen=True, slots=True)
class WordCaches:
    """The names and the options that a text defines, the names that one of the backend's says, and which
    texts mention a word; ``index`` has the defined names that were asked for in memory."""

    names: TableCache[frozenset[str]]
    index: NameIndex
    options: TableCache[Options]
    said: TableCache[FileNames]
    mentions: Mentions
    _file: Path | None

    @classmethod
    def kept(
        cls,
        folder: Path | None,
        limits: Limits = _DEFAULTS,
        knowledge: Knowledge = NOTHING,
        upstream: str = "",
    ) -> WordCaches:
        """Those that are kept in a folder, mentions for each ``upstream``; without one, in memory alone."""
        asked = source_digest(blobs_with_text, bounded_source, schema_files), limits.key, knowledge.schemas
        name = hashlib.sha256(repr((*asked, upstream)).encode()).hexdigest()[:32]
        file = folder / "mentions" / f"{name}.msgpack" if folder is not None else None
        kept_names = names_cache(folder, limits)
        return cls(
            kept_names,
            NameIndex(kept_names),
            TableCache(folder, "options", source_digest(_options) + limits.key, options, Options),
            TableCache(folder, "said", source_digest(_file_names), file_names, FileNames),
            Mentions(_recalled(file) if file is not None else None),
            file,
        )

    def defined_in(self, backend: Backend) -> frozenset[str]:
        """The names that a backend defines anywhere."""
        files = backend.files
        return frozenset[str]().union(*(self.index.get(f.blob, {f.blob: f.text}.__getitem__) for f in files))

    def close(self) -> None:
        """Write what is new, and close the files. What cannot be written is no error."""
        self.names.close()
        self.options.close()
        self.said.close()
        known = self.mentions.known() if self._file is not None else None
        if self._file is None or known is None:
            return
        with suppress(EnvironmentFailure, OSError):
            keep(self._file.parents[2], self._file, msgspec.msgpack.encode(known))
            old = sorted(self._file.parent.glob("*.msgpack"), key=lambda file: -file.stat().st_mtime)[_MOST:]
            for file in old:
                file.unlink(missing_ok=True)


def _recalled(file: Path) -> KnownMentions | None:
    known = recall(file.parents[2], file)
    try:
        return msgspec.msgpack.decode(known, type=KnownMentions) if known is not None else None
    except msgspec.MsgspecError:
        return None
