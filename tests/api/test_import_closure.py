"""The modules that an import loads."""

from __future__ import annotations

from syncbot.api.import_closure import closure, top_level_imports
from tests.contracts.world import tree

FILES = {
    "lib/__init__.py": "from . import b\n",
    "lib/a.py": "import os\nfrom lib.sub import deep\n\ndef f():\n    import lib.late\n",
    "lib/b.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import lib.late\n",
    "lib/late.py": "",
    "lib/sub/__init__.py": "",
    "lib/sub/deep.py": "from .. import a\n",
}


def test_what_a_module_imports() -> None:
    assert list(top_level_imports(tree(FILES), "lib.a")) == ["os", "lib.sub", "lib.sub.deep"]
    assert list(top_level_imports(tree(FILES), "lib.nothing")) == []


def test_all_that_comes_along() -> None:
    assert closure(tree(FILES), ["lib.a"]) == {"lib", "lib.a", "lib.b", "lib.sub", "lib.sub.deep"}
    assert closure(tree(FILES), ["lib.late"]) == {"lib", "lib.b", "lib.late"}
    assert closure(tree(FILES), ["other"]) == frozenset()
