"""Names that a module's ``__getattr__`` gives."""

from __future__ import annotations

import pytest

from syncbot.api.import_closure import top_level_imports
from tests.contracts.world import compare, tree, universe

GIVING = "def __getattr__(name):\n    {}\n    raise AttributeError(name)\n"
HOME = "class New:\n    def m(self, a): ...\n"


def given(body: str) -> str | None:
    """Return the name of the class that ``lib.old.Old`` resolves to, None if it is no class."""
    found = universe({"lib/old.py": GIVING.format(body), "lib/new.py": HOME}).resolve("lib.old.Old")
    assert found is not None
    return found.name if found.kind == "class" else None


@pytest.mark.parametrize(
    "body",
    [
        "if name == 'Old':\n        from .new import New\n        warn('moved')\n        return New",
        "if name == 'Old':\n        from lib.new import New as Old\n        return Old",
        "if name == 'Other':\n        return 1\n    elif name == 'Old':\n        from .new import New\n        return New",
        "match name:\n        case 'Old':\n            from .new import New\n            return New",
    ],
)
def test_what_it_spells_out(body: str) -> None:
    assert given(body) == "lib.new.New"


@pytest.mark.parametrize(
    "body",
    [
        "if name != 'Old':\n        from .new import New\n        return New",
        "if other == 'Old':\n        from .new import New\n        return New",
        "if name == 'Old':\n        from .new import New\n        return wrapped(New)",
        "if name == 'Else':\n        from .new import New\n        return New",
        "match name:\n        case 'Old' if new:\n            from .new import New\n            return New",
    ],
)
def test_what_it_leaves_open(body: str) -> None:
    assert given(body) is None


def test_it_is_not_imported_before_it_is_asked_for() -> None:
    texts = {
        "lib/old.py": GIVING.format("if name == 'Old':\n        from .new import New\n        return New")
    }
    assert list(top_level_imports(tree(texts), "lib.old")) == []


def test_a_class_that_is_reached_by_its_old_name() -> None:
    old = {"lib/old.py": HOME.replace("New", "Old")}
    lazy = GIVING.format("if name == 'Old':\n        from .new import New\n        return New")
    use = "from lib.old import Old\ndef g(x: Old):\n    x.m(1)\n"
    new = {"lib/old.py": lazy, "lib/new.py": HOME.replace("a)", "a, b)")}
    assert compare(old, new, use) == ["parameter-added lib.new.New.m breaks 3 b"]
    assert compare(old, {**new, "lib/new.py": HOME}, use) == []
