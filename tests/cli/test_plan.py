"""``syncbot plan``: steps, proofs, edits and tasks; ``syncbot check --only`` says whether a task is done."""

from __future__ import annotations

import itertools
import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .conftest import Project

RANGE = ("--from", "v0.1.0")


@pytest.fixture
def moved(project: Project) -> Project:
    """Upstream moves a module, adds what nobody here names, changes requirements, and removes a function."""
    project.move_a_module()
    project.files["engine/models.py"] = "class Model:\n    pass\n"
    project.commit("A model (#8)")
    project.files["requirements.txt"] = "numpy>=2\n"
    project.commit("Newer numpy (#9)")
    project.change("engine/text.py", "def split(text: str) -> tuple[str, str]:\n    return text, text\n", "")
    own = project.plugin / "src/plugin/worker.py"
    project.write(
        {"src/plugin/worker.py": own.read_text() + "\n\ndef shown(split: str) -> str:\n    return split\n"}
    )
    return project


def plan(project: Project, *args: str) -> dict[str, Any]:
    result = project.run("plan", *RANGE, "--format", "json", *args)
    assert result.exit_code in (0, 1), result.output
    value: dict[str, Any] = json.loads(result.stdout)
    return value


def commits(value: dict[str, Any]) -> dict[str, str]:
    return {each["subject"]: each["standing"] for step in value["steps"] for each in step["commits"]}


def test_each_commit_is_in_one_step_and_said_to_be_what_it_is(moved: Project) -> None:
    value = plan(moved)
    assert list(commits(value).values()) == ["breaks", "harmless", "unsaid", "breaks"]
    harmless = [each for step in value["steps"] for each in step["commits"] if "proof" in each]
    assert [each["subject"] for each in harmless] == ["A model (#8)"]
    assert harmless[0]["modules"] == ["engine.models"]
    assert harmless[0]["met"] == []
    [shown] = [line for line in moved.run("plan", *RANGE).stdout.splitlines() if line.startswith("step 1: ")]
    assert shown.endswith(", 4 commits: 2 with breaks, 1 harmless, 1 unsaid")


def test_requirements_of_developers_alone_are_harmless(project: Project) -> None:
    paths = ["requirements/test.txt", "requirements-dev.txt", "docs/setup.py", "requirements/latest.txt"]
    for path in paths:
        project.files[path] = "numpy>=2\n"
        project.commit(path)
    said = commits(plan(project))
    assert [said[path] for path in paths] == ["harmless", "harmless", "harmless", "unsaid"]


OPTION = "def add(p):\n    p.add_argument('--rows', default={})\n\n\nSIZE = {}\n"


BINDING = '#ifdef {}\nops.def("a() -> ()");\n#endif\nint rows() {{ return {}; }}\n'


@pytest.mark.parametrize(
    ("path", "before", "after", "standing"),
    [
        ("csrc/kernel.cu", "void kernel() {}\n", "void kernel(int rows) {}\n", "harmless"),
        ("csrc/bindings.cpp", 'ops.def("a() -> ()");\n', 'ops.def("a(int b) -> ()");\n', "unsaid"),
        ("csrc/bindings.cpp", "TORCH_LIBRARY(own, ops) {}\n", "", "unsaid"),
        ("csrc/bindings.cpp", BINDING.format("GPU", 1), BINDING.format("GPU", 2), "harmless"),
        ("csrc/bindings.cpp", BINDING.format("GPU", 1), BINDING.format("CPU", 1), "unsaid"),
        ("csrc/lib.rs", "fn a() {}\n", "fn a(b: u8) {}\n", "unsaid"),
        ("engine/bench.py", OPTION.format(1, 1), OPTION.format(2, 1), "unsaid"),
        ("engine/bench.py", OPTION.format(1, 1), OPTION.format(1, 2), "harmless"),
        ("engine/bench.py", OPTION.format(1, 1), OPTION.format(1, "("), "unsaid"),
        ("engine/tools/a.py", OPTION.format(1, 1), OPTION.format(2, 1), "unsaid"),
        ("engine/serve.py", "SIZE = 1\n", "from engine.worker import Worker\n", "unsaid"),
        (
            "engine/serve.py",
            "from engine.worker import Worker\n",
            "import engine.worker as Worker\n",
            "harmless",
        ),
        ("engine/serve.py", "SIZE = 1\n", "from engine.config import Config\n", "harmless"),
        ("tools/a.py", OPTION.format(1, 1), OPTION.format(2, 1), "harmless"),
    ],
)
def test_what_is_met_without_a_contract_is_not_proven(
    project: Project, path: str, before: str, after: str, standing: str
) -> None:
    project.files[path] = before
    project.commit("before")
    project.files[path] = after
    project.commit("after")
    assert commits(plan(project))["after"] == standing


CHECKED = "from typing import TYPE_CHECKING\nif TYPE_CHECKING: {}: int\n"


@pytest.mark.parametrize(
    ("before", "after", "standing"),
    [
        ('"""Text."""', '"""Strings."""  # all of them', "harmless"),
        ("", '"""Strings."""', "unsaid"),
        ('SIZE = "a"', 'SIZE = "b"', "unsaid"),
        ("SIZES = {'a': 1}", "SIZES = {'b': 2, 'a': 1}", "harmless"),
        ("SIZES = {'a': 1}", "SIZES = {'a': 1, 'a': 2}", "unsaid"),
        ("SIZES = {'a': 1, 'b': 2}", "SIZES = {'b': 2, 'a': 1}", "unsaid"),
        ("SIZES = {'a': 1}", "SIZES: dict = {'a': 1, 'b': 2}", "unsaid"),
        ("TYPE_CHECKING = False", "TYPE_CHECKING = True", "unsaid"),
        (CHECKED.format("a"), CHECKED.format("b: int; a"), "harmless"),
        (CHECKED.format("a"), CHECKED.format("b"), "unsaid"),
    ],
)
def test_comments_docstrings_and_new_entries_are_harmless(
    project: Project, before: str, after: str, standing: str
) -> None:
    code = project.files["engine/text.py"]
    project.files["engine/text.py"] = f"{before}\n{code}"
    project.commit("before")
    project.files["engine/text.py"] = f"{after}\n{code}"
    project.commit("after")
    assert commits(plan(project))["after"] == standing


def test_the_bounds_cut_and_harmless_commits_take_no_room(moved: Project) -> None:
    steps = plan(moved, "--commits", "1")["steps"]
    assert [[each["standing"] for each in step["commits"]] for step in steps] == [
        ["breaks", "harmless"],
        ["unsaid"],
        ["breaks"],
    ]
    assert all(one["new"] == other["old"] for one, other in itertools.pairwise(steps))


def test_the_patches_of_the_steps_apply_one_after_the_other(moved: Project, tmp_path: Path) -> None:
    moved.change("engine/worker.py", "batch: list[int])", "batch: list[int], step: int)", "Count steps")
    moved.change("engine/worker.py", "execute([1])", "execute([1], step=1)", "Pass steps (#10)")
    folder = tmp_path / "plan"
    result = moved.run("plan", *RANGE, "--commits", "1", "--output", str(folder))
    assert result.exit_code == 1, result.output
    patches = sorted((folder / "steps").iterdir())
    assert len(patches) == 2
    for patch in patches:
        subprocess.run(["git", "apply", "--verbose", patch], cwd=moved.plugin, check=True)
    text = (moved.plugin / "src/plugin/worker.py").read_text()
    assert "from engine.settings import Config" in text
    assert "batch: list[int], step: int)" in text


def test_with_a_version_to_keep_the_patches_have_gates(moved: Project, tmp_path: Path) -> None:
    settings = moved.plugin / "pyproject.toml"
    head = (
        "[tool.syncbot]\ngate = 'up_is(\"{version}\")'\ngate_import = 'from plugin.versions import up_is'\n"
    )
    settings.write_text(head + settings.read_text())
    diff = plan(moved, "--keep", "0.1.0")["steps"][0]["diff"]
    assert '+if up_is("0.1.0"):' in diff
    assert "+    from engine.settings import Config" in diff


def test_a_task_ends_when_its_command_says_so(moved: Project, tmp_path: Path) -> None:
    folder = tmp_path / "plan"
    assert moved.run("plan", *RANGE, "--output", str(folder)).exit_code == 1
    (task,) = (folder / "tasks").iterdir()
    text = task.read_text()
    assert len(text.encode()) <= 8_000
    head = json.loads(text.split("```")[1].removeprefix("json"))
    assert head["symbol"] == "engine.text.split"
    assert head["files"] == ["src/plugin/worker.py"]
    assert "-def split(text: str)" in text
    assert "head, tail = split(self.name)" in text
    command = shlex.split(head["done_when"])[1:]
    assert moved.run(*command).exit_code == 1
    own = moved.plugin / "src/plugin/worker.py"
    own.write_text(
        own.read_text().replace("clean, split", "clean").replace("split(self.name)", "(self.name, '')")
    )
    done = moved.run(*command)
    assert done.exit_code == 0, done.output
    assert moved.run("check", *command[1:5], "--engine", "contracts").exit_code == 1  # the moved module


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (("--only", "yesterday"), "--only takes the id of an impact, as reports print it"),
        (("--only", "abc"), "--only takes the id of an impact, as reports print it"),
    ],
)
def test_what_is_no_id_is_refused(project: Project, args: tuple[str, ...], line: str) -> None:
    result = project.run("check", *RANGE, *args)
    assert result.exit_code == 2
    assert line in result.output


def test_a_folder_that_exists_is_refused_and_stays(moved: Project, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("mine")
    result = moved.run("plan", *RANGE, "--output", str(tmp_path))
    assert result.exit_code == 2
    assert "exists: name a folder that is not there yet" in result.output
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["kept"]


def test_without_anything_to_do_the_plan_says_so(project: Project) -> None:
    result = project.run("plan", *RANGE)
    assert result.exit_code == 0
    assert "0 commits in 0 steps" in result.output
