"""libcst is imported by who works on a tree, and not by who asks which rule fits."""

from __future__ import annotations

import subprocess
import sys

import libcst
import pytest

from syncbot.patching import lazy_libcst as cst

_ASK = """
import sys
from syncbot.contracts.changes import ChangeKind, NameDetails
from syncbot.impact.model import Impact, Location, Verdict
from syncbot.patching.proposals import fix, propose
impact = Impact(
    "1", "c", None, "up.old.Tool", ChangeKind.SYMBOL_MOVED, Verdict.BREAKS, (Location("own/a.py", 1, 1),), "moved",
    details=NameDetails(old="up.old.Tool", new="up.new.Tool"), contract="import",
)
print(fix(propose(impact)).rule, "libcst" in sys.modules)
"""


def test_a_proposal_does_without_libcst() -> None:
    told = subprocess.run([sys.executable, "-c", _ASK], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["import_moved", "False"]


def test_names_are_those_of_libcst_and_of_its_metadata() -> None:
    assert cst.Module is libcst.Module
    assert cst.ImportAssignment is libcst.metadata.ImportAssignment
    with pytest.raises(AttributeError, match="Modul"):
        cst.Modul  # noqa: B018
