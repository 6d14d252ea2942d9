"""Witnesses of operators, on the torch of a lane."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from syncbot import config as configuration
from syncbot.lanes import update
from syncbot.upstream.cache_folder import cache_dir
from syncbot.verify.configured_checks import simulation
from syncbot.verify.installer import Installer
from syncbot.verify.lane_environment import SimulationSetup
from tests.forked_command import command

from .test_simulate import NEWEST

pytestmark = pytest.mark.machine

_LIBRARY = """import torch

library = torch.library.Library("engine", "FRAGMENT")
"""
_BEFORE = """
library.define("gone(Tensor x) -> Tensor")
library.define("grown(Tensor x) -> Tensor")
library.define("kept(Tensor x) -> Tensor")
library.define("fused(Tensor x) -> Tensor")
"""
_AFTER = """
library.define("grown(Tensor x, Tensor y) -> Tensor")
library.define("kept(Tensor x, bool deep=False) -> Tensor")
library.define("fused(Tensor x, Tensor y) -> Tensor")
library.define("taken(Tensor x) -> Tensor")
"""
_PLUGIN = """import torch

library = torch.library.Library("engine", "FRAGMENT")


def fused(x): ...


library.impl("fused", fused)
library.define("taken(Tensor x) -> Tensor")


def run(x):
    torch.ops.engine.kept(x)
    torch.ops.engine.gone(x)
    torch.ops.engine.grown(x)
"""
_PROJECT = """[project]
name = "plugin"
version = "0.1"
dependencies = ["engine"]

[tool.syncbot.upstreams.engine]
packages = ["engine"]
git = "../engine"

[tool.syncbot.witness]
python = "{}"
"""


def _python(project: Path) -> Path:
    """The interpreter of the newest lane's environment, installed if need be."""
    config = configuration.load(project)
    inputs = update.inputs_of(config)
    cache = cache_dir()
    setup = SimulationSetup(config, simulation(config), Installer.of_this_machine(cache), cache)
    return setup.environment(inputs.distribution, inputs.matrix.lane(NEWEST)).python


def _commit(repository: Path, text: str, tag: str) -> None:
    (repository / "engine").mkdir(parents=True, exist_ok=True)
    (repository / "engine/__init__.py").write_text("")
    (repository / "engine/ops.py").write_text(_LIBRARY + text)
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    for arguments in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qm", tag), ("tag", tag)):
        subprocess.run(["git", "-C", repository, *arguments], check=True)


def test_operators_are_asked_of_torch(project: Path, tmp_path: Path) -> None:
    _commit(tmp_path / "engine", _BEFORE, "v0.1.0")
    _commit(tmp_path / "engine", _AFTER, "v0.2.0")
    plugin = tmp_path / "plugin"
    (plugin / "plugin").mkdir(parents=True)
    (plugin / "pyproject.toml").write_text(_PROJECT.format(_python(project)))
    (plugin / "plugin/__init__.py").write_text("")
    (plugin / "plugin/ops.py").write_text(_PLUGIN)
    asked = ("--fail-on", "never", "--no-prose", "--format", "json", "--backend", str(plugin))
    done = command("check", "--from", "v0.1.0", "--to", "v0.2.0", "--witness", *asked)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = {}
    for impact in json.loads(done.stdout)["impacts"]:
        if impact["testimony"] is not None:
            told[impact["symbol"]] = impact["testimony"]
    said = {symbol: (testimony["outcome"], testimony["why"]) for symbol, testimony in told.items()}
    assert {symbol: outcome for symbol, (outcome, _) in said.items()} == dict.fromkeys(
        ("engine::gone", "engine::grown", "engine::fused", "engine::taken"), "witnessed"
    )
    assert "has no attribute 'gone'" in said["engine::gone"][1]
    assert "missing a required argument: 'y'" in said["engine::grown"][1]
    assert "too many positional arguments" in said["engine::fused"][1]
    assert "engine::taken" in said["engine::taken"][1]
