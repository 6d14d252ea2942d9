"""Engines that run at a time: as many as asked for, each told of as it ends."""

from __future__ import annotations

import json
import os
import select
from collections.abc import Mapping
from threading import Thread

import pytest
from vllm_npu_cases.engine import in_children


def test_no_more_run_at_a_time_than_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    (began, begin), (may_end, end) = os.pipe(), os.pipe()
    before_an_end: list[str] = []

    def work(task: Mapping[str, str]) -> None:
        os.write(begin, task["name"].encode())
        os.read(may_end, 1)
        os._exit(task["name"] == "b")

    def let_them_end() -> None:
        # None ends until no further one begins.
        while select.select([began], [], [], 1.0)[0]:
            before_an_end.append(os.read(began, 1).decode())
        os.write(end, b"....")

    thread = Thread(target=let_them_end)
    thread.start()
    in_children([{"name": name} for name in "abcd"], 2, work)
    thread.join()
    assert sorted(before_an_end) == ["a", "b"]
    said = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert sorted((each["task"], each["code"]) for each in said) == [("a", 0), ("b", 1), ("c", 0), ("d", 0)]
