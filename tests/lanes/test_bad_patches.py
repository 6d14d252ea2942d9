"""Patch files that cannot be right: one line with the file and the mistake, exit code 2, nothing written."""

from __future__ import annotations

import pytest

from .conftest import Project, write

HEAD = """\
id: 2.0.0-a
upstream: {name: up, first_version: 2.0.0}
symbol: up.things
reason: r
"""
MOVED = HEAD + "rewrites:\n- rule: import_moved\n  arguments: {old: up.utils.., new: up.things}\n"
CODE = HEAD + "code: a.py\n"
FAILS = "def forward(module):\n    return module\n\n\ndef backward(module):\n    return {}[module]\n"


@pytest.mark.parametrize("command", [("patch", "test", "2.0.0-a"), ("apply",), ("apply", "--check")])
@pytest.mark.parametrize(
    ("patch", "code", "says"),
    [
        (MOVED, "", "patches/2.0.0-a.yaml: rewrites[0].arguments of import_moved: old: 'up.utils..' is not a"),
        (CODE, FAILS, "patch 2.0.0-a, rule code (backward): src/mine/__init__.py: a.py: backward raises KeyError"),
        (CODE, "raise SystemExit(0)\n", "patches/a.py: cannot be loaded: SystemExit(0)"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(
    project: Project, command: tuple[str, ...], patch: str, code: str, says: str
) -> None:
    write(project.root, {"patches/2.0.0-a.yaml": patch, "patches/a.py": code})
    project.configure("allow_patch_code = true")
    before = project.files()
    exit_code, output = project.run(*command)
    assert exit_code == 2, output
    assert says in output
    assert len(output.strip().splitlines()) == 1
    assert project.files() == before
