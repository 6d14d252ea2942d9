"""Run witnesses on one side of a change: in upstream's environment, apart from network and files."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from syncbot.errors import EnvironmentFailure
from syncbot.isolation.run_command import last_words, run
from syncbot.isolation.variables import few
from syncbot.witness.model import Ending, Program

_SERVER = Path(__file__).with_name("server.py")
#: Of one program, after the imports; of all imports together; of memory.
_SECONDS, _IMPORT_SECONDS, _BYTES = 30.0, 600.0, 6 << 30
# All of it together may take so many times as long on the clock of a busy machine.
_SLEEP = 20


def endings(
    programs: Mapping[str, Program], python: Path, prepare: str, tree: Path, log: Path
) -> Mapping[str, Ending]:
    """How each program ended, by its name, with the modules of ``tree`` before all others. ``prepare`` is
    Python text that runs before all imports. Raises
    EnvironmentFailure when the interpreter does not get as far as the programs."""
    with tempfile.TemporaryDirectory(prefix="witness-") as scratch:
        folder = Path(scratch)
        tasks, answers = folder / "tasks.json", folder / "answers.jsonl"
        task = {
            "seconds": _SECONDS,
            "bytes": _BYTES,
            "prepare": prepare,
            "imports": _modules(list(programs.values())),
            "programs": {name: program.text for name, program in programs.items()},
        }
        tasks.write_text(json.dumps(task), encoding="utf-8")
        log.unlink(missing_ok=True)
        environment = {
            **few(os.environ, folder),
            "PYTHONPATH": str(tree),
            "PYTHONDONTWRITEBYTECODE": "1",
            "CUDA_VISIBLE_DEVICES": "",
        }
        done = run(
            [str(python), str(_SERVER), str(tasks), str(answers)],
            log,
            environment=environment,
            folder=folder,
            timeout=_SLEEP * (_IMPORT_SECONDS + _SECONDS * len(programs)),
            apart_in=folder,
            unchanged=(tree, python.parent.parent),
        )
        lines = answers.read_text(encoding="utf-8").splitlines() if answers.exists() else []
    found = {}
    for line in lines:
        said = json.loads(line)
        found[said["program"]] = Ending(tuple(said["raised"]), said["message"], said["seconds"])
    if len(found) < len(programs):
        why = "took too long" if done.code is None else last_words(log)
        raise EnvironmentFailure(f"witnesses did not run to their end: {why} (log: {log})")
    return found


def _modules(programs: Sequence[Program]) -> list[str]:
    return list(dict.fromkeys(module for program in programs for module in program.imports))
