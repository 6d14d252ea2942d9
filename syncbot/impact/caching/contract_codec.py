"""Contracts as bytes: many files share the questions, and each kind of contract has one decoder."""

from __future__ import annotations

from collections.abc import Mapping
from sys import intern

import msgspec

from syncbot.contracts.discovery import Found
from syncbot.contracts.model import Contract
from syncbot.contracts.registry import contract_types


class Packed(msgspec.Struct):
    """By path the numbers of kinds and contracts found, by look at upstream, at the backend's ``own``
    modules, and by what is told of calls, the numbers of files that need it."""

    files: dict[str, list[tuple[int, int]]]
    looks: dict[str, list[int]]
    own: dict[str, list[int]]
    calls: dict[str, list[int]]
    kinds: list[tuple[str, msgspec.Raw]]


def pack(files: Mapping[str, Found]) -> Packed:
    """Return contracts in packed form, for :func:`unpack`."""
    kinds: dict[str, list[Contract]] = {}
    places: dict[str, list[tuple[int, int]]] = {}
    looks: dict[str, list[int]] = {}
    own: dict[str, list[int]] = {}
    calls: dict[str, list[int]] = {}
    numbers: dict[str, int] = {}
    for number, (path, found) in enumerate(files.items()):
        places[path] = []
        for contract in found.contracts:
            kind = type(contract).__name__
            members = kinds.setdefault(kind, [])
            places[path].append((numbers.setdefault(kind, len(numbers)), len(members)))
            members.append(contract)
        for by_name, names in ((looks, found.looks), (own, found.own), (calls, found.calls)):
            for name in names:
                by_name.setdefault(name, []).append(number)
    encoded = [(kind, msgspec.Raw(msgspec.msgpack.encode(members))) for kind, members in kinds.items()]
    return Packed(places, looks, own, calls, encoded)


def unpack(packed: Packed) -> dict[str, Found]:
    """Return the contracts that were packed. Raises msgspec.MsgspecError or LookupError for damaged data."""
    types = contract_types()
    kinds = [_decoder(types[name]).decode(raw) for name, raw in packed.kinds]
    needed = (_by_file(each, len(packed.files)) for each in (packed.looks, packed.own, packed.calls))
    return {
        path: Found(tuple(kinds[kind][index] for kind, index in places), *map(frozenset, of_file))
        for (path, places), *of_file in zip(packed.files.items(), *needed, strict=True)
    }


def _by_file(needed: Mapping[str, list[int]], files: int) -> list[list[str]]:
    """Return the names that each file needs, in the order of the files' numbers."""
    found: list[list[str]] = [[] for _ in range(files)]
    for name, numbers in needed.items():
        # As :func:`syncbot.api.tree.look` has them: once, however many ask.
        shared = intern(name)
        for number in numbers:
            found[number].append(shared)
    return found


def _decoder(kind: type[Contract]) -> msgspec.msgpack.Decoder[list[Contract]]:
    return msgspec.msgpack.Decoder(list[kind])  # type: ignore[valid-type]
