"""The code of a patch runs where patches are applied and nowhere else, and cannot end or hang what applies it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from syncbot.errors import ConfigurationError
from syncbot.isolation.command import refusal
from syncbot.patching import custom_rewrite
from syncbot.patching.model import parse

from .conftest import Project, write

PATCH = """\
id: 2.0.0-a
upstream: {name: up, first_version: 2.0.0}
symbol: up.things
reason: r
code: CODE
"""
WORKS = """\
from pathlib import Path
Path(r"{mark}").touch()
import libcst as cst

def forward(module):
    return module

def backward(module):
    return cst.parse_module(module.code.replace("things", "utils"))
"""


def patched(project: Project, text: str, code: str = "a.py") -> Path:
    """The project with one patch with code; returns the file that the code makes when it runs."""
    mark = project.root.parent / "ran"
    files = {"patches/2.0.0-a.yaml": PATCH.replace("CODE", code), "patches/a.py": text.format(mark=mark)}
    write(project.root, files)
    return mark


@pytest.mark.parametrize(
    "text", [WORKS, "import os\nos._exit(0)\n", "while True: pass\n", "1 / 0\n", "x = (\n"]
)
def test_a_check_without_permission_says_what_it_did_not_check(project: Project, text: str) -> None:
    mark = patched(project, text)
    code, output = project.run("apply", "--check")
    assert code == 2
    assert "not checked: the code of 2.0.0-a (a.py)" in output
    assert "allow_patch_code = true" in output
    assert not mark.exists()


@pytest.mark.long
def test_a_check_with_permission_runs_it(project: Project) -> None:
    mark = patched(project, WORKS)
    project.configure("allow_patch_code = true")
    assert project.run("apply", "--check")[0] == 1
    assert mark.exists()


def test_a_patch_without_code_is_checked_without_permission(project: Project) -> None:
    patched(project, WORKS)
    (project.root / "patches/2.0.0-a.yaml").write_text(
        PATCH.replace(
            "code: CODE", "rewrites:\n- {rule: import_moved, arguments: {old: up.utils, new: up.things}}"
        )
    )
    assert project.run("apply", "--check")[0] == 1


@pytest.mark.parametrize(
    "command",
    [
        ("check", "--from", "v1.0.0", "--to", "v2.0.0", "--fail-on", "never"),
        ("explain", "up.things.Thing"),
        ("triage", "{log}"),
        ("site", "--output", "{site}"),
        ("matrix",),
        ("patch", "show"),
        ("patch", "show", "2.0.0-a"),
    ],
)
def test_commands_that_apply_no_patch_run_none(
    project: Project, tmp_path: Path, command: tuple[str, ...]
) -> None:
    mark = patched(project, WORKS)
    log = tmp_path / "log"
    log.write_text('Traceback (most recent call last):\n  File "a.py", line 1, in f\nTypeError: x\n')
    words = [word.format(log=log, site=tmp_path / "site") for word in command]
    assert project.run(*words)[0] in (0, 1)
    assert not mark.exists()


@pytest.mark.long
def test_apply_runs_it(project: Project) -> None:
    mark = patched(project, WORKS)
    assert project.run("apply", "--lane", "v1.0.0")[0] in (0, 1)
    assert mark.exists()
    assert "from up.utils import Thing" in (project.root / "build/lanes/v1.0.0/src/mine/base.py").read_text()


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import os\nos._exit(0)\n", "a.py: its process ended without an answer"),
        (
            WORKS.replace("return cst", "import os; os._exit(0); return cst"),
            "a.py: its process ended without",
        ),
        ("while True: pass\n", "a.py: gave no answer within 1 s"),
        (WORKS.replace("return cst", "while True: pass\n    return cst"), "a.py: gave no answer within 1 s"),
        (
            "import os\nos.write(3, b'[1]\\n')\nos._exit(0)\n",
            "a.py: its process gave no answer that can be read",
        ),
        (
            "import os, time\nwhile not time.sleep(0.001): os.write(3, b'x' * 60_000)\n",
            "a.py: gave no answer within 1 s",
        ),
    ],
)
def test_code_that_ends_or_hangs_is_a_patch_that_failed(
    project: Project, monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    if "within" in says:
        monkeypatch.setattr(custom_rewrite, "PATIENCE", 1.0)
    patched(project, text)
    code, output = project.run("apply")
    assert code == 2
    assert says in output
    assert not (project.root / "build/lanes/v1.0.0").exists()


@pytest.mark.long
def test_it_sees_no_token_and_cannot_change_the_project(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "secret-of-mine")
    seen = project.root.parent / "seen"
    head = f"""\
import os
seen = [repr(dict(os.environ))]
try:
    open(r"{project.root}/patches/a.py", "a").write("# changed")
except OSError as error:
    seen.append(type(error).__name__)
open(r"{seen}", "w").write(" ".join(seen))
""".replace("{", "{{").replace("}", "}}")
    patched(project, head + WORKS)
    project.run("apply")
    assert "secret-of-mine" not in seen.read_text()
    assert "PATH" in seen.read_text()
    changed = (project.root / "patches/a.py").read_text().endswith("# changed")
    assert changed == bool(refusal())


@pytest.mark.parametrize("code", ["../a.py", "/tmp/a.py", "a/../../b.py", '"a\\0b.py"', "a.txt", "''"])
def test_a_file_elsewhere_is_no_code_of_a_patch(code: str) -> None:
    with pytest.raises(ConfigurationError, match="is not the name of a Python file in the folder of patches"):
        parse(PATCH.replace("CODE", code))


@pytest.mark.long
def test_a_link_out_of_the_folder_is_refused(project: Project, tmp_path: Path) -> None:
    mark = patched(project, WORKS, "b.py")
    (tmp_path / "b.py").write_text(WORKS.format(mark=mark))
    (project.root / "patches/b.py").symlink_to(tmp_path / "b.py")
    for command in (("apply",), ("apply", "--check"), ("check", "--from", "v1.0.0"), ("build", "--all")):
        code, output = project.run(*command)
        assert code == 2
        assert "b.py: leads out of the folder of patches" in output
    assert not mark.exists()
    (project.root / "patches/b.py").unlink()
    os.symlink("a.py", project.root / "patches/b.py")
    assert project.run("apply", "--lane", "v1.0.0")[0] in (0, 1)
    assert mark.exists()


def test_a_pipe_is_no_code(project: Project) -> None:
    patched(project, WORKS, "b.py")
    os.mkfifo(project.root / "patches/b.py")
    code, output = project.run("apply", "--check")
    assert (code, "b.py: cannot be read: it is no file" in output) == (2, True)


@pytest.mark.parametrize("tag", ['"v1.0.0\\n"', '" v1.0.0"', "../v1.0.0"])
def test_a_tag_is_the_name_of_a_folder(project: Project, tag: str) -> None:
    matrix = project.root / "compat_matrix.yaml"
    matrix.write_text(matrix.read_text().replace("tag: v1.0.0", f"tag: {tag}"))
    code, output = project.run("apply")
    assert (code, "is not a version tag" in output) == (2, True)
    assert not (project.root / "build").exists()
