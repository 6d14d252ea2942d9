"""Objects of a class that is gone, where another one stands in the same signatures."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """class Old:
    keys: list
    ids: list
class Base:
    def store(self, job: Old) -> None: ...
    def load(self, job: Old | None) -> None: ...
"""
NEW = OLD.replace("ids:", "chunks:").replace("Old", "New")
# Upstream asks others for it still.
ASKING = "def ask(other): return other.ids\n"
OWN = """from lib.a import Base
class Mine(Base):
    def store(self, job):
        return job.keys, job.ids
"""


def test_what_the_class_in_its_place_lacks() -> None:
    assert compare(OLD, NEW, OWN) == ["attribute-removed lib.a.Old.ids breaks 4 ids"]
    field = OLD.replace("    def load(self, job: Old | None) -> None: ...\n", "    last: Old\n")
    told = compare(field, field.replace("ids:", "chunks:").replace("Old", "New"), OWN)
    assert told == ["attribute-removed lib.a.Old.ids breaks 4 ids"]


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(NEW.replace("chunks:", "ids:"), id="it has it"),
        pytest.param(NEW.replace("job: New |", "job: Base |") + ASKING, id="another one elsewhere"),
        pytest.param(NEW.replace("job: New) ->", "job) ->") + ASKING, id="one place only"),
        pytest.param(NEW.replace("class New:", "class New(Unseen):"), id="a base that nobody sees"),
        pytest.param(NEW.replace("job: New", "job: list") + ASKING, id="no class of upstream"),
    ],
)
def test_what_may_have_it(new: str) -> None:
    rows = [row for row in compare(OLD, new, OWN) if "ids" in row and " breaks " in row]
    # What the parameter itself is declared as tells the same without any successor.
    assert [row for row in rows if not row.startswith("parameter-type")] == []


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(NEW.replace("job: New |", "job: Base |"), id="another one elsewhere"),
        pytest.param(NEW.replace("job: New) ->", "job) ->"), id="one place only"),
        pytest.param(NEW.replace("job: New", "job: list"), id="no class of upstream"),
    ],
)
def test_what_nothing_upstream_has_or_asks_for(new: str) -> None:
    assert "name-vanished lib.a.Old.ids breaks 4 ids" in compare(OLD, new, OWN)


def test_what_is_asked_for_before() -> None:
    own = OWN.replace("return job.keys, job.ids", "return job.ids if hasattr(job, 'ids') else job.chunks")
    assert [row for row in compare(OLD, NEW, own) if " breaks " in row] == []
