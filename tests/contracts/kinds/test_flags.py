"""Flags of upstream's command line."""

from __future__ import annotations

import pytest

from syncbot.api.options import flag_name
from tests.contracts.compare import compare as engine_compare
from tests.contracts.world import Files, compare

PARSER = """
def add(parser):
    parser.add_argument("--block-size", "-b", type=int)
    parser.add_argument("--eager", action="store_true")
"""
NEW = PARSER.replace('    parser.add_argument("--block-size", "-b", type=int)\n', "")


@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        ('run(["serve", "--block-size", "16"])\n', ["flag-removed --block-size breaks 1 block_size"]),
        ('run(["serve", "--block_size=16"])\n', ["flag-removed --block-size breaks 1 block_size"]),
        ('said("--block-size")\n', ["flag-removed --block-size breaks 1 block_size"]),
        ('said(feature="--block-size")\n', ["flag-removed --block-size at-risk 1 block_size"]),
        ('run(command=["--block-size"])\n', ["flag-removed --block-size breaks 1 block_size"]),
        ("def f(args):\n    return args.block_size\n", ["flag-removed --block-size at-risk 2 block_size"]),
    ],
)
def test_a_flag_that_is_gone(backend: str, expected: list[str]) -> None:
    assert compare(PARSER, NEW, backend) == expected


OWN = 'def g(parser):\n    parser.add_argument("--block-size")\n\n'


@pytest.mark.parametrize(
    ("old", "new", "backend"),
    [
        pytest.param(PARSER, NEW, 'run(["--eager"])\n', id="another flag"),
        pytest.param(PARSER, NEW, OWN + 'run(["--block-size"])\n', id="the backend's own"),
        pytest.param(
            PARSER, NEW, 'def pytest_addoption(p):\n    p.addoption("--block-size")\n', id="pytest's"
        ),
        pytest.param(
            PARSER, NEW, 'def f(request):\n    request.config.getoption("--block-size")\n', id="asked of it"
        ),
        pytest.param(PARSER, NEW, 'print("--block-size is a flag")\n', id="a sentence"),
        pytest.param(PARSER, NEW, "def f(layer):\n    return layer.block_size\n", id="another object"),
        pytest.param(
            PARSER,
            NEW + '@click.option("--block-size")\ndef f(): ...\n',
            'run(["--block-size"])\n',
            id="an option of click",
        ),
        pytest.param({"lib/a.py": PARSER}, {"lib/b.py": PARSER}, 'run(["--block-size"])\n', id="moved"),
        pytest.param(
            {"lib/a.py": PARSER, "lib/b.py": PARSER},
            {"lib/a.py": NEW, "lib/b.py": PARSER},
            'run(["--block-size"])\n',
            id="defined elsewhere too",
        ),
    ],
)
def test_flags_of_no_concern(old: Files, new: Files, backend: str) -> None:
    assert compare(old, new, backend) == []


def test_a_flag_is_told_as_it_is_written() -> None:
    plugin = {"use.py": 'run(["--block_size=16", "--block-size"])\n'}
    found = engine_compare({"engine/a.py": PARSER}, {"engine/a.py": NEW}, plugin)
    reasons = sorted(f.reason for f in found)
    assert reasons == [
        "upstream no longer defines the flag --block-size (before: engine.a)",
        "upstream no longer defines the flag --block-size, spelled --block_size here (before: engine.a)",
    ]


def test_ways_to_write_a_flag() -> None:
    written = ["--a-b", "--a_b=1", "--no-a-b", "-a", "---", "a--b", "--a b"]
    assert [flag_name(text) for text in written] == ["a_b", "a_b", "a_b", None, None, None, None]


def test_a_flag_that_is_made_of_a_field() -> None:
    fields = "class Arguments:\n    block_size: int = 16\n"
    loop = "def add(parser):\n    for key in fields(Arguments):\n        parser.add_argument(f'--{key}')\n"
    use = 'run(["serve", "--block-size", "16"])\n'
    assert compare(PARSER, fields + loop, use) == []
    told = ["flag-removed --block-size breaks 1 block_size"]
    assert compare(PARSER, fields.replace("block_size", "other") + loop, use) == told
    assert compare(PARSER, fields + NEW, use) == told
