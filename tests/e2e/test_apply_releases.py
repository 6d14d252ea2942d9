"""A plugin of an old vLLM release is made to run on the next one, and back, by the command line alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from syncbot.patching import model
from tests.forked_command import command
from tests.project_texts import hatchling, settings

pytestmark = pytest.mark.machine

PROJECT = settings("vllm", 'release = "vllm"', "mine")
MATRIX = """\
upstream: vllm
baseline: {baseline}
lanes:
  - {{tag: v0.15.1, wheel: 0.15.1, python: ">=3.10"}}
  - {{tag: v0.14.1, wheel: 0.14.1, python: ">=3.10"}}
"""
BACKEND = hatchling("mine", "1", "dependencies = []\n")
OLDER = """\
from vllm.model_executor.layers.attention.mm_encoder_attention import MMEncoderAttention


def encoder(config, prefix):  # one a block
    return MMEncoderAttention( 4, 64, prefix=prefix, multimodal_config=config )
"""
NEWER = OLDER.replace(", multimodal_config=config", "")


def syncbot(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return command(*arguments, "--backend", str(root))


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    package = tmp_path / "backend" / "src" / "mine"
    package.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "backend" / "pyproject.toml").write_text(BACKEND)
    (package / "__init__.py").touch()
    (package / "encoder.py").write_text(OLDER)
    (tmp_path / "compat_matrix.yaml").write_text(MATRIX.format(baseline="v0.14.1"))
    return tmp_path


def test_an_argument_that_a_constructor_lost_goes_and_comes_back(plugin: Path) -> None:
    check = syncbot(plugin, "check", "--from", "0.14.1", "--to", "0.15.1", "--engine", "contracts")
    assert check.returncode == 1, check.stderr
    assert "src/mine/encoder.py:5" in check.stdout
    assert "__init__() no longer takes multimodal_config" in check.stdout

    done = syncbot(plugin, "apply")
    assert done.returncode == 0, done.stdout + done.stderr
    lane = plugin / "build" / "lanes" / "v0.15.1" / "src" / "mine" / "encoder.py"
    assert lane.read_text() == NEWER
    checked = syncbot(plugin, "verify", "--static", "--force").stdout
    assert checked == "v0.15.1  static  pass\nv0.14.1  static  pass\n"
    (patch,) = model.load(plugin / "patches")
    assert (patch.status, patch.upstream.first_version, patch.lanes) == ("active", "0.15.1", ("v0.15.1",))
    assert [rewrite.rule for rewrite in patch.rewrites] == ["call_argument_removed"]

    # The same patch the other way: written for the newer release, the older lane has the argument again.
    (plugin / ".gitignore").write_text("build/\n")
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for arguments in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-qm", "Follow vLLM 0.15.1")):
        subprocess.run(["git", *arguments], cwd=plugin, check=True, capture_output=True)
    moved = syncbot(plugin, "baseline", "move", "v0.15.1")
    assert moved.returncode == 0, moved.stdout + moved.stderr
    assert (plugin / "backend" / "src" / "mine" / "encoder.py").read_text() == NEWER
    older = plugin / "build" / "lanes" / "v0.14.1" / "src" / "mine" / "encoder.py"
    assert older.read_text() == OLDER
