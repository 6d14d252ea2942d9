"""A module of the simulation has the names of the wheel's: what is not simulated is refused by name when used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from enum import IntEnum
from types import ModuleType
from typing import Any

import pytest
from torch_npu_sim.surface.modules import Surface, SurfaceFinder
from torch_npu_sim.surface.wheel_names import WheelNames

FILES = {
    "torch_npu/__init__.py": "from torch_npu.npu.utils import reset as restart\nLIMIT = 3\n",
    "torch_npu/npu/__init__.py": (
        "import json\nfrom os.path import join\nfrom .utils import start, stop\nfrom no_such import thing\n"
        "from .memory import *\nfrom . import memory\nstate = make()\n"
    ),
    "torch_npu/npu/utils.py": "def start(): ...\ndef stop(): ...\ndef reset(): ...\nclass Stream: ...\n",
    "torch_npu/npu/memory.py": "__all__ = ['Pool']\nclass Pool: ...\n",
    "torch_npu/npu/formats.py": (
        "class Format(IntEnum):\n    ND = 2\n    NZ = 29\n    def __str__(self): return self.name\n"
        "class Plain(Enum):\n    A = 'a'\n"
    ),
    "torch_npu/dynamo/__init__.py": "",
    "torch_npu/dynamo/npugraph_ex/__init__.py": "from npugraph_ex.configs import Config\n",
    "torch_npu/dynamo/npugraph_ex/configs.py": "class Config: ...\n",
    "torch_npu/utils/uses.py": "from torch_npu._C._c10d import Group\ntorch_npu._C._npu_x()\n",
    "torch_npu/lib/libtorch_npu.so": b"\0Group\0",
}


def start() -> str:
    return "simulated"


@pytest.fixture
def npu() -> Iterator[ModuleType]:
    """``torch_npu.npu`` of a wheel with ``FILES``, of which ``start`` is simulated."""
    texts = {name: text if isinstance(text, bytes) else text.encode() for name, text in FILES.items()}
    offered: dict[str, dict[str, Any]] = {"torch_npu.npu": {"start": start, "invented": start}}
    surface = Surface(WheelNames(texts, texts.__getitem__), "2.99", offered)
    finder = SurfaceFinder(surface)
    before = set(sys.modules)
    sys.meta_path.insert(0, finder)
    yield importlib.import_module("torch_npu.npu")
    sys.meta_path.remove(finder)
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in ("torch_npu", "npugraph_ex"):
            del sys.modules[name]


def test_what_is_simulated_is_found_wherever_the_wheel_has_it(npu: ModuleType) -> None:
    assert npu.start is start
    assert importlib.import_module("torch_npu.npu.utils").start is start
    assert npu.memory is sys.modules["torch_npu.npu.memory"]


def test_a_name_that_the_wheel_lacks_is_absent_simulated_or_not(npu: ModuleType) -> None:
    with pytest.raises(
        AttributeError, match=r"'torch_npu\.npu' has no attribute 'invented' \(torch_npu 2\.99\)"
    ):
        _ = npu.invented
    with pytest.raises(ImportError, match="invented"):
        exec("from torch_npu.npu import invented")
    with pytest.raises(ModuleNotFoundError, match=r"torch_npu\.npu\.gone"):
        importlib.import_module("torch_npu.npu.gone")


def test_a_function_that_is_not_simulated_says_so_when_it_is_called(npu: ModuleType) -> None:
    exec("from torch_npu.npu.utils import stop")
    with pytest.raises(
        NotImplementedError, match=r"does not do torch_npu\.npu\.utils\.stop \(torch_npu 2\.99 has it\)"
    ):
        npu.stop()
    with pytest.raises(NotImplementedError, match=r"torch_npu\.npu\.utils\.reset"):
        sys.modules["torch_npu"].restart()


def test_a_class_can_be_annotated_with_and_derived_from_but_not_made(npu: ModuleType) -> None:
    pool: Any = npu.Pool

    class Derived(pool):
        pass

    def takes(value: pool | None) -> list[pool]: ...

    assert not isinstance(3, pool)
    for each in (pool, Derived):
        with pytest.raises(NotImplementedError, match=r"torch_npu\.npu\.memory\.Pool"):
            each()
    with pytest.raises(NotImplementedError, match=r"Pool .*\.instance"):
        _ = pool.instance


@pytest.mark.parametrize(
    "use", ["bool(npu.state)", "npu.state.x", "npu.state()", "list(npu.state)", "npu.thing.y", "npu.state[0]"]
)
def test_a_value_that_is_not_simulated_cannot_be_used(npu: ModuleType, use: str) -> None:
    with pytest.raises(NotImplementedError, match=r"torch_npu\.npu\.(state|thing)"):
        eval(use, {"npu": npu})


def test_literals_enumerations_and_what_comes_from_elsewhere_are_the_real_ones(npu: ModuleType) -> None:
    import json
    from os.path import join

    assert (npu.json, npu.join, sys.modules["torch_npu"].LIMIT) == (json, join, 3)
    formats = npu.formats
    assert issubclass(formats.Format, IntEnum)
    assert (formats.Format(29), str(formats.Format.ND), str(formats.Plain.A)) == (
        formats.Format.NZ,
        "ND",
        "Plain.A",
    )


def test_packages_that_are_known_under_two_names(npu: ModuleType) -> None:
    module = importlib.import_module("npugraph_ex")
    assert module.Config is importlib.import_module("torch_npu.dynamo.npugraph_ex.configs").Config
    assert (
        importlib.import_module("npugraph_ex.configs").Config.__module__
        == "torch_npu.dynamo.npugraph_ex.configs"
    )
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("torchair")


def test_submodules_of_the_extension(npu: ModuleType) -> None:
    group = importlib.import_module("torch_npu._C._c10d").Group
    with pytest.raises(NotImplementedError, match=r"torch_npu\._C\._c10d\.Group"):
        group()
    assert sys.modules["torch_npu"]._C._npu_x.__name__ == "_npu_x"


def test_names_are_listed(npu: ModuleType) -> None:
    assert {"start", "stop", "Pool", "state"} <= set(dir(npu))
    assert "invented" not in dir(npu)
    with pytest.raises(AttributeError):
        _ = npu.__wrapped__
