"""``syncbot check`` on an upstream whose releases are wheels with a file of operator schemas."""

from __future__ import annotations

import io
import json
import textwrap
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import syncbot.cli
from tests.upstream.package_index import File, Index

OLD = """\
backend: Device
custom:
- func: gate(Tensor x, int k, *, Tensor? bias=None) -> (Tensor, Tensor, Tensor)
- func: conv(Tensor x, *, str? activation_mode="None") -> Tensor
- func: rope(Tensor query, Tensor key, str layout='BSH') -> (Tensor, Tensor)
- func: loss_sum(Tensor x) -> Tensor
- func: split(Tensor x) -> (Tensor, Tensor)
- func: cast.Tensor(Tensor self, Tensor dst) -> Tensor
- func: cast.dtype(Tensor self, int dtype) -> Tensor
- func: unused(Tensor x, int removed) -> Tensor
- func: norm(Tensor self) -> Tensor
"""
NEW = """\
backend: Device
custom:
- func: gate(Tensor x, int k, *, Tensor? bias=None, Tensor? ids=None) -> (Tensor, Tensor, Tensor)
- func: conv(Tensor x, *, str? activation="None") -> Tensor
- func: rope(Tensor query, Tensor key, str layout='BSND') -> (Tensor, Tensor)
- func: toy_loss_sum(Tensor x) -> Tensor
- func: split(Tensor x) -> (Tensor, Tensor, Tensor)
- func: cast.Tensor(Tensor self, Tensor dst) -> Tensor
- func: cast.dtype(Tensor self, int dtype, int mode) -> Tensor
- func: unused(Tensor x) -> Tensor
autograd:
- func: norm(Tensor self) -> Tensor
"""
PLUGIN = """\
import torch
import toy
import toy as device


def forward(x, y):
    a, b, c = toy.gate(x, 2, bias=y)
    x = device.conv(x, activation_mode="silu")
    q, k = toy.rope(x, y)
    toy.rope(x, y, "BSH")
    torch.ops.toy.loss_sum(x)
    first, second = toy.split(x)
    toy.cast(x, y)
    toy.cast(x, dtype=5)
    toy.norm(x)
    return toy.no_operator(x)
"""
PYPROJECT = """\
[tool.syncbot]
backend = "."
sources = ["src"]
index = "{index}"

[tool.syncbot.upstreams.toy]
packages = ["toy"]
release = "toy"

[[tool.syncbot.upstreams.toy.schemas]]
file = "toy/csrc/native.yaml"
namespace = "toy"
sections = ["custom", "autograd"]
modules = ["toy"]
"""


def wheel(version: str, schemas: str) -> File:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("toy/__init__.py", "from toy._C import *\n")
        archive.writestr("toy/csrc/native.yaml", schemas)
        archive.writestr(
            f"toy-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: toy\nVersion: {version}\n"
        )
    return File(f"toy-{version}-cp311-cp311-manylinux_2_28_x86_64.whl", buffer.getvalue())


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    package = tmp_path / "mine" / "src" / "plugin"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "ops.py").write_text(PLUGIN)
    with Index([wheel("1.0", OLD), wheel("1.1", OLD), wheel("2.0", NEW)]) as index:
        (tmp_path / "mine" / "pyproject.toml").write_text(PYPROJECT.format(index=index.url))
        yield tmp_path / "mine"


def check(root: Path, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    command = ["check", "--backend", str(root), "--engine", "contracts", "--format", "json", *arguments]
    done = CliRunner().invoke(syncbot.cli.main, command)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    assert done.stdout, done.stderr
    return done.exit_code, json.loads(done.stdout)["impacts"]


def told(impacts: list[dict[str, Any]]) -> set[tuple[str, str, str, int]]:
    return {
        (i["kind"], i["symbol"], i["verdict"], place["line"]) for i in impacts for place in i["locations"]
    }


def test_what_changed_in_the_schemas_that_the_backend_uses(root: Path) -> None:
    code, impacts = check(root, "--upstream", "toy", "--from", "1.1", "--to", "2.0")
    assert code == 1
    assert told(impacts) == {
        ("operator-extended", "toy::gate", "drift", 7),
        ("parameter-renamed", "toy::conv", "breaks", 8),
        ("operator-default", "toy::rope", "at-risk", 9),
        ("operator-renamed", "toy::loss_sum", "breaks", 11),
        ("operator-results", "toy::split", "breaks", 12),
        ("parameter-added", "toy::cast", "breaks", 14),
    }
    messages = {i["symbol"]: i["message"] for i in impacts}
    assert messages["toy::gate"] == "the operator toy::gate takes ids as well; this call still fits"
    assert messages["toy::conv"] == (
        "the operator toy::conv no longer takes activation_mode; it takes activation instead"
    )
    assert messages["toy::rope"] == (
        "toy::rope took layout='BSH' by default and now takes 'BSND': this call leaves it to the default"
    )
    assert messages["toy::split"] == "the operator toy::split returned 2 results and now returns 3"


def test_the_release_that_did_it_is_named(root: Path) -> None:
    code, impacts = check(root, "--upstream", "toy", "--from", "1.0", "--to", "2.0")
    _, narrow = check(root, "--upstream", "toy", "--from", "1.1", "--to", "2.0")
    assert code == 1
    assert {i["commit"] for i in impacts} == {i["commit"] for i in narrow}
    assert len({i["commit"] for i in impacts}) == 1


def test_releases_with_the_same_schemas_change_nothing(root: Path) -> None:
    assert check(root, "--upstream", "toy", "--from", "1.0", "--to", "1.1") == (0, [])


def test_without_a_schema_file_operators_are_not_known(root: Path) -> None:
    file = root / "pyproject.toml"
    file.write_text(file.read_text().partition("[[tool")[0])
    assert check(root, "--from", "1.1", "--to", "2.0") == (0, [])


def test_a_range_that_is_not_named_begins_at_what_the_lanes_pin(root: Path) -> None:
    file = root / "pyproject.toml"
    file.write_text(
        file.read_text() + '\n[tool.syncbot.upstreams.engine]\npackages = ["engine"]\ngit = "none"\n'
    )
    (root / "compat_matrix.yaml").write_text(
        textwrap.dedent(
            """\
            schema: 1
            upstream: engine
            baseline: v7.0.0
            lanes:
              - {tag: v8.0.0, wheel: 8.0.0, python: ">=3.11", stack: {toy: "2.0"}}
              - {tag: v7.0.0, wheel: 7.0.0, python: ">=3.11", stack: {toy: "1.1"}}
            """
        )
    )
    code, impacts = check(root, "--upstream", "toy")
    assert code == 1
    assert ("operator-results", "toy::split", "breaks", 12) in told(impacts)
