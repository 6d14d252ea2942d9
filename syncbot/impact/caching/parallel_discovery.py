"""Contracts of one backend looked for by two processes, from both ends of its files.

Each file's contracts depend on the file, the rest of the backend and the upstream tree alone, so that it
does not matter who finds them. The other process says which files it begins with, and then what they hold;
who comes to a file that the other one is at waits for it.
"""

from __future__ import annotations

import select
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from syncbot.api.cache import TableCache
from syncbot.api.model import ModuleTable, UsageTable
from syncbot.api.universe import Universe
from syncbot.contracts.configured_facts import Knowledge
from syncbot.contracts.discovery import FileFinder, Found
from syncbot.contracts.sources import Backend, SourceFile
from syncbot.impact.caching.contract_codec import Packed, pack, unpack
from syncbot.impact.trees import Trees
from syncbot.upstream.git_repository import GitRepository

# So many bytes of sources are worth a process, if it has to be started for them.
_WORTH = 400_000
# The other process takes files of so many bytes at once.
_AT_ONCE = 40_000
_LENGTH = struct.Struct(">I")


class Told(msgspec.Struct):
    """What the other process says: it begins with files, or it is done with them and these are theirs."""

    paths: list[str]
    found: Packed | None = None


class World(msgspec.Struct):
    """All that contracts depend on: ``files`` are path, module, blob and whether it is a test."""

    commit: str
    packages: tuple[str, ...]
    knowledge: Knowledge
    root: str
    files: list[tuple[str, str, str, bool]]

    @classmethod
    def of(cls, trees: Trees, commit: str) -> World:
        """The one in which the contracts of these trees with one commit hold."""
        files = [(f.path, f.module, f.blob, f.is_test) for f in trees.backend.files]
        return cls(commit, trees.packages, trees.knowledge, str(trees.backend.root.absolute()), files)

    def backend(self) -> Backend:
        """The backend, read again. Raises ValueError where it is another one by now, or OSError."""
        root = Path(self.root)
        files = tuple(
            SourceFile(p, module, (root / p).read_bytes(), test) for p, module, _, test in self.files
        )
        if any(file.blob != blob for file, (_, _, blob, _) in zip(files, self.files, strict=True)):
            raise ValueError("the backend has changed")
        return Backend(root, files)


class OtherEnd:
    """What another process that is told which files to look through finds in them.

    ``start`` starts it if need be and gives its input and output, or nothing where there can be none.
    """

    def __init__(
        self, trees: Trees, commit: str, start: Callable[[], tuple[IO[bytes], IO[bytes]] | None]
    ) -> None:
        self._trees, self._commit, self._start = trees, commit, start
        self.running = False
        self._input: IO[bytes] | None = None
        self._listener: threading.Thread | None = None
        self._changed = threading.Condition()
        self._at: set[str] = set()
        self._found: dict[str, Found] = {}
        self._over = False

    def begin(self, universe: Universe, files: Sequence[SourceFile]) -> None:
        """See :class:`syncbot.contracts.discovery.Beside`."""
        worth = self.running or sum(len(file.text) for file in files) >= _WORTH
        if not worth or self._input is not None or universe.trees[0] is not self._trees.tree(self._commit):
            return
        pipes = self._start()
        if pipes is None:
            return
        self._input, output = pipes
        self._listener = threading.Thread(target=self._listen, args=(output,), daemon=True)
        self._listener.start()
        try:
            self._input.write(msgspec.json.encode([file.path for file in files]) + b"\n")
            self._input.flush()
        except OSError:
            self._over = True

    def found(self, path: str) -> Found | None:
        """See :class:`syncbot.contracts.discovery.Beside`."""
        if self._input is None:
            return None
        with self._changed:
            self._changed.wait_for(lambda: self._over or path not in self._at)
            return self._found.get(path)

    def end(self) -> None:
        """See :class:`syncbot.contracts.discovery.Beside`."""
        if self._input is not None:
            with suppress(OSError):
                self._input.close()

    def close(self) -> None:
        """Forget the process, which has been ended."""
        if self._listener is not None:
            self._listener.join()

    def _listen(self, output: IO[bytes]) -> None:
        try:
            for told in _messages(output):
                found = unpack(told.found) if told.found is not None else {}
                with self._changed:
                    if told.found is None:
                        self._at.update(told.paths)
                    else:
                        self._found.update(found)
                        self._at.difference_update(told.paths)
                    self._changed.notify_all()
        finally:
            with self._changed:
                self._over = True
                self._changed.notify_all()


def _messages(output: IO[bytes]) -> Iterator[Told]:
    """What comes, up to the end or to what is no message."""
    decode = msgspec.msgpack.Decoder(Told).decode
    with suppress(OSError, ValueError, msgspec.MsgspecError, LookupError):
        while len(head := output.read(_LENGTH.size)) == _LENGTH.size:
            yield decode(output.read(*_LENGTH.unpack(head)))


def look_through(
    world: World,
    repository: GitRepository,
    caches: tuple[TableCache[ModuleTable], TableCache[UsageTable]],
    pipes: tuple[IO[bytes], IO[bytes]],
) -> None:
    """What the other process does: wait for paths, and find the contracts of these files, the last first,
    until all are done or nobody wants more."""
    asked, told = pipes
    wanted = asked.readline()
    if not wanted:
        return
    backend = world.backend()
    trees = Trees(repository, world.packages, backend, *caches, world.knowledge)
    finder = FileFinder(backend, trees.universe(trees.tree(world.commit)), world.packages, world.knowledge)
    files = {file.path: file for file in backend.files}
    for some in _portions([files[path] for path in reversed(msgspec.json.decode(wanted, type=list[str]))]):
        if select.select([asked], [], [], 0)[0]:
            return
        paths = [file.path for file in some]
        _tell(told, Told(paths))
        found: dict[str, Found] = {}
        for file in some:
            # Who finds it nested too deeply is the one who says so.
            with suppress(RecursionError):
                found[file.path] = finder.found(file)
        for cache in caches:
            cache.flush()
        _tell(told, Told(paths, pack(found)))


def _portions(files: Sequence[SourceFile]) -> Iterator[list[SourceFile]]:
    some: list[SourceFile] = []
    for file in files:
        some.append(file)
        if sum(len(each.text) for each in some) >= _AT_ONCE:
            yield some
            some = []
    if some:
        yield some


def _tell(told: IO[bytes], message: Told) -> None:
    encoded = msgspec.msgpack.encode(message)
    told.write(_LENGTH.pack(len(encoded)) + encoded)
    told.flush()
