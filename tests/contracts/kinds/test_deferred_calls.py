"""Calls that a thread, a process or an event loop makes later: they break where the function runs."""

from __future__ import annotations

import pytest

from tests.contracts.compare import told

OLD = "def work(path, size=0): ...\n"
NEW = "def work(path, size=0, *, owner): ...\n"
IMPORT = "import asyncio, atexit, threading, weakref\nfrom engine.core import work\n"
REQUIRED = ["parameter-added core.work breaks 3"]


@pytest.mark.parametrize(
    "line",
    [
        "threading.Thread(target=work, args=('a',)).start()",
        "threading.Thread(None, work, 'name', ('a',)).start()",
        "threading.Timer(1.0, work, ['a']).start()",
        "asyncio.to_thread(work, 'a', size=2)",
        "pool.submit(work, 'a')",
        "pool.apply_async(work, ('a',), {'size': 1})",
        "loop.run_in_executor(None, work, 'a')",
        "loop.call_soon(work, 'a')",
        "loop.call_later(3, work, 'a')",
        "atexit.register(work, 'a')",
        "weakref.finalize(thing, work, 'a')",
    ],
)
def test_what_is_handed_on_with_its_arguments_must_bind(line: str) -> None:
    """Whoever calls it passes what is written beside it."""
    assert told(OLD, NEW, f"{IMPORT}{line}\n") == REQUIRED


@pytest.mark.parametrize(
    "line",
    [
        "threading.Thread(target=work, args=given).start()",
        "threading.Thread(target=other, args=('a',)).start()",
        "pool.submit(work, *given, **more)",
        "loop.call_soon(work, *given, **more)",
        "registry.register(work, 'a')",
        "pool.submit(work, 'a', wait=True)",
    ],
)
def test_what_may_be_passed_otherwise_is_not_told(line: str) -> None:
    """Arguments that are not seen, a function of another name, a call that never bound."""
    assert told(OLD, OLD.replace("size=0", "size"), f"{IMPORT}{line}\n") == []


def test_keywords_in_a_dictionary_that_a_variable_holds() -> None:
    """A literal that nothing changes before it is handed on."""
    plugin = """
    from threading import Thread
    from engine.core import work

    def start(more):
        given = {"path": "a", "size": 1}
        Thread(target=work, kwargs=given).start()
    """
    assert told(OLD, NEW, plugin) == ["parameter-added core.work breaks 6"]


@pytest.mark.parametrize("change", ["given['owner'] = 1", "given.update(more)", "given = more"])
def test_a_dictionary_that_changes_hides_what_is_passed(change: str) -> None:
    """The missing key may be added to the dictionary later."""
    plugin = f"""
    from threading import Thread
    from engine.core import work

    def start(more):
        given = {{"path": "a"}}
        {change}
        Thread(target=work, kwargs=given).start()
    """
    assert told(OLD, NEW, plugin) == []


HANDS_ON = """
class Worker:
    def __init__(self, size): ...

def main(*args, **kwargs):
    def stop(signal):
        return signal

    pipe = kwargs.pop("pipe")
    try:
        worker = Worker(*args, **kwargs)
    finally:
        pipe.close()
"""
STARTS = """
from multiprocessing import Process
from engine.core import main

def start(reader, writer):
    given = {"size": 1, "pipe": (reader, writer)}
    Process(target=main, kwargs=given).start()
"""


def test_a_function_that_hands_everything_on_requires_what_the_last_one_requires() -> None:
    """The call binds to ``**kwargs``, and raises behind it."""
    new = HANDS_ON.replace("size)", "size, driver)")
    assert told(HANDS_ON, new, STARTS) == ["parameter-added core.Worker.__init__ breaks 6"]


@pytest.mark.parametrize(
    "new",
    [
        HANDS_ON.replace("size)", "size, driver=None)"),
        HANDS_ON.replace("size)", "size, driver)").replace("**kwargs)\n    finally", "driver=1, **kwargs)\n    finally"),
        HANDS_ON.replace("size)", "size, driver)").replace("    try:", "    kwargs['driver'] = 1\n    try:"),
        HANDS_ON.replace("size)", "size, driver)").replace("    try:", "    if args:\n        return\n    try:"),
    ],
    ids=["has a default", "given by the one between", "put in by the one between", "may leave before"],
)  # fmt: skip
def test_what_is_given_on_the_way_is_not_required(new: str) -> None:
    """Nothing is told unless the call is sure to raise."""
    assert told(HANDS_ON, new, STARTS) == []


READS = """
def main(**kwargs):
    reader, writer = kwargs.pop("pipe")
    writer.send(1)
"""
NOW_READS = """
def main(**kwargs):
    writer = kwargs.pop("pipe")
    writer.send(1)
"""
ONE = "from threading import Thread\nfrom engine.core import main\nThread(target=main, kwargs={'pipe': (1, 2)})\n"


def test_an_attribute_that_the_literal_passed_lacks() -> None:
    """A tuple was unpacked, and is now asked for what a tuple does not have."""
    assert told(READS, NOW_READS, ONE) == ["parameter-type-changed core.main breaks 3"]
    named = "def main(pipe): writer = pipe[1]\n", "def main(pipe): pipe.send(1)\n"
    assert told(*named, "from engine.core import main\nmain(pipe=(1, 2))\n") == [
        "parameter-type-changed core.main breaks 2"
    ]


@pytest.mark.parametrize(
    "new",
    [
        NOW_READS.replace("writer.send(1)", "writer.index(1)"),
        NOW_READS.replace("    writer.send", "    if isinstance(writer, tuple):\n        writer = writer[1]\n    writer.send"),
        NOW_READS.replace("    writer.send(1)", "    if ready():\n        writer.send(1)"),
        NOW_READS.replace("writer.send(1)", "later(lambda: writer.send(1))"),
    ],
    ids=["tuples have it", "told apart before", "on a condition", "later"],
)  # fmt: skip
def test_an_attribute_that_is_not_sure_to_be_read_is_not_told(new: str) -> None:
    """The variable may hold something else, or the statement may not run."""
    assert told(READS, new, ONE) == []
