"""Names that upstream begins to call deprecated."""

from __future__ import annotations

import pytest

from tests.contracts.compare import told

OLD = '''
import warnings
from typing_extensions import deprecated

class Config:
    """What a user sets."""

    fusion: bool = False
    """Whether to fuse."""

    other: int = 1

    def size(self):
        """How much."""
        return 1

class Special(Config):
    pass

def setup(kind):
    """Set up."""
    return kind
'''
FIELD = OLD.replace('"""Whether to fuse."""', '"""Deprecated in v2: use `fuse`. Will be removed in v3."""')
USE = "from engine import core\nfrom engine.core import Special\ndef use(config: Special):\n    return {}\n"


@pytest.mark.parametrize(
    ("new", "read", "symbol"),
    [
        (FIELD, "config.fusion", "Config.fusion"),
        (FIELD.replace("Deprecated", "Whether to fuse. Deprecated"), "config.fusion", "Config.fusion"),
        (OLD.replace("    def size", "    @deprecated('use length')\n    def size"), "config.size()", "Config.size"),
        (OLD.replace('"""How much."""', 'warnings.warn("gone soon", DeprecationWarning)'), "config.size()",
         "Config.size"),
        (OLD.replace('"""How much."""', '"""How much.\n\n        .. deprecated:: 2\n        """'),
         "config.size()", "Config.size"),
        (OLD.replace('"""Set up."""', '"""DEPRECATED: use begin."""'), "core.setup(1)", "setup"),
        (OLD.replace('"""What a user sets."""', '"""[Deprecated] use Options."""'), "core.Config()", "Config"),
    ],
)  # fmt: skip
def test_what_is_said_of_it_is_told_where_it_is_used(new: str, read: str, symbol: str) -> None:
    assert f"deprecated core.{symbol} at-risk 4" in told(OLD, new, USE.format(read))
    assert not [row for row in told(new, new, USE.format(read)) if "deprecated" in row]


def test_an_import_uses_the_name() -> None:
    new = OLD.replace('"""Set up."""', '"""Deprecated: use begin."""')
    assert told(OLD, new, "from engine.core import setup\n") == ["deprecated core.setup at-risk 1"]


@pytest.mark.parametrize(
    ("new", "read"),
    [
        (FIELD, "config.other"),
        (FIELD, "config.fusions"),
        (OLD.replace("Whether to fuse.", "Whether to fuse, also where the deprecated way was taken."),
         "config.fusion"),
        (OLD.replace('"""How much."""', 'if self.other:\n            warnings.warn("no", DeprecationWarning)'),
         "config.size()"),
        (OLD.replace('"""How much."""', 'warnings.warn("take care")'), "config.size()"),
        (OLD.replace("    def size", "    @former('deprecated')\n    def size"), "config.size()"),
    ],
)  # fmt: skip
def test_something_else_is_said(new: str, read: str) -> None:
    assert not [row for row in told(OLD, new, USE.format(read)) if row.startswith("deprecated")]
