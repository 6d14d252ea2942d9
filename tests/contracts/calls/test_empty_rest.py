"""A function hands on its ``**`` parameter, and nobody passes more to it than it declares."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "def serve(app, **more): ...\n"
NEW = "def serve(app, sock, **more): ...\n"
HEAD = "from lib.a import serve\n"
RUN = "def run(app, port=1, **more):\n    serve(app, port=port, **more)\n"


@pytest.mark.parametrize(
    "plugin",
    [
        RUN + "run(1)\n",
        RUN + "run(1, port=2)\n",
        "async def run(app, **more):\n    await serve(app, **more)\nloop(run(1))\n",
    ],
)
def test_what_is_missing_is_told(plugin: str) -> None:
    assert [row.split()[0] for row in compare(OLD, NEW, HEAD + plugin)] == ["parameter-added"]


@pytest.mark.parametrize(
    "plugin",
    [
        pytest.param(RUN, id="nobody calls it here"),
        pytest.param(RUN + "run(1, sock=2)\n", id="it is passed"),
        pytest.param(RUN + "run(1)\nrun(1, sock=2)\n", id="it is passed once"),
        pytest.param(RUN + "def go(**more):\n    run(1, **more)\n", id="anything may be passed"),
        pytest.param(RUN + "run(1)\nstart(run)\n", id="somebody else may call it"),
        pytest.param("@command\n" + RUN + "run(1)\n", id="a decorator may pass it"),
        pytest.param(
            "def run(app, **more):\n    more['sock'] = 1\n    serve(app, **more)\nrun(1)\n", id="put in"
        ),
        pytest.param(
            "def run(app, **more):\n    fill(more)\n    serve(app, **more)\nrun(1)\n", id="may be put in"
        ),
        pytest.param(
            "class Mine:\n    def run(self, app, **more):\n        serve(app, **more)\nMine().run(1)\n",
            id="a method",
        ),
    ],
)
def test_what_may_be_passed(plugin: str) -> None:
    assert compare(OLD, NEW, HEAD + plugin) == []


@pytest.mark.parametrize(
    ("other", "kinds"),
    [
        ("def run(app, **more): ...\nrun(1, sock=2)\n", ["parameter-added"]),
        ("from plugin.use import run\nrun(1, sock=2)\n", []),
        ("import plugin.use\nplugin.use.run(1, sock=2)\n", []),
    ],
)
def test_a_function_of_that_name_elsewhere(other: str, kinds: list[str]) -> None:
    files = {"plugin/__init__.py": "", "plugin/use.py": HEAD + RUN + "run(1)\n", "plugin/other.py": other}
    assert [row.split()[0] for row in compare(OLD, NEW, files)] == kinds
