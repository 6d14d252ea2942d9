"""The sources of a plugin: a folder, a source distribution or a wheel. Nothing of it is run."""

import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

#: Folders whose code is not what the plugin runs.
_BESIDE = frozenset({"benchmarks", "docs", "examples", "test", "tests", "third_party", "tools", ".git"})
PYTHON = (".py",)
CPP = (".cpp", ".cc", ".cxx", ".h", ".hpp")


def texts(plugin: Path, suffixes: tuple[str, ...]) -> Mapping[str, str]:
    """Return the files of the plugin that end so, by their path in it, without tests, tools and documents.

    Raises OSError with the path where there is no plugin, or none that can be read.
    """
    try:
        if plugin.is_dir():
            found = dict(_of_folder(plugin, suffixes))
        elif plugin.name.endswith((".whl", ".zip")):
            found = dict(_of_wheel(plugin, suffixes))
        else:
            found = dict(_of_sdist(plugin, suffixes))
    except FileNotFoundError:
        raise OSError(f"there is no {plugin}: name a plugin's folder, source distribution or wheel") from None
    except (tarfile.TarError, zipfile.BadZipFile):
        raise OSError(f"{plugin} is neither a folder nor a source distribution nor a wheel") from None
    return found


def _of_folder(plugin: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for path in sorted(plugin.rglob("*")):
        name = path.relative_to(plugin).as_posix()
        if _wanted(name, suffixes) and path.is_file():
            yield name, _text(path.read_bytes())


def _of_wheel(plugin: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(plugin) as archive:
        for name in sorted(archive.namelist()):
            if _wanted(name, suffixes):
                yield name, _text(archive.read(name))


def _of_sdist(plugin: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    with tarfile.open(plugin) as archive:
        for member in archive:
            name = member.name.partition("/")[2]
            content = archive.extractfile(member) if member.isfile() and _wanted(name, suffixes) else None
            if content is not None:
                yield name, _text(content.read())


def _wanted(name: str, suffixes: tuple[str, ...]) -> bool:
    return name.endswith(suffixes) and not _BESIDE.intersection(PurePosixPath(name).parts[:-1])


def _text(content: bytes) -> str:
    return content.decode("utf-8", errors="replace")
