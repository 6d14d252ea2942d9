"""Facts that many kinds of logs hold: seeds of users, prefixes of processes, archives' lines, long logs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.triage.folded_failures import Reading, causes, folded
from syncbot.triage.line_prefixes import normalised
from syncbot.triage.log_lines import telling_lines
from syncbot.triage.model import Frame, Line
from syncbot.triage.process_streams import parsed
from syncbot.triage.read_logs import read


def reading(text: str | bytes) -> Reading:
    data = text.encode() if isinstance(text, str) else text
    return folded(parsed("log", [data]))


def told(text: str | bytes) -> list[str]:
    return [failure.text for failure in causes(reading(text))]


# What a maintainer wrote down after an upgrade.
NOTES = """\
```bash
TypeError: MMEncoderAttention.__init__() got an unexpected keyword argument 'multimodal_config'
```

https://example.com/pull/31972

```bash
# 共享专家为空:
FAILED tests/e2e/multicard/2-cards/test_data_parallel.py::test_qwen3_inference_dp2[32-Qwen/Qwen3-30B-A3B]
# pytest -sv --durations=0 tests/e2e/multicard/2-cards/test_data_parallel.py

# AssertionError: Can't unpack a tensor of 512 rows into a tuple of 2 elements.
# pytest -sv --durations=0 tests/e2e/multicard/2-cards/test_full_graph_mode.py
FAILED tests/e2e/multicard/2-cards/test_full_graph_mode.py::test_qwen3_moe_full_decode_only_tp2

# AssertionError: Error in memory profiling. Initial free memory 39909924864, current free memory 47541829632. \
This happens when the NPU memory was not properly cleaned up before initializing the vLLM instance.
FAILED tests/e2e/multicard/2-cards/test_external_launcher.py::test_qwen3_external_launcher_with_sleepmode

# AttributeError: '_OpNamespace' '_C' object has no attribute 'get_cuda_view_from_cpu_tensor'
# Failed tests/e2e/singlecard/model_runner_v2/test_basic.py::test_qwen3_dense_eager_mode[True-32-Qwen/Qwen3-0.6B]

FAILED tests/e2e/multicard/2-cards/test_full_graph_mode.py::test_qwen3_moe_full_decode_only_tp2
```
"""


def test_errors_in_notes_are_found() -> None:
    found = reading(NOTES)
    symptoms = [f.symptom for f in causes(found) if f.symptom is not None]
    assert [(s.kind, s.subject, s.names) for s in symptoms] == [
        ("unexpected-keyword", "MMEncoderAttention.__init__", ("multimodal_config",)),
        ("unpacking", "", ()),
        ("out-of-memory", "", ()),
        ("operator", "_C.get_cuda_view_from_cpu_tensor", ("get_cuda_view_from_cpu_tensor",)),
    ]
    assert [test.test.rpartition("::")[2] for test in found.unexplained] == [
        "test_qwen3_inference_dp2[32-Qwen/Qwen3-30B-A3B]",
        "test_qwen3_moe_full_decode_only_tp2",
        "test_qwen3_external_launcher_with_sleepmode",
        "test_qwen3_dense_eager_mode[True-32-Qwen/Qwen3-0.6B]",
    ]


@pytest.mark.parametrize(
    ("raw", "process", "logged", "text"),
    [
        ("(Worker_TP0 pid=12) ERROR 01-20 10:00:00 [worker.py:597]   File", "Worker_TP0 pid=12",
         "ERROR [worker.py:597]", "  File"),
        ("\x1b[1;36m(EngineCore_DP0 pid=3)\x1b[0;0m INFO 01-20 10:00:00 [v1/core.py:1] x", "EngineCore_DP0 pid=3",
         "INFO [v1/core.py:1]", "x"),
        ("[rank0]: Traceback", "rank0", "", "Traceback"),
        ("[rank0]:     x()", "rank0", "", "    x()"),
        ("(EngineCore pid=1) (Worker pid=2) x", "EngineCore pid=1, Worker pid=2", "", "x"),
        ("(RayWorker pid=7, ip=10.0.0.2) x", "RayWorker pid=7, ip=10.0.0.2", "", "x"),
        ("[1,3]<stderr>:x", "rank3", "", "x"),
        ("2026-01-20T10:00:00.1234567Z E   TypeError: x", "", "", "E   TypeError: x"),
        ("\ufeff2026-01-20T10:00:00.1234567Z x", "", "", "x"),
        ("tests (3.11)\tRun tests\t2026-01-20T10:00:00.1234567Z x", "", "", "x"),
        ("worker-1  | (APIServer pid=1) x", "APIServer pid=1", "", "x"),
        ("2026-01-20 10:00:00,123 - engine.core - ERROR - x", "", "ERROR", "x"),
        ("ERROR:engine.core:x", "", "ERROR", "x"),
        ("[ERROR] x", "", "ERROR", "x"),
        ("##[error]x", "", "", "x"),
        ("Loading: 10%\rLoading: 90%\rx", "", "", "x"),
        # As upstreams of other years, other servers, runners and machines write it.
        ("ERROR 03-19 20:42:17 engine.py:400] Traceback", "", "ERROR [engine.py:400]", "Traceback"),
        ("ERROR 06-03 14:54:23 engine.py:400]   File", "", "ERROR [engine.py:400]", "  File"),
        ("ERROR 06-03 14:54:23 engine.py:400]", "", "ERROR [engine.py:400]", ""),
        ("(VllmWorkerProcess pid=480) ERROR 02-28 03:24:02 multiproc_worker_utils.py:227] x",
         "VllmWorkerProcess pid=480", "ERROR [multiproc_worker_utils.py:227]", "x"),
        ("ERROR 2026-03-30 06:41:15.850 [core.py:44] x", "", "ERROR [core.py:44]", "x"),
        ("(Worker pid=8) (Worker_TP1 pid=8) [Stage-0] ERROR 03-25 09:25:32 [a.py:880]     (",
         "Worker pid=8, Worker_TP1 pid=8, Stage-0", "ERROR [a.py:880]", "    ("),
        ("[1;36m(EngineCore_DP0 pid=3)[0;0m ERROR 01-20 10:00:00 [core.py:1] x", "EngineCore_DP0 pid=3",
         "ERROR [core.py:1]", "x"),
        ("^[[0;36m(Worker_DP0 pid=6)^[[0;0m ERROR 02-23 09:19:48 [a.py:824] x^M", "Worker_DP0 pid=6",
         "ERROR [a.py:824]", "x"),
        ("<br>(EngineCore_0 pid=2) RuntimeError: x", "EngineCore_0 pid=2", "", "RuntimeError: x"),
        ("2026-05-28 06:51:40,844 - 1537 - ServiceProfiler - ERROR - x", "", "ERROR", "x"),
        ("2025-05-30 06:29:14.119 1 uvicorn.error ERROR:    Traceback", "", "ERROR", "   Traceback"),
        ("[rank9]:[E508 03:20:31.678676591 compiler_depend.ts:1693] x", "rank9",
         "ERROR [compiler_depend.ts:1693]", "x"),
        ("[2025-03-10T15:07:20Z] ERROR 03-10 08:07:20 [core.py:302] x", "", "ERROR [core.py:302]", "x"),
        ("2026-01-20T10:00:00.123456789Z stderr F (APIServer pid=1) x", "APIServer pid=1", "", "x"),
        ("[ERROR] 2026-05-08-03:20:31 (PID:758, Device:9, RankID:-1) ERR00100 x", "", "ERROR",
         "(PID:758, Device:9, RankID:-1) ERR00100 x"),
        # What only looks like a prefix.
        ("values = array[0m] engine.py:400] x", "", "", "values = array[0m] engine.py:400] x"),
        ("ERROR tests/test_a.py", "", "", "ERROR tests/test_a.py"),
        ("(a, b) = c", "", "", "(a, b) = c"),
        ("[rank] x", "", "", "[rank] x"),
        ("INFORMATION 1", "", "", "INFORMATION 1"),
    ],
)  # fmt: skip
def test_what_stands_before_a_line_is_told_apart(raw: str, process: str, logged: str, text: str) -> None:
    assert normalised(1, raw.encode() + b"\n") == Line(1, process, logged, text)


TRACEBACK = """\
Traceback (most recent call last):
  File "/usr/lib/python3/site-packages/engine/a.py", line 3, in f
    g(1)
    ~^^^
  File "<string>", line 1, in <module>
{error}
"""


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("ValueError: x", "x"),
        ("ValueError", ""),
        ("ValueError: two\n  lines", "two\nlines"),
        ("engine.errors.Broken: x", "x"),
        ("f.<locals>.Broken: x", "x"),
        ("zlib.error: x", "x"),
        ("ValueError: \n\n  after empty ones", "after empty ones"),
    ],
)
def test_the_exception_below_frames_is_read(error: str, message: str) -> None:
    (failure,) = reading(TRACEBACK.format(error=error)).failures
    assert failure.error.message == message
    assert failure.error.frames == (
        Frame("/usr/lib/python3/site-packages/engine/a.py", 3, "f", "g(1)"),
        Frame("<string>", 1, "<module>"),
    )


def test_frames_without_an_exception_are_nothing() -> None:
    assert (
        told('Traceback (most recent call last):\n  File "a.py", line 1, in f\n' + "INFO: fine\n" * 100) == []
    )


CAUSE, CONTEXT = (
    "\nThe above exception was the direct cause of the following exception:\n\n",
    "\nDuring handling of the above exception, another exception occurred:\n\n",
)


@pytest.mark.parametrize(
    ("first", "between", "last", "cause"),
    [
        ("TypeError: f() got an unexpected keyword argument 'x'", CAUSE, "RuntimeError: failed",
         "TypeError: f() got an unexpected keyword argument 'x'"),
        ("ValueError: a", CAUSE, "RuntimeError: b", "ValueError: a"),
        ("ValueError: a", CONTEXT, "RuntimeError: b", "ValueError: a"),
        # A handler that looks something up, or tries something else, fails by what it does then.
        ("KeyError: 'a'", CONTEXT, "TypeError: f() got an unexpected keyword argument 'x'",
         "TypeError: f() got an unexpected keyword argument 'x'"),
        ("KeyError: 'a'", CONTEXT, "RuntimeError: failed, see above", "KeyError: 'a'"),
        ("ConnectionResetError", CONTEXT, "TypeError: f() got an unexpected keyword argument 'x'",
         "TypeError: f() got an unexpected keyword argument 'x'"),
    ],
)  # fmt: skip
def test_the_cause_of_a_chain(first: str, between: str, last: str, cause: str) -> None:
    assert told(TRACEBACK.format(error=first) + between + TRACEBACK.format(error=last)) == [cause]


def test_tracebacks_inside_a_message_are_the_cause() -> None:
    inner = TRACEBACK.format(error="ValueError: inner")
    spawned = TRACEBACK.format(
        error=f"torch.multiprocessing.spawn.ProcessRaisedException: \n\n-- Process 1 terminated with the following error:\n{inner}"
    )
    assert told(spawned) == ["ValueError: inner"]
    frames = inner.partition("\n")[2]
    ray = TRACEBACK.format(
        error=f"ray.exceptions.RayTaskError(ValueError): ray::run() (pid=3, ip=10.0.0.1)\n{frames}"
    )
    assert told(ray) == ["ValueError: inner"]


def test_a_group_is_never_the_cause_of_its_members() -> None:
    text = """\
  + Exception Group Traceback (most recent call last):
  |   File "a.py", line 1, in f
  |     g()
  | ExceptionGroup: several (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "a.py", line 2, in one
    |     one()
    | ValueError: one
    +---------------- 2 ----------------
    | Exception Group Traceback (most recent call last):
    |   File "a.py", line 3, in two
    |     two()
    | ExceptionGroup: inner (1 sub-exception)
    +-+---------------- 1 ----------------
      | Traceback (most recent call last):
      |   File "a.py", line 4, in three
      |     three()
      | TypeError: three
      +------------------------------------
INFO 01-20 10:00:00 [a.py:1] still there
"""
    assert told(text) == ["ValueError: one", "TypeError: three"]


def interleaved(logs: Sequence[Sequence[str]]) -> str:
    """Line by line from each in turn, the longer ones to the end."""
    longest = max(map(len, logs))
    return "\n".join(log[i] for i in range(longest) for log in logs if i < len(log)) + "\n"


def test_processes_that_write_at_once_are_told_apart() -> None:
    logs = [
        [f"(Worker_TP{n} pid={n}) ERROR 01-20 10:00:00 [w.py:1] {line}" for line in text.splitlines()]
        for n, text in enumerate((TRACEBACK.format(error="ValueError: a"), TRACEBACK.format(error="TypeError: b"),
                                  TRACEBACK.format(error="ValueError: a")))
    ]  # fmt: skip
    found = {failure.text: failure for failure in reading(interleaved(logs)).failures}
    assert set(found) == {"ValueError: a", "TypeError: b"}
    assert (found["ValueError: a"].count, found["TypeError: b"].count) == (2, 1)
    assert found["ValueError: a"].processes == ("Worker_TP0 pid=0", "Worker_TP2 pid=2")


@pytest.mark.parametrize(
    "follower",
    [
        "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
        "Exception: WorkerProc initialization failed due to an exception in a background process. "
        "See stack trace for root cause.",
        "RuntimeError: Worker failed with error 'f() got an unexpected keyword argument'",
        "EOFError",
        "BrokenPipeError: [Errno 32] Broken pipe",
    ],
)
def test_what_follows_is_never_the_cause(follower: str) -> None:
    cause = "TypeError: f() got an unexpected keyword argument 'x'"
    text = TRACEBACK.format(error=cause) + "\n" + TRACEBACK.format(error=follower)
    if "Worker failed" in follower:
        text = text.replace("got an unexpected keyword argument'", "got an unexpected keyword argument 'x''")
    found = reading(text)
    assert [f.text for f in causes(found)] == [cause]
    assert found.failures[1].follows == cause


def test_without_its_cause_a_follower_says_so() -> None:
    (failure,) = reading(TRACEBACK.format(error="RuntimeError: it failed. See root cause above.")).failures
    assert failure.follows == ""


def test_equal_errors_in_two_places_stay_two() -> None:
    one = TRACEBACK.format(error="ValueError: a")
    assert told(one + "\n" + one) == ["ValueError: a"]
    assert told(one + "\n" + one.replace("line 1", "line 2")) == ["ValueError: a", "ValueError: a"]


@given(st.lists(st.sampled_from(["INFO fine", "E   x", "Error: a", "", "x" * 300, "FAILED a.py::t", "\xff"]), max_size=60),
       st.lists(st.integers(0, 3_000), max_size=5))  # fmt: skip
def test_lines_keep_their_numbers(lines: list[str], cuts: list[int]) -> None:
    data = "\n".join(lines).encode()
    places = sorted({min(cut, len(data)) for cut in cuts})
    pieces = [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]
    expected = data.split(b"\n")
    found = list(telling_lines(pieces, lambda: False))
    assert all(expected[number - 1] == raw.rstrip(b"\n") for number, raw in found)
    telling = {
        n for n, line in enumerate(expected, 1) if b"Error" in line or b"E   " in line or b"FAILED " in line
    }
    assert telling <= {number for number, _ in found}
    assert list(telling_lines(pieces, lambda: True))[: len(expected)] == [
        (n, line + b"\n" if n < len(expected) else line)
        for n, line in enumerate(expected, 1)
        if line or n < len(expected)
    ]


def test_far_from_telling_lines_nothing_is_decoded() -> None:
    quiet = b"INFO 01-20 10:00:00 [a.py:1] fine\n" * 20_000
    log = quiet + TRACEBACK.format(error="ValueError: a").encode() + quiet
    read = list(telling_lines([log[i : i + 65_536] for i in range(0, len(log), 65_536)], lambda: False))
    assert len(read) < 400
    (failure,) = reading(log).failures
    assert failure.line == 20_001


@pytest.mark.parametrize(
    ("pasted", "cause"),
    [
        (
            "TypeError: BalanceScheduler.\n__init__() got an unexpected\nkeyword argument 'hash_block_size'\n",
            "TypeError: BalanceScheduler.__init__() got an unexpected keyword argument 'hash_block_size'",
        ),
        (
            "ImportError: cannot import name 'get_mp_con\ntext' from 'engine.utils'\n\nand so on\n",
            "ImportError: cannot import name 'get_mp_context' from 'engine.utils'",
        ),
        # What is understood, or means nothing in any way, stays as it is.
        ("KeyError: 'a'\nb", "KeyError: 'a'\nb"),
        ("ValueError: two\nlines", "ValueError: two\nlines"),
    ],
)
def test_messages_that_a_reader_broke_are_put_together(pasted: str, cause: str) -> None:
    head = 'Traceback (most recent call last):\n  File "/a/engine/a.py", line 3, in f\n    g()\n'
    assert told(head + pasted) == [cause]


def test_an_excerpt_without_its_heading_is_a_traceback() -> None:
    excerpt = TRACEBACK.format(error="ValueError: a").partition("\n")[2]
    (failure,) = reading(f"words\n{excerpt}words\n").failures
    assert [frame.line for frame in failure.error.frames] == [3, 1]
    prefixed = "".join(f"[rank0]: {line}\n" for line in excerpt.splitlines())
    assert [len(f.error.frames) for f in reading(prefixed).failures] == [2]
    # Of a dump of all threads nothing was raised; what comes behind is read all the same.
    dump = 'Current thread 0x1 (most recent call first):\n  File "/a/b.py", line 3 in f\nValueError: after\n'
    (after,) = reading(dump).failures
    assert (after.text, after.error.frames) == ("ValueError: after", ())


@pytest.mark.parametrize(
    ("log", "count", "first"),
    [
        (
            "INFO 01-20 10:00:00 [a.py:1] fine\nERROR 01-20 10:00:01 a.py:7] broken\nERROR:engine:x\n",
            2,
            "broken",
        ),
        ("2026-01-20 10:00:00,123 - engine - CRITICAL - gone", 1, "gone"),
        ("NO_ERROR\nERROR tests are fine\nset ERROR=1\n", 0, ""),
    ],
)
def test_lines_that_are_marked_as_errors_are_counted(
    log: str, count: int, first: str, tmp_path: Path
) -> None:
    file = tmp_path / "run.log"
    file.write_text(log, encoding="utf-8")
    found = read([str(file)])
    assert (found.failures, found.error_lines, found.first_error) == ((), count, first)
    assert found.has_failed == bool(count)


def test_codes_of_a_device_follow_from_what_python_raised_and_lead_where_nothing_was() -> None:
    raised = TRACEBACK.format(error="TypeError: f() got an unexpected keyword argument 'x'")
    codes = "[ERROR] 2026-01-20-10:00:00 (PID:7, Device:1) ERR00100 call failed\nEI0006: Getting socket times out.\n"
    assert told(raised + codes) == ["TypeError: f() got an unexpected keyword argument 'x'"]
    assert [f.symptom.kind for f in causes(reading(codes)) if f.symptom] == ["device-runtime"]
    # Every exception of such a process is followed by a code that says nothing.
    assert told("[ERROR] 2026-01-20-10:00:00 (PID:7, Device:-1) ERR99999 UNKNOWN exception\n") == []
