"""Kept contracts: with them discovery finds what it finds without, whatever changed upstream."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache as once
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from syncbot.api.cache import TableCache
from syncbot.api.extract import extract
from syncbot.api.model import Class, ModuleTable
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.contracts.configured_facts import Knowledge, Registrar, SiblingRule
from syncbot.contracts.discovery import DiscoveryHelp, Found, discover
from syncbot.contracts.model import Contract
from syncbot.contracts.registry import contract_types
from syncbot.contracts.sources import Backend, in_memory
from syncbot.impact.caching.contract_cache import ContractCache
from syncbot.impact.caching.contract_codec import Packed, pack, unpack
from tests.budget import some, tries

KNOWLEDGE = Knowledge(
    siblings=(SiblingRule("lib.base.Base", "other", ("run",)),),
    device_apis=("torch.cuda.",),
    registrars=(Registrar("register_op", "lib", "op_name", "op_func"),),
)

BACKEND = in_memory({
    "plugin/__init__.py": "",
    "plugin/calls.py": """
from lib import make, Config, tool
from lib.base import Base, helper
from lib.sub import deep
import lib.sub
import lib.envs as envs
LIMIT_REACHED = envs.LIB_LIMIT
a, b = helper(1, two=2)
made = make(3)
made.config.size.real
made.step(1)[0]
Config(1, size=2).size
tool.Tool.shared.run(1)
deep.down(lib.sub.deep.DEPTH)
def outer(config: Config, base: "Base | None" = None):
    x = base.config
    x.size, x.name, x["key"], config.child.leaf.value
    getattr(config, "maybe", None), hasattr(base, "gone")
    return unknown.telling_name_here
""",
    "plugin/again.py": """
from lib import Config
from lib.base import Base
def inner(config: Config, base: Base):
    return config.child.leaf, base.config.size
""",
    "plugin/classes.py": """
from lib.base import Base, Left
from lib.keys import Keys
class Mine(Base, Left):
    flag = 2
    def __init__(self):
        self.size = 1
    def run(self, a, b=2):
        total = a + b
        for item in range(total):
            total += item
        print(total)
        if total > 3:
            total -= 1
        return total
    def other(self, a): ...
    def forward(self, **kwargs):
        return super().run(1, **kwargs)
def made(keys: Keys):
    Mine().forward(b=3, c=4)
    keys["first"], keys.get("second")
    return Keys(first=1, second=2)
""",
    "plugin/patches.py": """
import os, sys
import lib.base
import lib.tool
from lib import *
def run(self, a, b):
    total = a + b
    for item in range(total):
        total += item
    print(total)
    return total
lib.base.Base.run = run
lib.base.helper = run
setattr(lib.tool, "Tool", run)
sys.modules["lib.sub"] = lib.tool
os.environ["LIB_LIMIT"] = "1"
names = ["lib.base.Base", "lib.sub.deep:down", "--lib-flag"]
lib.base.Base.ITEMS.append(1)
everything(1)
""",
})  # fmt: skip

RUN = """
    def run(self, a, b=1):
        total = a + b
        for item in range(total):
            total += item
        print(total)
        if total > 2:
            total -= 1
        return total
"""

# Each module of the upstream in several versions; None where it is missing.
VERSIONS: dict[str, list[str | None]] = {
    "lib/__init__.py": [
        "",
        None,
        "__all__ = ['everything']\ndef everything(a): ...\n",
        "from lib.base import *\nfrom lib.more import *\nfrom lib.config import Config\nfrom lib import tool\n",
        "from lib.base import *\nfrom lib.config import Config\nfrom lib import tool\n",
        "from .base import make\nfrom .config import Config\n__all__ = ['make']\n",
        "__all__ = ['make']\ndef everything(a): ...\ndef make(a) -> 'Base': ...\nfrom lib.base import Base\n",
        "def __getattr__(name): ...\n",
        "from lib.config import Settings as Config\nfrom lib.base import make as make\ntool = 1\n",
    ],
    "lib/base.py": [
        f"from lib.config import Config\nclass Base:\n    ITEMS = []\n    config: Config\n    size = 3{RUN}"
        "class Left: ...\ndef helper(one, two): return 1, 2\ndef make(a) -> Base: ...\n",
        f"# moved\n\nfrom lib.config import Config\nclass Base:\n    ITEMS = []\n    config: Config\n    size = 3{RUN}"
        "class Left: ...\ndef helper(one, two): return 1, 2\ndef make(a) -> Base: ...\n",
        f"import abc\nfrom lib.config import Config\nclass Root(abc.ABC):\n    def __init__(self): ...{RUN}"
        "class Base(Root):\n    def __init__(self, c: Config): self.config = c\n    def step(self, n): return [n]\n"
        "class Left:\n    flag = 1\ndef helper(one, **two): ...\ndef make(a): return Base(a)\n",
        "from lib.tool import Tool as Base\nLeft = Base\nhelper = make = Base\n",
        f"class Base:{RUN.replace('total -= 1', 'total = 0')}\nclass Left(Base): ...\n",
        "def Base(a): ...\n",
        None,
        "class Base(:\n",
    ],
    "lib/config.py": [
        "from dataclasses import dataclass\n@dataclass\nclass Config:\n    name: str\n    size: int = 0\n",
        "from dataclasses import dataclass\n@dataclass\nclass Config:\n    size: int\n    child: 'Settings'\n"
        "class Settings:\n    leaf: Config\n",
        "class Config:\n    def __init__(self, a, size): self.size = size; self.maybe = 1\n",
        "class Config:\n    def __new__(cls, a, size): ...\n    class child:\n        class leaf:\n            value = 1\n",
        "import outside\nclass Config(outside.Thing): ...\nclass Settings:\n    size = 1\n",
        None,
    ],
    "lib/tool.py": [
        "class Tool:\n    def run(self, a): ...\nTool.shared = Tool()\n",
        "from lib.base import Base\nclass Tool(Base):\n    shared: 'Tool'\n",
        "Tool = object\n",
        None,
    ],
    "lib/sub.py": ["deep = 1\n", None, None],
    "lib/sub/__init__.py": ["", "from . import deep\n", "from lib.sub.deep import down\n", None],
    "lib/sub/deep.py": ["DEPTH = 3\ndef down(n): ...\n", "DEPTH = '3'\n", None],
    "lib/envs.py": ["import os\nLIB_LIMIT = os.environ.get('LIB_LIMIT')\n", "def __getattr__(n): ...\n", ""],
    "lib/keys.py": [
        "from typing import TypedDict\nclass Keys(TypedDict):\n    first: int\n",
        "from typing import TypedDict\nclass First(TypedDict):\n    first: int\nclass Keys(First):\n    second: int\n",
        "from typing import TypedDict\nclass Keys(TypedDict):\n    first: int\n    second: int\n",
        "class Keys: ...\n",
    ],
    "lib/more.py": ["everything = print\n", "def other(): ...\n", None],
}

Files = Mapping[str, str]


@st.composite
def upstreams(draw: st.DrawFn) -> Files:
    chosen = {path: draw(st.sampled_from(texts)) for path, texts in VERSIONS.items()}
    return {path: text for path, text in chosen.items() if text is not None}


#: The same few texts are in all states.
_extracted = once(extract)


def universe(files: Files, backend: Backend = BACKEND) -> Universe:
    own = backend.tree(tables())
    return Universe((ModuleTree(files, ("lib",), tables(), str.encode), own), follow=(own,))


def tables(compute: Callable[[bytes], ModuleTable] = _extracted) -> TableCache[ModuleTable]:
    return TableCache(None, "modules", "1", compute, ModuleTable)


class OnlyKept(DiscoveryHelp):
    """Knows the contracts that are kept, and nothing else."""

    def __init__(self, cache: ContractCache) -> None:
        self.kept, self.finish = cache.kept, cache.keep  # type: ignore[method-assign]


def contracts(files: Files, cache: ContractCache | None = None, backend: Backend = BACKEND) -> list[Contract]:
    """Return what is discovered; without a cache the same state is looked at once."""
    if cache is None:
        return list(_plain(tuple(sorted(files.items())), backend))
    return discover(backend, universe(files, backend), ("lib",), KNOWLEDGE, help=OnlyKept(cache))


@once
def _plain(files: tuple[tuple[str, str], ...], backend: Backend) -> tuple[Contract, ...]:
    return tuple(discover(backend, universe(dict(files), backend), ("lib",), KNOWLEDGE))


def opened(path: Path, backend: Backend = BACKEND, state: str = "1") -> ContractCache:
    return ContractCache(path.parent, path.stem, state, backend, backend.defined)


class Counting(ContractCache):
    """A cache that tells which files were looked at anew."""

    anew: tuple[str, ...] = ()

    def keep(self, universe: Universe, found: Mapping[str, Found]) -> None:
        self.anew = tuple(found)
        super().keep(universe, found)


FIRST = {path: text for path, texts in VERSIONS.items() if (text := texts[0]) is not None}


@pytest.mark.long
@given(st.lists(upstreams(), min_size=2, max_size=4), st.booleans())
def test_contracts_are_the_same_with_a_cache(
    tmp_path_factory: pytest.TempPathFactory, trees: list[Files], again: bool
) -> None:
    path = tmp_path_factory.mktemp("cache") / "kept"
    cache = opened(path)
    for files in trees:
        if again:
            cache.write()
            cache = opened(path)
        assert contracts(files, cache) == contracts(files)


@pytest.mark.parametrize("path", list(VERSIONS))
def test_one_change_at_a_time(tmp_path: Path, path: str) -> None:
    cache = opened(tmp_path / "kept")
    for text in VERSIONS[path]:
        files = {**FIRST, path: text} if text is not None else {p: t for p, t in FIRST.items() if p != path}
        for tree in (files, FIRST):
            assert contracts(tree, cache) == contracts(tree)


@pytest.mark.long
@pytest.mark.parametrize("path", list(VERSIONS))
def test_any_line_may_be_missing(tmp_path: Path, path: str) -> None:
    cache = opened(tmp_path / "kept")
    for text in VERSIONS[path][:3]:
        lines = (text or "").splitlines(keepends=True)
        for index in some(range(len(lines)), 2):
            contracts({**FIRST, path: "".join(lines)}, cache)
            changed = {**FIRST, path: "".join(lines[:index] + lines[index + 1 :])}
            assert contracts(changed, cache) == contracts(changed)


# What a file of sources can hold.
st.register_type_strategy(int, st.integers(0, 10**6))
st.register_type_strategy(float, st.floats(0, 1))


@pytest.mark.long
@pytest.mark.parametrize("kind", list(contract_types()))
@settings(max_examples=tries(day=4, nightly=30), phases=[Phase.generate])
@given(st.data())
def test_any_contract_of_every_kind_is_the_same_when_read_again(kind: str, data: st.DataObject) -> None:
    found = Found((data.draw(st.from_type(contract_types()[kind])),), frozenset())
    packed = msgspec.msgpack.encode(pack({"a.py": found}))
    assert unpack(msgspec.msgpack.decode(packed, type=Packed)) == {"a.py": found}


def test_the_contracts_of_files_survive_the_disk(tmp_path: Path) -> None:
    path, seen = tmp_path / "kept", set()
    for version in range(max(map(len, VERSIONS.values()))):
        files = {p: texts[version % len(texts)] for p, texts in VERSIONS.items()}
        present = {p: text for p, text in files.items() if text is not None}
        cached = opened(path)
        first = contracts(present, cached)
        cached.write()
        assert contracts(present, opened(path)) == first
        seen |= {type(contract).__name__ for contract in first}
    assert len(seen) > 20


def test_what_does_not_matter_is_not_looked_at_again(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    cache = Counting(path.parent, path.stem, "1", BACKEND, BACKEND.defined)
    contracts(FIRST, cache)
    assert set(cache.anew) == {file.path for file in BACKEND.files}
    cache.write()
    cache = Counting(path.parent, path.stem, "1", BACKEND, BACKEND.defined)
    # Lines move, a method that nobody asks for appears, a body that nobody copied changes.
    changed = FIRST["lib/base.py"].replace("class Left: ...", "\n\nclass Left:\n    def more(self): ...")
    contracts({**FIRST, "lib/base.py": changed.replace("return 1, 2", "return 2, 1")}, cache)
    assert not cache.anew
    contracts({**FIRST, "lib/base.py": changed.replace("helper(one, two)", "helper(one)")}, cache)
    assert cache.anew == ("plugin/calls.py", "plugin/patches.py")
    contracts({**FIRST, "lib/keys.py": "class Keys: ...\n"}, cache)
    assert set(cache.anew) >= {"plugin/classes.py"}


@pytest.mark.parametrize(
    "damage", [lambda d: b"", lambda d: d[: len(d) // 2], lambda d: b"\x80", lambda d: b"\xc0"]
)
def test_a_damaged_cache_is_empty(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "kept"
    cache = opened(path)
    expected = contracts(FIRST, cache)
    cache.write()
    file = tmp_path / "kept-1.msgpack"
    file.write_bytes(damage(file.read_bytes()))
    cache = Counting(path.parent, path.stem, "1", BACKEND, BACKEND.defined)
    assert contracts(FIRST, cache) == expected
    assert len(cache.anew) == len(BACKEND.files)


def test_only_the_newest_files_stay(tmp_path: Path) -> None:
    for number in range(12):
        cache = opened(tmp_path / f"{number}")
        contracts(FIRST, cache)
        cache.write()
        os.utime(tmp_path / f"{number}-1.msgpack", (number, number))
    left = {path.stem.partition("-")[0] for path in tmp_path.iterdir()}
    assert left >= {"11", "10", "9", "8", "7", "6"}
    assert len(list(tmp_path.iterdir())) == 8


# Answers are compared by the names that were asked for, so that nothing may be read of a class but by name.


def _by_question(slot: Any) -> property:
    def read(node: Class) -> Any:
        caller = sys._getframe(1).f_code.co_name
        assert caller in ("defined", "declared"), f"{caller} reads members of {node.name}"
        return slot.__get__(node)

    return property(read)


_MEMBERS = ("functions", "attributes", "classes")
# A class of the upstream whose members are read only by the questions that are recorded.
_Watched: Any = type(
    "_Watched", (Class,), {"__slots__": (), **{name: _by_question(vars(Class)[name]) for name in _MEMBERS}}
)


def _watched(node: Class) -> Class:
    made: Class = object.__new__(_Watched)
    for name in Class.__slots__:
        value = getattr(node, name)
        vars(Class)[name].__set__(made, tuple(map(_watched, value)) if name == "classes" else value)
    return made


def _watching(source: bytes) -> ModuleTable:
    table = extract(source)
    return replace(table, classes=tuple(map(_watched, table.classes)))


@given(upstreams())
def test_members_of_upstream_classes_are_read_by_name(files: Files) -> None:
    own = BACKEND.tree(tables())
    watched = Universe((ModuleTree(files, ("lib",), tables(_watching), str.encode), own), follow=(own,))
    assert discover(BACKEND, watched, ("lib",), KNOWLEDGE) == contracts(files)
