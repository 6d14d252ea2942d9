"""All that the environment tells the simulator: typed, in one place, and refused where it is wrong."""

from __future__ import annotations

import ast
from dataclasses import asdict
from pathlib import Path

import pytest
from torch_npu_sim.settings import VARIABLES, SettingsError, read_settings, variable

PACKAGE = Path(__file__).parents[2] / "simulator/src/torch_npu_sim"
#: What compilers and Triton read themselves.
FOREIGN = {
    "device/build.py": {"CXX"},
    "triton/interpreter.py": {"TRITON_INTERPRET"},
    "triton/bfloat16.py": {"TRITON_INTERPRET"},
}


def test_without_variables() -> None:
    assert asdict(read_settings({"HOME": "/nobody"})) | {"cache": None} == {
        "wheel": None,
        "version": None,
        "devices": 8,
        "memory": 4 << 30,
        "csrc": (),
        "defines": None,
        "stand_ins": (),
        "triton": None,
        "strict": False,
        "float32": False,
        "compiled": None,
        "took_effect": None,
        "cache": None,
    }
    assert read_settings({"XDG_CACHE_HOME": "/caches"}).cache == Path("/caches/torch-npu-sim")


@pytest.mark.parametrize(
    ("setting", "text", "value"),
    [
        ("wheel", "/w/torch_npu-2.13.0-x.whl", Path("/w/torch_npu-2.13.0-x.whl")),
        ("wheel", "", None),
        ("version", "2.11.0.post3", (2, 11, 0)),
        ("devices", "2", 2),
        ("memory", "512M", 512 << 20),
        ("csrc", "a.cpp:/b", (Path("a.cpp"), Path("/b"))),
        ("defines", "ONE, TWO", ("ONE", "TWO")),
        ("defines", "", ()),
        ("stand_ins", "acl, a.b_C = json,", (("acl", ""), ("a.b_C", "json"))),
        ("triton", "absent", "absent"),
        ("strict", "1", True),
        ("strict", "0", False),
        ("float32", "1", True),
        ("compiled", "/devices", Path("/devices")),
        ("cache", "/kept", Path("/kept")),
    ],
)
def test_each_is_read_as_what_it_is(setting: str, text: str, value: object) -> None:
    assert asdict(read_settings({variable(setting): text}))[setting] == value


@pytest.mark.parametrize(
    ("setting", "text", "said"),
    [
        ("version", "new", "no version such as 2.11.0.post3"),
        ("devices", "many", "no number of at least 1"),
        ("devices", "0", "no number of at least 1"),
        ("memory", "much", "no amount of memory: write 4GiB, 512M or a number of bytes"),
        ("defines", "A B", "no list of macros' names with commas between"),
        ("stand_ins", "acl=", "no list of modules, such as acl,plugin.plugin_C=other"),
        ("stand_ins", "vllm-ascend", "no list of modules, such as acl,plugin.plugin_C=other"),
        ("triton", "compiled", "none of absent, interpreted, ascend"),
        ("strict", "yes", "neither 0 nor 1"),
        ("float32", "true", "neither 0 nor 1"),
    ],
)
def test_a_wrong_value_is_refused_in_one_line(setting: str, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read_settings({variable(setting): text})
    assert str(refused.value) == f"{variable(setting)}={text} is {said}"


def test_no_other_module_reads_or_names_a_variable() -> None:
    """Elsewhere they are in texts alone that people read; and the environment is asked for nothing else."""
    for path in PACKAGE.rglob("*.py"):
        if path.name == "settings.py":
            continue
        place = path.relative_to(PACKAGE).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constants = {
            n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)
        }
        assert not constants & {each.name for each in VARIABLES.values()}, place
        read = {
            node.args[0].value if isinstance(node.args[0], ast.Constant) else ast.unparse(node.args[0])
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("os.environ.get", "os.getenv")
        }
        assert place == "__main__.py" or read <= FOREIGN.get(place, set()), place
