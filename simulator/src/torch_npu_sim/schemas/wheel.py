"""Operator schemas, read from a torch_npu wheel (or an installed torch_npu) without importing it."""

import os
import re
import zipfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import yaml

from torch_npu_sim.settings import read_settings, variable

#: Names the wheel whose schemas are read.
WHEEL_VARIABLE = variable("wheel")

#: Everything that the code generator of op-plugin registers under torch.ops.npu.
NATIVE_FUNCTIONS = "torch_npu/csrc/aten/npu_native_functions_by_codegen.yaml"
#: The sections of it that declare operators of the npu namespace ("supported" lists aten operators).
_SECTIONS = ("custom", "autograd")

#: ATB operators have no entry in the yaml; the library that registers them holds their schemas as text.
ATB_LIBRARY = "torch_npu/lib/libop_plugin_atb.so"
_ATB_SCHEMA = re.compile(rb"(?<![\x20-\x7e])(_?npu_[A-Za-z0-9_.]+\([\x20-\x7e]*\) *-> *[\x20-\x7e]+)\x00")

_ATB_NAME = re.compile(rb"(?<![\x20-\x7e])(_?npu_[a-z0-9_]+)\x00")

_METADATA_NAME = re.compile(r"torch_npu-([^/]+)\.dist-info/METADATA")


@dataclass(frozen=True)
class Source:
    """Where schemas and names are read from: a version, and the files of the distribution."""

    origin: str
    version: str
    read: Callable[[str], bytes]
    #: Paths within the distribution.
    files: tuple[str, ...] = ()
    #: Changes when the distribution does.
    stamp: str = ""


def locate(environment: Mapping[str, str] = os.environ) -> Source:
    """Return the wheel that ``TORCH_NPU_SIM_WHEEL`` names, else the installed torch_npu.

    Raises ImportError with one line when there is neither.
    """
    if wheel := read_settings(environment).wheel:
        return from_wheel(wheel)
    try:
        distribution = metadata.distribution("torch_npu")
    except metadata.PackageNotFoundError:
        raise ImportError(
            "the simulated NPU needs the operator schemas of torch_npu: "
            f"set {WHEEL_VARIABLE} to a wheel of it (pip download --no-deps torch_npu), or install it"
        ) from None
    return Source(
        origin=f"torch_npu {distribution.version}",
        version=distribution.version,
        read=lambda name: Path(str(distribution.locate_file(name))).read_bytes(),
        files=tuple(str(file) for file in distribution.files or ()),
    )


def from_wheel(path: Path) -> Source:
    """Return the source that reads the wheel at ``path``; ImportError if it is no torch_npu wheel."""
    try:
        with zipfile.ZipFile(path) as archive:
            files = archive.namelist()
        status = path.stat()
    except (OSError, zipfile.BadZipFile) as error:
        raise ImportError(
            f"{WHEEL_VARIABLE}: cannot read the wheel {path}: {getattr(error, 'strerror', None) or error}"
        ) from None
    versions = [m[1] for m in map(_METADATA_NAME.fullmatch, files) if m]
    if len(versions) != 1:
        raise ImportError(f"{WHEEL_VARIABLE}: {path} is not a torch_npu wheel")

    opened: dict[int, zipfile.ZipFile] = {}

    def read(name: str) -> bytes:
        # Once a process, for the list of its files is long; a fork shares its parent's place in an open file.
        if os.getpid() not in opened:
            opened[os.getpid()] = zipfile.ZipFile(path)
        return opened[os.getpid()].read(name)

    stamp = f"{status.st_size}-{status.st_mtime_ns}"
    return Source(origin=str(path), version=versions[0], read=read, files=tuple(files), stamp=stamp)


def read(source: Source) -> dict[str, str]:
    """Return the schemas of all operators by name with overload (``npu_format_cast.Tensor``).

    Raises ImportError with one line when the distribution lacks the file that declares them.
    """
    try:
        native = source.read(NATIVE_FUNCTIONS)
    except (KeyError, OSError):
        raise ImportError(f"{source.origin} does not contain {NATIVE_FUNCTIONS}") from None
    found = native_schemas(native.decode())
    try:
        library = source.read(ATB_LIBRARY)
    except (KeyError, OSError):
        return found
    return atb_schemas(library) | found


def native_schemas(text: str) -> dict[str, str]:
    """Return the schemas that the yaml ``text`` declares in the npu namespace, by name with overload."""
    document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    entries = [entry for section in _SECTIONS for entry in document.get(section, ())]
    declared = [entry["func"] if isinstance(entry, dict) else entry for entry in entries]
    return {_name(schema): schema for schema in reversed(declared)}


def atb_schemas(library: bytes) -> dict[str, str]:
    """Return the schemas that stand whole in the ATB library's constants, by name with overload.

    Short ones are compiled into instructions and cannot be read.
    """
    declared = [match.decode() for match in _ATB_SCHEMA.findall(library)]
    return {_name(schema): schema for schema in declared}


def without_schema(source: Source, declared: Collection[str]) -> frozenset[str]:
    """Return the operators of ATB that the library names, and whose schemas cannot be read from it."""
    try:
        library = source.read(ATB_LIBRARY)
    except (KeyError, OSError):
        return frozenset()
    packets = {name.partition(".")[0] for name in declared}
    named = {match.decode() for match in _ATB_NAME.findall(library)}
    # Functions of C++ end so; an operator would have an overload.
    return frozenset(name for name in named - packets if not name.endswith("_out"))


def _name(schema: str) -> str:
    return schema.partition("(")[0].strip()
