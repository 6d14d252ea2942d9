"""Real wheels of torch_npu, of triton-ascend, and source distributions of a plugin, from the package index, kept by digest."""

from __future__ import annotations

import tarfile
import zipfile
from functools import cache
from pathlib import Path

from syncbot.upstream.cache_folder import cache_dir
from syncbot.verify.release_files import open_index

_WHEELS = {
    "2.9.0": "afe075e10593b3a7e5414322bff7ff54e6d5a8836e9af8f00bc3e4466dadf6bb",
    "2.9.1": "e9161b177c3fae71c32ab76fc6ed441fb1ed80035da2e623840133f1540db7cd",
    "2.10.0.post4": "7d88428d9bb8473919a38947617fcc481cb6e28927a8aa30e486a9bc42f30d90",
    "2.11.0": "7c13c7ac30a9e51d2fea0268fd09d7600b2e787632a163e618712563943c24d8",
    "2.12.0": "22b92017af5c625caa8dcad0fad0b92517176372b28d7aa242e7ee26e9f92ab8",
    "2.13.0": "0deb809cf447d3fce636ccfdc9c9f874950f1fe76f18f4aaab31e2d345f7dac0",
    "2.14.0": "7736f7d82cf9f16c7dfc4537f7e7c638153da760273a193455e70857f912189e",
}
_TRITON_ASCEND = "17c8d7161eed1e96a286281963fe04d3113ee85affaa5d82c7dd0c35803962f0"
_PLUGINS = {
    "0.26.0rc1": "647533d9ae77ae765c2c4b88eaa8f2cfcde56cc7621e393e3be63bfb7303d6b3",
    "0.27.1rc1": "6fa8b357b624df4c8810c445da24082a9147009d8fe1db33eff815c8ab9805f0",
    "0.28.0rc1": "bde8bf4207d225df86d8f3b7d9b2bd89ff5e5e56af0cbe4bf8b5b691b98bbe95",
    "0.29.0rc1": "680f58f98b8a8a4d92380f77a5d3949107da6db0b7cfc17834898d32fdfcdfd1",
    "0.30.0rc2": "05cb51448c0cd174ea338b16ebbfc8e215f44b373ea2a0d65f1314523a01152f",
}

#: The wheels that the surface is held against, oldest first.
WHEELS = tuple(_WHEELS)
PLUGINS = tuple(_PLUGINS)


@cache
def wheel(version: str) -> Path:
    """The wheel of torch_npu for CPython 3.11 on x86-64, whose content does not depend on this machine."""
    return _released("torch-npu", _WHEELS[version])


@cache
def triton_ascend() -> Path:
    """The wheel of triton-ascend 3.2.0 for CPython 3.11 on x86-64."""
    return _released("triton-ascend", _TRITON_ASCEND)


@cache
def plugin(version: str) -> Path:
    """The source distribution of vllm-ascend, as published."""
    return _released("vllm-ascend", _PLUGINS[version])


def _released(distribution: str, sha256: str) -> Path:
    kept = cache_dir() / "downloads" / "sha256" / sha256[:2] / sha256
    if kept.is_file():
        return kept
    index = open_index(None)
    try:
        file = next(file for file in index.listing(distribution).files if file.sha256 == sha256)
        return index.download(file, cache_dir())
    finally:
        index.close()


def unpacked(plugin_version: str, folder: Path, *suffixes: str) -> Path:
    """The files of a source distribution that end so, below ``folder``; nothing of it is run."""
    with tarfile.open(plugin(plugin_version)) as archive:
        members = [m for m in archive if m.isfile() and m.name.endswith(suffixes)]
        archive.extractall(folder, members, filter="data")
    return next(folder.iterdir())


def texts(version: str, folder: str) -> dict[str, str]:
    """The Python files of a wheel below a folder of it."""
    with zipfile.ZipFile(wheel(version)) as archive:
        files = [n for n in archive.namelist() if n.startswith(folder) and n.endswith(".py")]
        return {name: archive.read(name).decode() for name in files}
