"""Keywords that upstream hands on to a data class."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = """
from dataclasses import dataclass
import pydantic
from pydantic import BaseModel


{decorator}
class Options{base}:
    model: str
    {field}: int = 1


class Engine:
    def __init__(self, model{explicit}, **kwargs):
        if "quiet" not in kwargs:
            kwargs["quiet"] = True
        self.options = Options(model=model, **kwargs)
"""
CALL = "from lib.a import Engine\n\n\ndef run(model, more):\n    return Engine(model, {given})\n"


def _lib(field: str, explicit: str = "", decorator: str = "@dataclass", base: str = "") -> str:
    return LIB.format(decorator=decorator, base=base, field=field, explicit=explicit)


@pytest.mark.parametrize("explicit", ["", ", swap=1"])
@pytest.mark.parametrize("given", ["swap=4", "swap=4, **more"])
def test_a_field_that_is_gone(explicit: str, given: str) -> None:
    told = compare(_lib("swap", explicit), _lib("other"), CALL.format(given=given))
    assert told == ["parameter-removed lib.a.Engine.__init__ breaks 5 swap"]


@pytest.mark.parametrize(
    ("decorator", "base", "given"),
    [
        pytest.param("@dataclass", "", "quiet=True", id="the function knows it"),
        pytest.param("@dataclass", "", "**more", id="nobody sees it passed"),
        pytest.param("", "(BaseModel)", "swap=4", id="a model leaves it out"),
        pytest.param("@pydantic.dataclasses.dataclass", "", "swap=4", id="so does pydantic's data class"),
        pytest.param("@unknown", "", "swap=4", id="nobody knows what it takes"),
    ],
)
def test_what_may_go_well(decorator: str, base: str, given: str) -> None:
    old, new = (_lib(field, decorator=decorator, base=base) for field in ("swap", "other"))
    assert [row for row in compare(old, new, CALL.format(given=given)) if " breaks " in row] == []
