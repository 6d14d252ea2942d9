"""Contracts that a comparison keeps, remembered on disk: after one file of the backend changed, only what it
was asked about is judged anew. What a comparison breaks is judged each time."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from syncbot.contracts.comparison import Comparison
from syncbot.contracts.model import Contract
from syncbot.errors import EnvironmentFailure
from syncbot.impact.accelerator import Judgements
from syncbot.sealed_values import keep, recall

# So many comparisons are remembered.
_MOST = 24


def circumstances(pair: Comparison) -> Iterator[str]:
    """Yield all that a judgement of a comparison may be told from, beside the trees of upstream and single
    modules of the backend."""
    yield from map(str, pair.versions)
    yield repr(sorted((module, path) for module, (path, _) in pair.own_tree.modules.items()))
    yield from (repr(sorted(each)) for each in (pair.tests, pair.loaded, pair.required_here))
    yield repr(sorted(pair.replaced.items()))


class _OfFile(msgspec.Struct):
    """The digest of a file's contracts, and the places among them of those that are kept, beside the
    backend's modules that this was told from: few sets of these, for many contracts each."""

    digest: bytes
    kept: list[tuple[list[str], list[int]]]


class _OnDisk(msgspec.Struct):
    """The blob of each module of the backend, and what was judged by file."""

    blobs: dict[str, str]
    files: dict[str, _OfFile]


@dataclass(slots=True)
class _Now:
    """The places in the list of all contracts of those of one file; ``known`` are kept as before, ``kept``
    have these and those judged now, by the modules that they were told from."""

    digest: bytes
    places: list[int]
    known: set[int]
    kept: dict[frozenset[str], list[int]]


class KeptJudgements(Judgements):
    """The judgements of one comparison in a file, for some contracts. ``blobs`` are those of the backend's
    modules."""

    def __init__(self, file: Path, contracts: Sequence[Contract], blobs: dict[str, str]) -> None:
        self._file, self._blobs, self._fresh = file, blobs, False
        by_file: dict[str, list[int]] = {}
        for place, contract in enumerate(contracts):
            by_file.setdefault(contract.place.location.file, []).append(place)
        before = _recalled(file)
        told = before.files if before is not None else {}
        was = before.blobs if before is not None else {}
        changed = {name for name in was.keys() | blobs.keys() if was.get(name) != blobs.get(name)}
        self._files: dict[str, _Now] = {}
        self._of: dict[int, _Now] = {}
        for path, places in by_file.items():
            now = _Now(_digest([contracts[place] for place in places]), places, set(), {})
            known = told.get(path)
            for reads, indices in known.kept if known is not None and known.digest == now.digest else ():
                if changed.isdisjoint(reads):
                    kept = now.kept[frozenset(reads)] = [places[index] for index in indices]
                    now.known.update(kept)
            self._files[path] = now
            self._of.update(dict.fromkeys(places, now))

    def is_kept(self, place: int, /) -> bool:
        """Whether the contract at a place of the list is known to be kept."""
        return place in self._of[place].known

    def keep(self, place: int, reads: Collection[str], /) -> None:
        """Remember that the contract at a place is kept, as these modules tell."""
        self._of[place].kept.setdefault(frozenset(reads), []).append(place)
        self._fresh = True

    def close(self) -> None:
        """Write what was judged. A cache that cannot be written is no error."""
        if not self._fresh:
            return
        files = {path: _on_disk(now) for path, now in self._files.items()}
        with suppress(EnvironmentFailure, OSError):
            value = msgspec.msgpack.encode(_OnDisk(self._blobs, files))
            keep(self._file.parents[1], self._file, value)
            old = sorted(self._file.parent.glob("*.msgpack"), key=lambda file: -file.stat().st_mtime)[_MOST:]
            for each in old:
                each.unlink(missing_ok=True)


def _on_disk(now: _Now) -> _OfFile:
    index = {place: index for index, place in enumerate(now.places)}
    kept = [(sorted(reads), [index[place] for place in places]) for reads, places in now.kept.items()]
    return _OfFile(now.digest, kept)


def _digest(contracts: Sequence[Contract]) -> bytes:
    told = [(type(contract).__name__, contract) for contract in contracts]
    return hashlib.blake2b(msgspec.msgpack.encode(told), digest_size=16).digest()


def _recalled(file: Path) -> _OnDisk | None:
    known = recall(file.parents[1], file)
    try:
        return msgspec.msgpack.decode(known, type=_OnDisk) if known is not None else None
    except msgspec.MsgspecError:
        return None
