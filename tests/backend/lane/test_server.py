"""A server that cannot start says why, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest
from vllm_npu_cases.server import Server, ServerError, arguments


def test_arguments_of_the_engine_are_options_of_the_command() -> None:
    settings = {
        "max_model_len": 512,
        "enforce_eager": True,
        "enable_prefix_caching": False,
        "limit": {"image": 3},
    }
    assert arguments(settings) == [
        *("--max-model-len", "512", "--enforce-eager", "--no-enable-prefix-caching"),
        *("--limit", '{"image": 3}'),
    ]


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    before = set(psutil.Process().children(recursive=True))
    server = Server(tmp_path, {"no_such_option": 1}, tmp_path / "log")
    with (
        pytest.raises(ServerError, match=r"ended with code 2 before it was ready: .*--no-such-option"),
        server,
    ):
        pytest.fail("it started")
    assert set(psutil.Process().children(recursive=True)) <= before
