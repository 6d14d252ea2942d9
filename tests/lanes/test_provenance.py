"""Wheels with statements of their origin, which `doctor` holds against the project, offline."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from syncbot.lanes import matrix

from .conftest import Project, project_in

CONFIG = """\
[tool.syncbot.project]
package = "mine"
distribution = "mine"
urls = {Source = "https://example.org/mine"}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, both_releases: Path) -> Path:
    """The folder of a project with a licence and of its wheels, to be copied."""
    folder = tmp_path_factory.mktemp("built")
    project = project_in(folder, both_releases)
    file = project.root / "pyproject.toml"
    file.write_text(file.read_text().replace('[tool.syncbot.project]\npackage = "mine"\n', CONFIG))
    (project.root / "LICENSE").write_text("Do what is right.\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYNCBOT_CACHE", str(folder / "cache"))
        assert project.run("apply")[0] in (0, 1)
        code, output = project.run("build", "--all")
    assert code == 0, output
    return folder


@pytest.fixture
def project(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A copy of the project with its wheels, its upstream and its cache."""
    for name in ("repository", "upstream", "cache"):
        shutil.copytree(built / name, tmp_path / name, symlinks=True)
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    return Project(tmp_path / "repository")


@pytest.fixture
def dist(project: Project) -> Path:
    return project.root / "dist"


def states(project: Project) -> tuple[int, dict[str, tuple[str, str]]]:
    code, output = project.run("doctor", "--format", "json")
    return code, {each["file"]: (each["state"], each["reason"]) for each in json.loads(output)["wheels"]}


def test_a_wheel_says_where_it_comes_from(project: Project, dist: Path) -> None:
    [old, new] = sorted(dist.glob("*.whl"))
    assert states(project)[1] == {old.name: ("ok", ""), new.name: ("ok", "")}
    statement = json.loads((dist / f"{old.name}.intoto.json").read_text())
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "https://slsa.dev/provenance/v1"
    digest = hashlib.sha256(old.read_bytes()).hexdigest()
    assert statement["subject"] == [{"name": old.name, "digest": {"sha256": digest}}]
    build = statement["predicate"]["buildDefinition"]
    assert build["externalParameters"] == {"lane": "v1.0.0", "requires": ["up==1.0.0", "torch==2.12.0"]}
    names = [each["name"] for each in build["resolvedDependencies"]]
    assert names[0] == "sources"
    assert any(name.startswith("patch 2.0.0-") for name in names)
    with zipfile.ZipFile(old) as archive:
        [licence] = [name for name in archive.namelist() if name.endswith("LICENSE")]
        [metadata] = [name for name in archive.namelist() if name.endswith("METADATA")]
        assert archive.read(licence) == b"Do what is right.\n"
        assert b"Project-URL: Source, https://example.org/mine" in archive.read(metadata)


def test_the_checks_that_its_sources_passed_are_in_it(project: Project, dist: Path) -> None:
    code, output = project.run("verify", "--static")
    assert code in (0, 1), output
    assert project.run("build", "--lane", "v2.0.0")[0] == 0
    [statement] = [json.loads(file.read_text()) for file in dist.glob("*2.0.0*.intoto.json")]
    [proof] = statement["predicate"]["runDetails"]["byproducts"]
    assert (proof["name"], proof["annotations"]["command"]) == (
        "static",
        "syncbot verify --lane v2.0.0 --static",
    )
    lane = matrix.load(project.root / "compat_matrix.yaml").lane("v2.0.0")
    assert proof["digest"] == {"sha256": lane.checks["static"].digest}
    # Of other sources, it says nothing.
    source = project.root / "backend/src/mine/base.py"
    source.write_text(source.read_text() + "\n\nNEW = 1\n")
    assert project.run("build", "--lane", "v2.0.0")[0] == 0
    [statement] = [json.loads(file.read_text()) for file in dist.glob("*2.0.0*.intoto.json")]
    assert statement["predicate"]["runDetails"]["byproducts"] == []


def test_what_changed_since_is_named(project: Project, dist: Path) -> None:
    [patch] = (project.root / "patches").glob("*things.yaml")
    patch.write_text(patch.read_text().replace("reason: ", "reason: Other. "))
    base = project.root / "backend/src/mine/base.py"
    base.write_text(base.read_text() + "x = 1\n")
    assert project.run("apply")[0] in (0, 1)
    old, new = sorted(states(project)[1].items())
    assert old[1] == ("outdated", f"changed since: patch {patch.stem}, sources")
    assert new[1] == ("outdated", "changed since: sources")


def member(wheel: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """Change the files in a wheel, and leave its statement's digest right."""
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    file = wheel.with_name(f"{wheel.name}.intoto.json")
    statement = json.loads(file.read_text())
    statement["subject"][0]["digest"]["sha256"] = hashlib.sha256(wheel.read_bytes()).hexdigest()
    file.write_text(json.dumps(statement))


def appended(record: dict[str, bytes], name: str) -> None:
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"x").digest()).decode().rstrip("=")
    [path] = [each for each in record if each.endswith("RECORD")]
    record[name] = b"x"
    record[path] += f"{name},sha256={digest},1\n".encode()


def test_a_wheel_that_is_not_the_one_of_its_statement_is_told(project: Project, dist: Path) -> None:
    [old, new] = sorted(dist.glob("*.whl"))
    shutil.copy(new, old)
    code, found = states(project)
    assert code == 1
    assert found[old.name] == ("differs", "the statement is of another wheel")
    assert found[new.name] == ("ok", "")
    assert f"wheel {old.name}: differs (the statement is of another wheel)" in project.run("doctor")[1]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda files: files.update({"mine/base.py": b"import os"}),
            "mine/base.py is not what its RECORD says",
        ),
        (
            lambda files: files.update({"mine/more.pth": b"import os"}),
            "mine/more.pth is not what its RECORD says",
        ),
        (lambda files: files.pop("mine/base.py"), "cannot be read: KeyError"),
        (lambda files: appended(files, "../outside.py"), "it holds files that no wheel has: ../outside.py"),
        (lambda files: appended(files, "/etc/x"), "it holds files that no wheel has: /etc/x"),
        (
            lambda files: [files.pop(name) for name in list(files) if "RECORD" in name],
            "cannot be read: ValueError",
        ),
    ],
)
def test_a_wheel_with_other_files_than_its_record_is_told(
    project: Project, dist: Path, change: Callable[[dict[str, bytes]], None], says: str
) -> None:
    [old, _] = sorted(dist.glob("*.whl"))
    member(old, change)
    assert states(project)[1][old.name] == ("differs", says)


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 100_000, '{"subject": [{"name": 1}]}', "\x00"])
def test_a_statement_that_is_none_is_told(project: Project, dist: Path, text: str) -> None:
    [old, _] = sorted(dist.glob("*.whl"))
    old.with_name(f"{old.name}.intoto.json").write_text(text)
    assert states(project)[1][old.name][0] == "differs"
    old.with_name(f"{old.name}.intoto.json").unlink()
    assert states(project)[1][old.name] == ("none", "no statement beside it")
