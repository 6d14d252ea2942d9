"""Kept contracts of a backend that changes: with them discovery finds what it finds without."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.contracts.discovery import Found
from syncbot.contracts.sources import Backend, in_memory
from tests.impact.test_contract_cache import FIRST, Counting, contracts, opened

# Each file of the backend in several versions; None where it is missing.
VERSIONS: dict[str, list[str | None]] = {
    "plugin/__init__.py": ["", "from plugin.base import *\n", "from .base import Own, made\nfrom . import helpers\n", None],
    "plugin/base.py": [
        "from lib.base import Base, make\nclass Own(Base):\n    def run(self, a, b): ...\n    left = 1\n"
        "def made(): return make(1)\n",
        "from lib.base import Base, make\nfrom lib.config import Config\nclass Own(Base):\n    config: Config\n"
        "    def run(self, a, b, c=1): ...\n    def telling_name_here(self): ...\n"
        "def made() -> Own: return Own()\n",
        "class Own: ...\ndef made(): ...\n",
        "from lib.base import make as made\nfrom lib.tool import Tool as Own\n",
        None,
    ],
    "plugin/helpers.py": [
        "def call(function, *args): return function(*args)\ndef put(owner, name, value): setattr(owner, name, value)\n"
        "def hand(**kwargs): return kwargs\n",
        "from lib.base import Base, helper\ndef call(function, *args): return function(*args, two=2)\n"
        "def put(owner, value): owner.run = value\ndef hand(**kwargs): return helper(1, **kwargs)\n",
        "from lib.base import helper as call, make as put\nhand = 1\n",
        None,
    ],
    "plugin/users.py": [
        "import lib.base\nimport plugin\nfrom lib.base import helper, make\nfrom plugin.base import Own, made\n"
        "from plugin.helpers import call, hand, put\n"
        "class Mine(Own):\n    def run(self, a, b):\n        return super().run(a, b), self.config.size, self.left\n"
        "made().step(1), made().config.size, Own().run(1, 2), call(helper, 1, 2), hand(two=3)\n"
        "put(lib.base.Base, 'run', Mine.run)\nplugin.made().run(1)\nunknown.telling_name_here\n",
        "from plugin import *\nfrom plugin import helpers\nhelpers.hand(two=1)\nmade().config.size\nOwn.ITEMS\n",
        None,
    ],
    "plugin/placing.py": [
        "import lib.base\nfrom lib.base import Base\nfrom plugin import functions\n"
        "from plugin.functions import placed\nBase.run = placed\nlib.base.helper = functions.other\n",
        "from lib.tool import Tool\nfrom plugin.functions import placed\nTool.run = placed\n",
        "from lib.base import Base\nfrom plugin.functions import made\nBase.run = made(Base.run)\n"
        "def use(base: Base):\n    base.run = made(1)\n",
        "from plugin.functions import placed\nplaced(1)\n",
        "import lib.base\nfrom plugin.functions import placed as ours, other\nTARGET = lib.base.Base\n"
        "class Mixin:\n    run = ours\ndef patch():\n    TARGET.run = ours\n    setattr(TARGET, 'step', other)\n",
        None,
    ],
    "plugin/functions.py": [
        "def placed(self, a, b=1):\n    return self.config.size, self.run(1, 2)\ndef other(one, two): ...\n",
        "from lib.config import Config\ndef placed(self: Config):\n    return self.size\n",
        "def placed(self): ...\ndef made(kept):\n    def inner(self, a):\n        return self.config.size\n    return inner\n",
        None,
    ],
    "plugin/operators.py": [
        "import torch\ntorch.ops.lib.first(1)\ntorch.ops.lib.second(2)\n",
        "import torch\nfrom torch.library import Library\nours = Library('lib', 'DEF')\nours.define('first(int a) -> int')\n",
        None,
    ],
    "plugin/alone.py": [
        "from lib.base import helper\nhelper(1, 2)\nother.another_telling_name\n",
        "def another_telling_name(): ...\n",
    ],
    "plugin/asked.py": [
        "def asking(config, n):\n    return config.size\nclass Asking:\n    def __init__(self, thing):\n"
        "        thing.config.size\n",
        "def asking(n, config):\n    return config.size\ndef other(config: int):\n    return config.size\n",
        "from plugin.base import Own as Asking\ndef asking(): ...\n",
        None,
    ],
    "plugin/asker.py": [
        "from lib.base import Base\nfrom plugin.asked import Asking, asking\ndef use(base: Base):\n"
        "    asking(base.config, 1)\n    Asking(base)\n",
        "from lib.config import Config\nfrom plugin import asked\ndef use(config: Config, own):\n"
        "    asked.asking(own.left, config)\n    asked.Asking(own)\n",
        "from plugin.base import Own as Asking, made as asking\ndef use():\n    asking(made().config)\n",
        "import lib.base\nfrom plugin.asked import Asking, asking\nBASE = lib.base.Base()\nclass Holder:\n"
        "    kept = BASE\n    def use(self):\n        asking(self.kept.config, 1)\nAsking(BASE)\n",
        None,
    ],
    "plugin/registering.py": [
        "from torch.library import Library\nours = Library('lib', 'DEF')\nours.define('second(int a) -> int')\n",
        "from torch.library import Library, custom_op\nLIB, SCHEMA = 'lib', 'second(int a) -> int'\n"
        "ours = Library(LIB, 'DEF')\nours.define(SCHEMA)\n"
        "@custom_op('lib::first', mutates_args=())\ndef first(a: int) -> int: ...\n",
        None,
    ],
}  # fmt: skip

_WORD = re.compile(r"\w+")

Files = Mapping[str, str | None]
WHOLE: Files = {path: texts[0] for path, texts in VERSIONS.items()}


def backend(files: Files) -> Backend:
    return in_memory({path: text for path, text in files.items() if text is not None})


@st.composite
def backends(draw: st.DrawFn) -> Backend:
    return backend({path: draw(st.sampled_from(texts)) for path, texts in VERSIONS.items()})


def _same(path: Path, states: list[Backend]) -> None:
    """Assert that the cache of earlier states does not change the contracts that are found in each state."""
    for state in states:
        cache = opened(path, state)
        assert contracts(FIRST, cache, state) == contracts(FIRST, backend=state)
        cache.write()


@pytest.mark.long
@given(st.lists(backends(), min_size=2, max_size=4))
def test_contracts_are_the_same_with_a_cache(
    tmp_path_factory: pytest.TempPathFactory, states: list[Backend]
) -> None:
    _same(tmp_path_factory.mktemp("cache") / "kept", states)


@pytest.mark.parametrize("path", list(VERSIONS))
def test_one_file_changes_at_a_time(tmp_path: Path, path: str) -> None:
    whole = backend(WHOLE)
    states = [backend({**WHOLE, path: text}) for text in VERSIONS[path]]
    _same(tmp_path / "kept", [s for state in states for s in (whole, state)])
    _same(tmp_path / "other", [*states, *reversed(states)])


@pytest.mark.long
@pytest.mark.parametrize("path", list(VERSIONS))
def test_any_line_may_go_and_come_back(tmp_path: Path, path: str) -> None:
    whole = backend(WHOLE)
    lines = (WHOLE[path] or "").splitlines(keepends=True)
    for index in range(len(lines)):
        shorter = backend({**WHOLE, path: "".join(lines[:index] + lines[index + 1 :])})
        _same(tmp_path / "kept", [shorter, whole])


@st.composite
def another_word(draw: st.DrawFn) -> tuple[Files, Files]:
    """A backend, and the same with another of its words in place of one."""
    files = {path: draw(st.sampled_from(texts)) for path, texts in VERSIONS.items()}
    path = draw(st.sampled_from([path for path, text in files.items() if text]))
    words = list(_WORD.finditer(files[path] or ""))
    replaced = draw(st.sampled_from(words))
    known = sorted({word for text in files.values() for word in _WORD.findall(text or "")})
    head, tail = replaced.string[: replaced.start()], replaced.string[replaced.end() :]
    return files, {**files, path: head + draw(st.sampled_from(known)) + tail}


@pytest.mark.long
@given(another_word())
def test_any_word_may_be_another(
    tmp_path_factory: pytest.TempPathFactory, states: tuple[Files, Files]
) -> None:
    before, after = map(backend, states)
    _same(tmp_path_factory.mktemp("cache") / "kept", [before, after, before])


@pytest.mark.parametrize("path", list(VERSIONS))
def test_a_file_may_be_a_test_by_now(tmp_path: Path, path: str) -> None:
    whole = backend(WHOLE)
    files = tuple(
        file if file.path != path else type(file)(file.path, file.module, file.text, True)
        for file in whole.files
    )
    _same(tmp_path / "kept", [whole, Backend(whole.root, files), whole])


def test_the_lines_of_other_files_do_not_count(tmp_path: Path) -> None:
    making, placing = VERSIONS["plugin/functions.py"][2], VERSIONS["plugin/placing.py"][2]
    assert making is not None
    whole = {**WHOLE, "plugin/functions.py": making, "plugin/placing.py": placing}
    lower = backend({**whole, "plugin/functions.py": f"\n\n{making}"})
    assert "plugin/placing.py" not in _anew(tmp_path / "kept", backend(whole), lower)


def _anew(path: Path, before: Backend, after: Backend) -> set[str]:
    """The files that are walked when a backend becomes another one."""
    for state in (before, after):
        cache = Counting(path.parent, path.stem, "1", state, state.defined)
        assert contracts(FIRST, cache, state) == contracts(FIRST, backend=state)
        cache.write()
    return set(cache.anew)


def test_the_same_backend_is_not_walked_again(tmp_path: Path) -> None:
    assert not _anew(tmp_path / "kept", backend(WHOLE), backend(WHOLE))


@pytest.mark.parametrize(
    ("path", "text", "anew"),
    [
        ("plugin/alone.py", "from lib.base import helper\nhelper(1)\n", set()),
        ("plugin/helpers.py", f"{WHOLE['plugin/helpers.py']}\n# said\n", set()),
        (
            "plugin/helpers.py",
            (WHOLE["plugin/helpers.py"] or "").replace("return kwargs", "return {**kwargs}"),
            {"plugin/users.py"},
        ),
        ("plugin/functions.py", f"{WHOLE['plugin/functions.py']}\n# said\n", set()),
        ("plugin/functions.py", f"\n\n{WHOLE['plugin/functions.py']}def more(): ...\n", set()),
        (
            "plugin/functions.py",
            (WHOLE["plugin/functions.py"] or "").replace("self.run(1, 2)", "self.run(1)"),
            {"plugin/placing.py"},
        ),
        (
            "plugin/asker.py",
            (WHOLE["plugin/asker.py"] or "").replace("asking(base.config, 1)", "asking(base, 1)"),
            {"plugin/asked.py"},
        ),
        ("plugin/asker.py", f"{WHOLE['plugin/asker.py']}def more(): ...\n", set()),
        ("plugin/new.py", "from plugin.asked import asking\n", set()),
        ("plugin/new.py", "from plugin.asked import asking\ndef use(): asking(1, 2)\n", {"plugin/asked.py"}),
        ("plugin/placing.py", f"{WHOLE['plugin/placing.py']}def more(): ...\n", set()),
        (
            "plugin/placing.py",
            (WHOLE["plugin/placing.py"] or "").replace("Base.run =", "Base.step ="),
            {"plugin/functions.py"},
        ),
        ("plugin/registering.py", f"{WHOLE['plugin/registering.py']}def more(): ...\n", set()),
        (
            "plugin/registering.py",
            (WHOLE["plugin/registering.py"] or "").replace("second", "third"),
            {"plugin/operators.py"},
        ),
        ("plugin/new.py", "def another_telling_name(): ...\n", {"plugin/alone.py"}),
        ("plugin/new.py", "import torch\ndef made(): ...\n", set()),
    ],
)
def test_only_what_may_see_a_change_is_walked_again(
    tmp_path: Path, path: str, text: str, anew: set[str]
) -> None:
    changed = backend({**WHOLE, path: text})
    assert _anew(tmp_path / "kept", backend(WHOLE), changed) == {path, *anew}


def test_each_state_finds_its_own_again(tmp_path: Path) -> None:
    one, other = backend(WHOLE), backend({**WHOLE, "plugin/helpers.py": None, "plugin/users.py": None})
    walked = []
    for name, state in (("1", one), ("2", other), ("1", one), ("2", other)):
        cache = Counting(tmp_path, "kept", name, state, state.defined)
        assert contracts(FIRST, cache, state) == contracts(FIRST, backend=state)
        cache.write()
        walked.append(len(cache.anew))
    assert walked[0] == len(one.files)
    assert walked[1] < len(other.files)
    assert walked[2:] == [0, 0]


def test_other_packages_are_another_backend(tmp_path: Path) -> None:
    before, after = backend(WHOLE), backend({**WHOLE, "lib_plugin/__init__.py": "import lib\n"})
    assert _anew(tmp_path / "kept", before, after) == {file.path for file in after.files}


def test_what_was_found_of_files_that_are_gone_is_not_kept(tmp_path: Path) -> None:
    path, whole = tmp_path / "kept", backend(WHOLE)
    _same(path, [whole, backend({**WHOLE, "plugin/users.py": None})])

    class Known(Counting):
        def known(self) -> Mapping[str, Found]:
            return self._files

    rest = backend({**WHOLE, "plugin/users.py": None})
    cache = Known(path.parent, path.stem, "1", rest, rest.defined)
    contracts(FIRST, cache, rest)
    assert "plugin/users.py" not in cache.known()
