"""A small upstream that a local index has, and what runs tests beside it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from syncbot.verify.unbuilt_wheel import unbuilt_wheel
from tests.installed_wheels import PYTEST, installed_wheel
from tests.project_texts import write
from tests.upstream.package_index import File, Index, tar

OLD = {
    "toy/__init__.py": "",
    "toy/core.py": (
        "SIZES = {'limit': 4}\n\n\ndef limit():\n    return SIZES.get('limit')\n\n\n"
        "def join(a, b):\n    return a + b\n\n\ndef kept():\n    return 1\n\n\n"
        "def grow(size):\n    return 2 * size\n\n\n"
        "class Base:\n    def shown(self):\n        return 1\n\n\n"
        "def show(thing):\n    return thing.shown()\n\n\n"
        "def invoke(asked):\n    try:\n        return 0, asked()\n    except Exception:\n        return 1, None\n"
    ),
}


def changed(*changes: tuple[str, str]) -> dict[str, str]:
    """The files of the upstream with other texts in its module."""
    text = OLD["toy/core.py"]
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return OLD | {"toy/core.py": text}


def runner() -> dict[str, list[File]]:
    """Return the wheels that run tests, by the names of their distributions."""
    return {name: [File(*installed_wheel(name))] for name in PYTEST}


def beside(
    index: Index, files: Mapping[str, str], folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Write a plugin into a folder, and have an index and a cache used for it. Returns the folder."""
    write(folder, files)
    monkeypatch.setenv("SYNCBOT_CACHE", str(cache))
    monkeypatch.setenv("PIP_INDEX_URL", index.url)
    return folder


def with_environments(of: Path, cache: Path) -> Path:
    """Return a cache that is empty but for the environments of another one, whose files it shares."""
    made = Path("running/environments")
    if (of / made).exists():
        shutil.copytree(of / made, cache / made, symlinks=True, copy_function=os.link)
    return cache


def toy(version: str, files: Mapping[str, str], folder: Path, needs: str = "") -> list[File]:
    """Both files of a release; ``needs`` are lines of metadata."""
    about = f"Metadata-Version: 2.1\nName: toy\nVersion: {version}\n{needs}"
    whole = {**files, "PKG-INFO": about, "toy.egg-info/top_level.txt": "toy\n"}
    held = {path: text.encode() for path, text in whole.items()}
    wheel = unbuilt_wheel(held, "toy", version, {}, (), folder)
    sdist = tar({f"toy-{version}/{path}": content for path, content in held.items()})
    major, minor = version.split(".")[:2]
    when = f"2026-0{major}-0{int(minor) + 1}T00:00:00Z"
    return [File(wheel.name, wheel.read_bytes(), when), File(f"toy-{version}.tar.gz", sdist, when)]
