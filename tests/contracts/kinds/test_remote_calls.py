"""Calls that Ray makes elsewhere."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = "class Engine:\n    def __init__(self, a{more}): ...\n\n\ndef run(a{more}): ...\n"
HEAD = "import ray\nfrom ray import remote\nfrom lib.a import Engine, run\n"


@pytest.mark.parametrize(
    ("backend", "symbol"),
    [
        ("ray.remote(Engine).remote(1)", "Engine.__init__"),
        ("remote(Engine).options(num_gpus=1).remote(1)", "Engine.__init__"),
        ("ray.remote(num_gpus=1)(Engine).remote(a=1)", "Engine.__init__"),
        ("ray.remote(run).remote(1)", "run"),
        ("Actor = ray.remote(Engine)\nActor.options(name='e').remote(1)", "Engine.__init__"),
        ("@ray.remote\nclass Own(Engine): ...\nOwn.remote(1)", "Engine.__init__"),
        (
            "@ray.remote(num_gpus=1)\nclass Own(Engine): ...\nOwn.options(name='e').remote(1)",
            "Engine.__init__",
        ),
    ],
)
def test_what_ray_calls(backend: str, symbol: str) -> None:
    old, new = LIB.format(more=""), LIB.format(more=", b")
    line = HEAD.count("\n") + len(backend.splitlines())
    assert compare(old, new, HEAD + backend) == [f"parameter-added lib.a.{symbol} breaks {line} b"]


@pytest.mark.parametrize(
    "backend",
    [
        "ray.remote(Engine).remote(1, 2)",
        "ray.remote(Engine).remote(1, b=2)",
        "other.remote(Engine).remote(1)",
        "ray.remote(Engine).other(1)",
        "ray.put(Engine).remote(1)",
        "class Own(Engine): ...\nOwn.remote(1)",
        "@ray.remote\ndef own(a): ...\nown.remote(1)",
        "Actor = Engine\nActor.remote(1)",
        "def f(Actor):\n    Actor.remote(1)\nActor = ray.remote(Engine)",
        "ray.remote(Engine).remote(*arguments)",
    ],
)
def test_what_fits_or_is_not_called(backend: str) -> None:
    assert compare(LIB.format(more=""), LIB.format(more=", b"), HEAD + backend) == []
