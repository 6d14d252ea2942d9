"""The names of a wheel's modules are read from its files."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator

import pytest
from torch_npu_sim.surface.wheel_names import Kind, Name, WheelNames

from tests.budget import some

from . import releases
from .releases import WHEELS

FILES = {
    "torch_npu/__init__.py": "__all__ = ['erase']\nfrom torch_npu.version import __version__ as __version__\n",
    "torch_npu/version.py": "__version__ = '2.99'\n",
    "torch_npu/_init/exports.py": 'def export(globals_dict):\n    globals_dict["Store"] = 1\n',
    "torch_npu/npu/_format.py": (
        "from enum import IntEnum\n\n\nclass Format(IntEnum):\n    ND = 2\n    NZ = 29\n\n\n"
        "def patch():\n    torch_npu.Format = Format\n    torch_npu.npu.x = 1\n    # torch_npu.no = 1\n"
    ),
    "torch_npu/onnx/wrapper.py": "def wrap():\n    torch_npu.npu_only_later = 1\n",
    "torch_npu/npu/__init__.py": (
        "import os\nimport torch.nn as nn\nfrom .memory import *\nfrom .limited import *\n"
        "from ._format import Format as F\nfrom . import memory as m\n"
        "a, (b, *c) = f()\nlimits: dict = {'x': 1}\nonly: int\n"
        "try:\n    import fast\nexcept ImportError:\n    fast = None\n"
        "if os.name == 'nt':\n    def start(): ...\nelse:\n    class start: ...\n"
        "def __getattr__(name):\n    if name == 'late':\n        inner = 1\n        return 1\n"
    ),
    "torch_npu/npu/memory.py": "def alloc(): ...\ndef _hidden(): ...\nclass Pool: ...\n",
    "torch_npu/npu/limited.py": "__all__ = ['_shown', 'IntTensor']\ndef _shown(): ...\ndef other(): ...\n",
    "torch_npu/bare/inside.py": "x = 1\n",
    "torch_npu/data/table.yaml": "x: 1\n",
    "torch_npu/utils/uses.py": (
        "import torch_npu\nfrom torch_npu._C import _weak as weak, _more\ntorch_npu._C._npu_x()\n"
        "from torch_npu._C._c10d import Store\n"
    ),
    "torch_npu/lib/libtorch_npu.so": (
        b"\0_npu_compiled\0~Group\0glued.Handle\0no-name\0xx\xff_cut\xff\0torch_npu.half\0"
    ),
}


@pytest.fixture
def wheel() -> WheelNames:
    texts = {name: text if isinstance(text, bytes) else text.encode() for name, text in FILES.items()}
    return WheelNames(texts, texts.__getitem__)


def test_modules_and_packages(wheel: WheelNames) -> None:
    assert [
        m
        for m in ("npu", "npu.memory", "_C", "_C._c10d", "gone", "_C._weak")
        if wheel.has_module(f"torch_npu.{m}")
    ] == [
        *("npu", "npu.memory", "_C", "_C._c10d"),
    ]
    assert wheel.is_package("torch_npu.npu")
    assert not wheel.is_package("torch_npu.npu.memory")


def test_a_folder_without_init_is_a_package_without_names(wheel: WheelNames) -> None:
    assert wheel.is_package("torch_npu.bare")
    assert (wheel.names("torch_npu.bare"), set(wheel.names("torch_npu.bare.inside"))) == ({}, {"x"})
    assert not wheel.has_module("torch_npu.data")


def test_names_that_statements_bind(wheel: WheelNames) -> None:
    found = wheel.names("torch_npu.npu")
    assert set(found) == {
        *(
            "os",
            "nn",
            "alloc",
            "Pool",
            "_shown",
            "IntTensor",
            "F",
            "m",
            "a",
            "b",
            "limits",
            "fast",
            "start",
            "late",
        ),
    }
    assert found["limits"] == Name(Kind.LITERAL, {"x": 1})
    assert found["F"] == Name(Kind.IMPORTED, module="torch_npu.npu._format", attribute="Format")
    assert found["m"] == Name(Kind.IMPORTED, module="torch_npu.npu", attribute="memory")
    assert found["nn"] == Name(Kind.MODULE, module="torch.nn")
    assert found["alloc"] == Name(Kind.IMPORTED, module="torch_npu.npu.memory", attribute="alloc")


def test_an_enumeration_has_its_members(wheel: WheelNames) -> None:
    found = wheel.names("torch_npu.npu._format")["Format"]
    assert (found.kind, found.value) == (Kind.ENUMERATION, {"ND": 2, "NZ": 29})


def test_what_modules_put_into_the_package_while_it_is_imported(wheel: WheelNames) -> None:
    found = wheel.names("torch_npu")
    assert {"Store", "Format", "__version__"} <= set(found)
    assert not {"no", "x", "npu_only_later"} & set(found)
    assert wheel.exports("torch_npu") == ("erase",)
    assert wheel.exports("torch_npu.npu") is None


def test_the_extension_has_what_modules_use_of_it_and_what_its_library_names(wheel: WheelNames) -> None:
    found = wheel.names("torch_npu._C")
    assert set(found) == {
        "_weak",
        "_more",
        "_npu_x",
        "_npu_compiled",
        "Group",
        "Handle",
        "half",
        "name",
        "_c10d",
    }
    assert (found["Handle"].kind, found["_npu_compiled"].kind) == (Kind.CLASS, Kind.FUNCTION)
    assert "Handle" in wheel.names("torch_npu._C._c10d")


def test_a_module_that_the_wheel_lacks(wheel: WheelNames) -> None:
    with pytest.raises(KeyError):
        wheel.names("torch_npu.gone")


@pytest.fixture(scope="module", params=WHEELS)
def real(request: pytest.FixtureRequest) -> Iterator[tuple[str, WheelNames]]:
    """A wheel, of which is kept what both tests ask."""
    with zipfile.ZipFile(releases.wheel(request.param)) as archive:
        yield request.param, WheelNames(archive.namelist(), archive.read)


@pytest.mark.machine
def test_real_wheels_have_what_their_own_lists_say(real: tuple[str, WheelNames]) -> None:
    version, wheel = real
    assert wheel.names("torch_npu.version")["__version__"].value.startswith(version.partition(".post")[0])
    for module in ("torch_npu.npu", "torch_npu.npu.memory", "torch_npu.profiler"):
        assert set(wheel.exports(module) or ()) <= set(wheel.names(module)), module


@pytest.mark.machine
def test_names_that_came_later(real: tuple[str, WheelNames]) -> None:
    """As the sources of the releases have it, looked up by hand."""
    version, wheel = real
    npu = set(wheel.names("torch_npu.npu"))
    first = WHEELS.index(version)
    # The library is searched for these, which takes seconds.
    if version in some(WHEELS, 3):
        assert {"Format", "get_npu_format", "unsupported_dtype"} <= set(wheel.names("torch_npu"))
    assert ("super_kernel_scope_begin" in npu) == (first >= WHEELS.index("2.9.1"))
    assert ("npurt" in npu) == (first >= WHEELS.index("2.13.0"))
    assert wheel.has_module("torch_npu.dynamo.npugraph_ex") == (first >= WHEELS.index("2.9.1"))
    assert "use_mem_pool" in npu
    assert "graph_replay_all" not in npu
