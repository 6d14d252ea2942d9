"""Flags that the backend adds to a parser of upstream."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

ARGS = """
class Args:
    @staticmethod
    def add_cli_args(parser):
        group = parser.add_argument_group()
        group.add_argument("--eager")
        return parser
"""
MORE = ARGS.replace('"--eager")', '"--eager")\n        group.add_argument("--backend", "-b")')
CLI = "from lib.args import Args\n\n\ndef make_parser(parser):\n    return Args.add_cli_args(parser)\n"
HEAD = "from argparse import ArgumentParser\nfrom lib.args import Args\nfrom lib.cli import make_parser\n"
TOLD = ["flag-taken --backend breaks"]


def _told(plugin: str, old: str = ARGS, new: str = MORE) -> list[str]:
    files = {"lib/__init__.py": "", "lib/cli.py": CLI}
    found = compare({**files, "lib/args.py": old}, {**files, "lib/args.py": new}, HEAD + plugin)
    return [" ".join(row.split()[:3]) for row in found]


@pytest.mark.parametrize(
    "plugin",
    [
        "def go(p):\n    p = make_parser(p)\n    p.add_argument('--backend')\n",
        "def go(p):\n    make_parser(p)\n    p.add_argument('--backend', type=str)\n",
        "def go(p):\n    p.add_argument('--backend')\n    Args.add_cli_args(parser=p)\n",
        "def go(p):\n    g = p.add_argument_group('x')\n    g.add_argument('--backend')\n    make_parser(p)\n",
        "p = make_parser(ArgumentParser())\np.add_argument('-k', '--backend')\n",
    ],
)
def test_a_flag_that_upstream_adds_as_well(plugin: str) -> None:
    assert _told(plugin) == TOLD
    assert _told(plugin, MORE) == []


@pytest.mark.parametrize(
    "plugin",
    [
        pytest.param("def go(p):\n    p = make_parser(p)\n    p.add_argument('--back')\n", id="another flag"),
        pytest.param("def go(p):\n    p.add_argument('--backend')\n", id="a parser of its own"),
        pytest.param(
            "def go(p, q):\n    make_parser(q)\n    p.add_argument('--backend')\n", id="another parser"
        ),
        pytest.param("def go(p):\n    fill(p)\n    p.add_argument('--backend')\n", id="filled by others"),
        pytest.param("def go(p):\n    p = make_parser(p)\n    p.set('--backend')\n", id="no flag"),
    ],
)
def test_what_upstream_does_not_add(plugin: str) -> None:
    assert _told(plugin) == []
