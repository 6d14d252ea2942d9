"""A run tells which functions it executed, in all of its processes, and nothing else runs differently."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# A distribution of its own, as the simulator.
sys.path.insert(0, str(Path(__file__).parents[2] / "simulator" / "vllm" / "src"))

from vllm_npu_cases import check, executed

from syncbot.lanes.code_units import IMPORTED, units

SOURCES = Path(__file__).parents[2] / "simulator" / "vllm" / "src"
MODULE = '''\
"""A module."""
from __future__ import annotations
import os

def deco(f):
    """A decorator."""
    return f

@deco
def decorated():
    return 1

def called(x=len("a")):
    def inner():
        return x
    return inner()

async def later(): ...

class Base:
    """A class."""
    def method(self):
        return called()
    @property
    def value(self):
        return 1
    @value.setter
    def value(self, new): ...

if os.name:
    def twice(): return 1
else:
    def twice(): return 2
'''
PROGRAM = """
import os, subprocess, sys
from vllm_npu_cases import executed
from recorded import module, __name__ as name
assert module.__doc__ == "A module." and module.Base.__doc__ == "A class."
mode = sys.argv[1]
if mode == "call":
    module.Base().method()
elif mode == "thread":
    import threading
    thread = threading.Thread(target=module.Base().method)
    thread.start(); thread.join()
elif mode == "fork":
    if os.fork() == 0:
        module.twice()
        os.kill(os.getpid(), 9)
    os.wait()
elif mode == "spawn":
    subprocess.run([sys.executable, "-c", "from recorded import module; module.twice()"], check=True)
elif mode == "follow":
    module.decorated()
    if os.fork() == 0:
        os.environ[executed.FOLDER] += ".child"
        executed.follow()
        module.twice()
        os._exit(0)
    os.wait()
elif mode == "shared":
    from pathlib import Path
    made = Path(os.environ[executed.FOLDER] + ".made")
    with executed.shared(made):
        module.twice()
    module.decorated()
elif mode == "include":
    from pathlib import Path
    executed.include(Path(os.environ[executed.FOLDER] + ".made"))
"""


def run(tmp_path: Path, mode: str) -> dict[str, list[str]]:
    package = tmp_path / "recorded"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").touch()
    (package / "module.py").write_text(MODULE)
    path = [str(executed.STARTUP), str(tmp_path), str(SOURCES)]
    given = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path),
        executed.PACKAGES: "recorded",
        executed.FOLDER: str(tmp_path / "ran"),
    }
    subprocess.run([sys.executable, "-c", PROGRAM, mode], env=given, check=True)
    return executed.executed([tmp_path / "ran"])


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("nothing", []),
        ("call", ["Base.method", "called"]),
        ("thread", ["Base.method", "called"]),
        ("fork", ["twice"]),
        ("spawn", ["twice"]),
        ("follow", ["decorated"]),
        ("shared", ["decorated", "twice"]),
    ],
)
def test_what_ran_in_any_process(tmp_path: Path, mode: str, expected: list[str]) -> None:
    # A decorator runs when the module is imported; its own code has the empty name.
    assert run(tmp_path, mode) == {
        "recorded/__init__.py": [""],
        "recorded/module.py": sorted(["", "deco", *expected]),
    }


def test_a_child_that_was_forked_for_a_run_counts_for_that_run(tmp_path: Path) -> None:
    run(tmp_path, "follow")
    child = executed.executed([tmp_path / "ran.child"])
    assert child["recorded/module.py"] == ["", "deco", "decorated", "twice"]


def test_what_is_made_once_counts_for_all_who_use_it(tmp_path: Path) -> None:
    run(tmp_path, "shared")
    for file in (tmp_path / "ran").iterdir():
        file.unlink()
    assert run(tmp_path, "include")["recorded/module.py"] == ["", "deco", "twice"]
    assert executed.executed([tmp_path / "ran.made"]) == {"recorded/module.py": ["twice"]}


def test_nothing_is_recorded_where_nobody_asks(tmp_path: Path) -> None:
    path = os.pathsep.join([str(executed.STARTUP), str(SOURCES)])
    given = {name: value for name, value in os.environ.items() if name != executed.PACKAGES}
    code = "import builtins, sys; print(hasattr(builtins, '__ran__'), sys.meta_path[0].__class__.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=given | {"PYTHONPATH": path},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("False ")


def test_another_module_that_python_starts_with_has_its_turn(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import builtins\nbuiltins.started = 1\n")
    path = os.pathsep.join([str(executed.STARTUP), str(tmp_path)])
    subprocess.run(
        [sys.executable, "-c", "assert started"], env=os.environ | {"PYTHONPATH": path}, check=True
    )


def test_the_names_are_those_that_evidence_is_held_against() -> None:
    every = [
        *SOURCES.rglob("*.py"),
        *(SOURCES.parents[1] / "src").rglob("*.py"),
        *Path("backend/src").rglob("*.py"),
    ]
    assert len(every) > 100
    for source in [MODULE.encode(), *(file.read_bytes() for file in every)]:
        names, tree = executed.recorded(source, "a.py")
        assert {IMPORTED, *names} == units(source).digests.keys()
        compile(tree, "a.py", "exec", dont_inherit=True)
    assert executed.recorded(MODULE.encode(), "a.py")[0].count("twice#2") == 1


def test_what_a_function_is_read_as_stays() -> None:
    """A mark stands behind the docstring and on the line of what follows it."""
    _, tree = executed.recorded(MODULE.encode(), "a.py")
    marked = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "deco")
    assert ast.get_docstring(marked) == "A decorator."
    assert marked.body[1].lineno == marked.body[2].lineno


def test_references_that_no_run_asked_do_not_count(tmp_path: Path) -> None:
    folder = tmp_path / "torch_npu_sim" / "references"
    folder.mkdir(parents=True)
    texts = {"norm": "from torch_npu_sim.references import helper", "helper": "", "lora": "", "__init__": ""}
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    found = {f"torch_npu_sim/references/{name}.py": [""] for name in texts} | {
        "torch_npu_sim/operators.py": [""]
    }
    found["torch_npu_sim/references/norm.py"] = ["", "rms_norm"]
    kept = executed.counted(found, tmp_path)
    assert set(found) - set(kept) == {"torch_npu_sim/references/lora.py"}
    missed = {**found, "torch_npu_sim/operators.py": ["", "refuse"]}
    assert executed.counted(missed, tmp_path)["torch_npu_sim/references/"] == ["*"]


def test_the_functions_that_decide_are_there() -> None:
    names = units(Path(check.__file__).read_bytes()).digests
    assert set(check._DECIDES) <= set(names)
    assert Path(check.__file__).as_posix().endswith(check._KEY)
    assert json.dumps(list(check._DECIDES))
    operators = SOURCES.parents[1] / "src/torch_npu_sim/operators.py"
    assert "refuse" in units(operators.read_bytes()).digests
