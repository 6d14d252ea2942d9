"""Processes that are spawned warm are what multiprocessing's own are: told by pickles alone, children of who asked."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "simulator" / "vllm" / "src"

PROGRAM = """
import json, multiprocessing, os, signal, sys
from pathlib import Path

state = "clean"
imported = os.getpid()


def tell(connection, lock):
    with lock:
        connection.send({"state": state, "imported": imported, "parent": os.getppid(), "given": os.environ.get("GIVEN")})
    print("said by the child", flush=True)
    if not connection.recv():
        os.kill(os.getpid(), signal.SIGKILL)
    sys.exit(7)


def spawned(go_on):
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    lock = context.Lock()
    process = context.Process(target=tell, args=(theirs, lock))
    process.start()
    theirs.close()
    said = ours.recv()
    ours.send(go_on)
    process.join()
    return said | {"code": process.exitcode, "child": said["parent"] == os.getpid(), "warm": said["imported"] == imported}


if __name__ == "__main__":
    if sys.argv[1] == "warm":
        from vllm_npu_cases import warm_spawn
        warm_spawn.begin()
    state, os.environ["GIVEN"] = "dirty", "now"
    told = [spawned(True), spawned(False)]
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.write(writing, json.dumps(spawned(True)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    told.append(json.loads(os.read(reading, 10_000)))
    print(json.dumps(told))
"""


def spawned(how: str, folder: Path) -> tuple[list[dict[str, object]], list[str]]:
    (folder / "program.py").write_text(textwrap.dedent(PROGRAM))
    done = subprocess.run(
        [sys.executable, "-m", "program", how],
        cwd=folder,
        env={"PYTHONPATH": f"{SOURCES}:{folder}"},
        capture_output=True,
        text=True,
        check=True,
    )
    *lines, last = done.stdout.splitlines()
    return json.loads(last), [*lines, *done.stderr.splitlines()]


def test_a_warm_process_sees_what_a_spawned_one_sees(tmp_path: Path) -> None:
    told, lines = spawned("warm", tmp_path)
    plainly, plain_lines = spawned("plain", tmp_path)
    seen = [(each["state"], each["given"], each["code"], each["child"]) for each in told]
    assert seen == [(each["state"], each["given"], each["code"], each["child"]) for each in plainly]
    assert seen == [("clean", "now", 7, True), ("clean", "now", -9, True), ("clean", "now", 7, True)]
    assert lines == plain_lines
    # Forked where it was prepared; a fork of that process spawns as always.
    assert [each["warm"] for each in told] == [True, True, False]
    assert [each["warm"] for each in plainly] == [False, False, False]
