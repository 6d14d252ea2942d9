"""Flags of upstream's command line."""

from __future__ import annotations

from syncbot.api.options import flag_name
from tests.contracts.world import findings

PARSER = """
def add(parser):
    parser.add_argument("--block-size", "-b", type=int)
    parser.add_argument("--eager", action="store_true")
"""
NEW = PARSER.replace('    parser.add_argument("--block-size", "-b", type=int)\n', "")


def test_a_flag_is_told_as_it_is_written() -> None:
    plugin = {"use.py": 'run(["--block_size=16", "--block-size"])\n'}
    found = findings({"engine/a.py": PARSER}, {"engine/a.py": NEW}, plugin)
    reasons = sorted(f.reason for f in found)
    assert reasons == [
        "upstream no longer defines the flag --block-size (before: engine.a)",
        "upstream no longer defines the flag --block-size, spelled --block_size here (before: engine.a)",
    ]


def test_ways_to_write_a_flag() -> None:
    written = ["--a-b", "--a_b=1", "--no-a-b", "-a", "---", "a--b", "--a b"]
    assert [flag_name(text) for text in written] == ["a_b", "a_b", "a_b", None, None, None, None]
