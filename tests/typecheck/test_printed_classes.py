"""Checkers print the last part of a name, which several classes may have."""

from __future__ import annotations

import pytest

from .conftest import Upstream

pytestmark = pytest.mark.long

TOOL = "class Tool:\n    def lift(self) -> int:\n        return 1\n"
USES = "from up.shop import make\n\n\ndef run() -> int:\n    return make().lift()\n"


def sold(module: str) -> str:
    return f"from {module} import Tool\n\n\ndef make() -> Tool:\n    return Tool()\n"


def test_a_class_that_is_imported_nowhere_here_is_known_by_its_name(upstream: Upstream) -> None:
    upstream.files |= {"up/hammer.py": TOOL, "up/shop.py": sold("up.hammer")}
    upstream.commit("Sell tools")
    upstream.shas[:] = upstream.shas[-1:]
    guilty = upstream.change("up/hammer.py", "def lift(", "def raise_(")
    (impact,) = upstream.impacts(USES)
    assert (impact.commit, impact.symbol) == (guilty, "up.hammer.Tool.lift")


def test_a_class_of_that_name_in_a_module_that_is_not_used_is_not_blamed(upstream: Upstream) -> None:
    """Nothing that the backend imports leads to the class that lost its method; what it uses is its own."""
    upstream.files["up/unused.py"] = TOOL
    upstream.commit("Add tools")
    upstream.shas[:] = upstream.shas[-1:]
    upstream.change("up/unused.py", "def lift(", "def raise_(")
    own = TOOL + "\n\ndef make() -> Tool:\n    return Tool()\n"
    upstream.write_backend({"plugin/own.py": own.replace("lift", "other")})
    source = "import up\nfrom plugin.own import make\n\n\ndef run() -> int:\n    return make().lift()\n"
    assert upstream.impacts(source) == []


def test_a_class_of_that_name_that_stood_there_all_along_is_not_where_another_went(
    upstream: Upstream,
) -> None:
    """The class that is used is a new one; that of the same name elsewhere never was in its place."""
    upstream.files |= {"up/other.py": TOOL.replace("lift", "turn"), "up/hammer.py": "", "up/shop.py": ""}
    upstream.commit("Have another tool")
    upstream.shas[:] = upstream.shas[-1:]
    upstream.files |= {"up/hammer.py": TOOL, "up/shop.py": sold("up.hammer")}
    upstream.commit("Sell tools")
    found = upstream.impacts(USES.replace("lift", "turn"))
    assert "up.other.Tool.turn" not in {impact.symbol for impact in found}


def test_a_class_that_moved_is_the_same(upstream: Upstream) -> None:
    upstream.files |= {"up/hammer.py": TOOL, "up/shop.py": sold("up.hammer")}
    upstream.commit("Sell tools")
    upstream.shas[:] = upstream.shas[-1:]
    del upstream.files["up/hammer.py"]
    upstream.files |= {"up/drill.py": TOOL.replace("lift", "raise_"), "up/shop.py": sold("up.drill")}
    guilty = upstream.commit("Move tools, and call it otherwise")
    (impact,) = upstream.impacts(USES.replace("import make", "import Tool, make") + "\n\nTool\n")
    assert (impact.commit, impact.symbol) == (guilty, "up.hammer.Tool.lift")
