"""Contracts of one backend, looked for by two processes from both ends of its files. The other process says
which file it begins with, then what the file holds; this one waits for a file that the other is at."""

from __future__ import annotations

import select
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from syncbot.api.cache import TableCache
from syncbot.api.model import ModuleTable, UsageTable
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.contracts.configured_facts import Knowledge
from syncbot.contracts.discovery import FileFinder, Found
from syncbot.contracts.sources import Backend, SourceFile
from syncbot.impact.caching.contract_codec import Packed, pack, unpack
from syncbot.impact.caching.worker_process import WorkerProcess
from syncbot.impact.trees import Trees
from syncbot.impact.word_caches import WordCaches
from syncbot.upstream.git_repository import GitRepository

# So many bytes of sources are worth a process, if it has to be started for them.
_WORTH = 400_000
# The other process takes files of so many bytes at once.
_AT_ONCE = 40_000
_LENGTH = struct.Struct(">I")


class Answer(msgspec.Struct):
    """A message from the other process: it begins with files, or it has finished them and sends theirs."""

    paths: list[str]
    found: Packed | None = None


class Inputs(msgspec.Struct):
    """All that contracts depend on; ``files`` have path, module, blob, and whether each is a test."""

    commit: str
    packages: tuple[str, ...]
    knowledge: Knowledge
    root: str
    files: list[tuple[str, str, str, bool]]

    def backend(self) -> Backend:
        """The backend, read again. Raises ValueError where it is another one by now, or OSError."""
        root = Path(self.root)
        files = tuple(
            SourceFile(p, module, (root / p).read_bytes(), test) for p, module, _, test in self.files
        )
        if any(file.blob != blob for file, (_, _, blob, _) in zip(files, self.files, strict=True)):
            raise ValueError("the backend has changed")
        return Backend(root, files)


class ParallelDiscovery:
    """The contracts that another process finds, from the backend's last file on, with ``old`` as upstream."""

    def __init__(self, old: ModuleTree, process: WorkerProcess) -> None:
        self._old, self._process = old, process
        self._asked, self._concerned = False, False
        self._listener: threading.Thread | None = None
        self._changed = threading.Condition()
        self._at: set[str] = set()
        self._found: dict[str, Found] = {}
        self._over = False

    def begin(self, universe: Universe, files: Sequence[SourceFile]) -> None:
        """See :class:`syncbot.contracts.discovery.DiscoveryHelp`."""
        self._concerned = universe.trees[0] is self._old and universe.relocate is None
        worth = self._process.started or sum(len(file.text) for file in files) >= _WORTH
        if self._asked or not worth or not self._concerned:
            return
        output = self._process.start()
        if output is not None:
            self._asked = True
            self._listener = threading.Thread(target=self._listen, args=(output,), daemon=True)
            self._listener.start()
            self._process.tell(msgspec.json.encode([file.path for file in files]))

    def found(self, path: str) -> Found | None:
        """See :class:`syncbot.contracts.discovery.DiscoveryHelp`."""
        if not self._asked or not self._concerned:
            return None
        with self._changed:
            self._changed.wait_for(lambda: self._over or path not in self._at)
            return self._found.get(path)

    def finish(self) -> None:
        """See :class:`syncbot.contracts.discovery.DiscoveryHelp`."""
        if self._asked:
            self._process.finish()

    def close(self) -> None:
        """End the process, wherever it is."""
        self._process.end(self._listener)

    def _listen(self, output: IO[bytes]) -> None:
        try:
            for answer in _answers(output):
                found = unpack(answer.found) if answer.found is not None else {}
                with self._changed:
                    if answer.found is None:
                        self._at.update(answer.paths)
                    else:
                        self._found.update(found)
                        self._at.difference_update(answer.paths)
                    self._changed.notify_all()
        finally:
            with self._changed:
                self._over = True
                self._changed.notify_all()


def _answers(output: IO[bytes]) -> Iterator[Answer]:
    """Yield the messages that arrive, up to the end or to one that cannot be decoded."""
    decode = msgspec.msgpack.Decoder(Answer).decode
    with suppress(OSError, ValueError, msgspec.MsgspecError, LookupError):
        while len(head := output.read(_LENGTH.size)) == _LENGTH.size:
            yield decode(output.read(*_LENGTH.unpack(head)))


def find_contracts(
    inputs: Inputs,
    repository: GitRepository,
    caches: tuple[TableCache[ModuleTable], TableCache[UsageTable]],
    words: WordCaches,
    pipes: tuple[IO[bytes], IO[bytes]],
) -> None:
    """In the other process: wait for paths, and find the contracts of these files, the last first."""
    asked, told = pipes
    wanted = asked.readline()
    if not wanted:
        return
    backend = inputs.backend().knowing(words.said)
    trees = Trees(repository, inputs.packages, backend, *caches, inputs.knowledge, words=words)
    universe = trees.universe(trees.tree(inputs.commit))
    finder = FileFinder(backend, universe, inputs.packages, inputs.knowledge, trees.own_names())
    files = {file.path: file for file in backend.files}
    for some in _portions([files[path] for path in reversed(msgspec.json.decode(wanted, type=list[str]))]):
        if select.select([asked], [], [], 0)[0]:
            return
        paths = [file.path for file in some]
        _tell(told, Answer(paths))
        found: dict[str, Found] = {}
        for file in some:
            # Who finds it nested too deeply is the one who says so.
            with suppress(RecursionError):
                found[file.path] = finder.found(file)
        for cache in caches:
            cache.flush()
        _tell(told, Answer(paths, pack(found)))


def _portions(files: Sequence[SourceFile]) -> Iterator[list[SourceFile]]:
    some: list[SourceFile] = []
    for file in files:
        some.append(file)
        if sum(len(each.text) for each in some) >= _AT_ONCE:
            yield some
            some = []
    if some:
        yield some


def _tell(told: IO[bytes], message: Answer) -> None:
    encoded = msgspec.msgpack.encode(message)
    told.write(_LENGTH.pack(len(encoded)) + encoded)
    told.flush()
