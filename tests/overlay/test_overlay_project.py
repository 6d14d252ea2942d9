from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from syncbot import config
from syncbot.errors import ConfigurationError
from syncbot.lanes import matrix
from syncbot.lanes.generate import Generated
from syncbot.overlay.resolved import resolved
from syncbot.patching import model
from syncbot.verify.installer import Installer
from syncbot.verify.lane_environment import SimulationSetup
from tests.upstream.conftest import Repo
from tests.upstream.package_index import File, Index, tar

from .conftest import PLUGIN, plugin

SIMULATE = """
[simulate]
check = "cases"
cases = { one = ["v1"] }
"""


def test_the_lane_follows_upstream_and_the_foreign_package_gets_nothing_else(
    overlay: Path, run: Callable[..., Result]
) -> None:
    assert run("verify", "--static").exit_code == 1
    done = run("apply")
    assert done.exit_code == 0, done.output
    lanes = overlay / "build" / "lanes"
    assert (lanes / "v1.0.0/some_plugin/mine.py").read_text() == PLUGIN
    assert "def sizes(self, spec=None):" in (lanes / "v2.0.0/some_plugin/mine.py").read_text()
    lane = lanes / "v2.0.0"
    assert sorted(str(p.relative_to(lane)) for p in lane.rglob("*") if p.is_file()) == [
        *("some_plugin/__init__.py", "some_plugin/mine.py", "some_plugin/table.json")
    ]
    assert run("apply", "--check").exit_code == 0
    assert run("verify", "--static").exit_code == 0
    (patch,) = (overlay / "patches").glob("*.yaml")
    assert "+    def sizes(self, spec=None):" in run("patch", "test", patch.stem).output


OPTIONAL = "class Base:\n    def sizes(self{}):\n        return []\n\n    def run(self):\n        return self.sizes()\n"


@pytest.mark.parametrize(
    ("body", "wanted", "notes"),
    [
        ("return super().sizes()", "return super().sizes(spec=spec)", ""),
        ("return Base.sizes(self) or [1]", "return Base.sizes(self, spec=spec) or [1]", ""),
        (
            "if self.run:\n            return super().sizes()\n        return super().sizes() + [1]",
            "if self.run:\n            return super().sizes(spec=spec)\n        return super().sizes(spec=spec) + [1]",
            "",
        ),
        ("return [1]", "return [1]", "spec is taken and not used\n"),
        ("return self.sizes_of(Base)", "return self.sizes_of(Base)", "spec is taken and not used\n"),
    ],
)
def test_what_breaks_nothing_is_handed_on_to_the_base_or_told(
    run: Callable[..., Result], index: Index, tmp_path: Path, body: str, wanted: str, notes: str
) -> None:
    """Upstream's new parameter has a default, and none of its own calls passes it."""
    index.files[:] = [
        File(
            f"toy-{version}.tar.gz",
            tar({f"toy-{version}/toy/__init__.py": b"", f"toy-{version}/toy/base.py": text}),
        )
        for version, text in (
            ("1.0.0", OPTIONAL.format("").encode()),
            ("2.0.0", OPTIONAL.format(", spec=None").encode()),
        )
    ]
    index.others["some-plugin"] = [
        plugin("1.0.0rc2", **{"some_plugin/mine.py": PLUGIN.replace("return [1]", body)})
    ]
    assert (
        run(
            "overlay", "new", "--package", "some-plugin==1.0.0rc2", "--upstream", "toy", "--lane", "2.0.0"
        ).exit_code
        == 0
    )
    done = run("apply")
    assert done.exit_code == 0, done.output
    assert ("at risk: spec is taken and not used" in done.output) is bool(notes)
    (file,) = (tmp_path / "overlay" / "patches").glob("*.yaml")
    assert model.load_file(file).notes == notes
    lane = (tmp_path / "overlay/build/lanes/v2.0.0/some_plugin/mine.py").read_text()
    assert lane == PLUGIN.replace("sizes(self)", "sizes(self, spec=None)").replace("return [1]", wanted)


def test_the_analyses_work_in_the_folder(overlay: Path, run: Callable[..., Result]) -> None:
    checked = run("check", "--from", "1.0.0", "--to", "2.0.0", "--engine", "contracts")
    assert "some_plugin/mine.py:5" in checked.output
    assert "toy.gone" not in checked.output, "tests of the package are not looked at"
    assert "3 toy.base" in run("contracts").output
    assert (
        "1 of 1 break would be rewritten"
        in run("migrate", "--from", "1.0.0", "--to", "2.0.0", "--engine", "contracts", "--check").output
    )


@pytest.mark.parametrize(
    "line",
    [
        ["migrate", "--from", "1.0.0", "--to", "2.0.0"],
        ["baseline", "move", "v2.0.0"],
        ["ungate", "1.0.0", "--gate", 'up_is("{version}")'],
    ],
)
def test_foreign_sources_are_never_written(
    overlay: Path, run: Callable[..., Result], line: list[str]
) -> None:
    done = run(*line)
    assert done.exit_code == 2
    assert "some-plugin==1.0.0rc2" in done.output


def test_another_digest_is_an_error(overlay: Path, run: Callable[..., Result]) -> None:
    file = overlay / "syncbot.toml"
    digest = config.load(overlay).overlay
    assert digest is not None
    assert digest.sha256 is not None
    file.write_text(file.read_text().replace(digest.sha256, "0" * 64))
    done = run("apply")
    assert done.exit_code == 2
    assert "it is not what this overlay was made for" in done.output


def test_sources_are_fetched_once(overlay: Path, run: Callable[..., Result], index: Index) -> None:
    before = len(index.requests)
    assert run("patch", "show").exit_code == 0
    resolved(config.load(overlay), overlay.parent / "cache")
    assert len(index.requests) == before


def test_a_commit_of_a_repository_serves_as_well(
    overlay: Path, run: Callable[..., Result], repo: Repo
) -> None:
    repo.write("src/some_plugin/__init__.py", "")
    repo.write("src/some_plugin/mine.py", PLUGIN)
    commit = repo.commit()
    repo.write("src/some_plugin/mine.py", "broken(")
    repo.commit()
    (overlay / "syncbot.toml").write_text(
        f"""[overlay]
package = "some-plugin==1.0.0"
repository = "{repo.path}"
commit = "{commit}"

[upstreams.toy]
packages = ["toy"]
release = "toy"
"""
    )
    assert run("apply").exit_code == 0
    lane = overlay / "build/lanes/v2.0.0/src/some_plugin/mine.py"
    assert "def sizes(self, spec=None):" in lane.read_text()


def test_a_simulated_run_gets_the_lane_among_the_files_of_the_package(
    overlay: Path, run: Callable[..., Result]
) -> None:
    with (overlay / "syncbot.toml").open("a") as file:
        file.write(SIMULATE)
        file.write(
            '[overlay.read]\nSOURCES = "csrc"\n[overlay.written]\n"some_plugin/built.py" = "x = 1\\n"\n'
        )
    assert run("apply").exit_code == 0
    cache = overlay.parent / "cache"
    project = resolved(config.load(overlay), cache)
    assert project.simulate is not None
    lane = matrix.load(overlay / "compat_matrix.yaml").lane("v2.0.0")
    setup = SimulationSetup(project, project.simulate, Installer.of_this_machine(cache), cache)
    subject = setup.subject(lane, Generated(overlay / "build/lanes/v2.0.0", "digest", (), False))
    with zipfile.ZipFile(subject.wheel) as wheel:
        names = wheel.namelist()
        assert b"spec=None" in wheel.read("some_plugin/mine.py")
        assert wheel.read("some_plugin/built.py") == b"x = 1\n"
    assert "_sources/csrc/kernel.cpp" in names
    assert not [name for name in names if "test" in name]
    assert subject.read == {"SOURCES": "_sources/csrc"}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('package = "some-plugin"', "overlay.package: 'some-plugin' is not a package and its version"),
        ('package = "a==1"', "overlay: set exactly one of 'sha256' and 'repository'"),
        ('package = "a==1"\nsha256 = "12"', "overlay.sha256: '12' is not a SHA-256"),
        ('package = "a==1"\nrepository = "x"', "overlay: 'repository' and 'commit' belong together"),
        ('package = "a==1"\nsha = "x"', "[overlay] has no key 'sha'; the nearest known one is 'sha256'"),
    ],
)
def test_a_wrong_table_is_one_line(tmp_path: Path, table: str, said: str) -> None:
    (tmp_path / "syncbot.toml").write_text(f"[overlay]\n{table}\n")
    with pytest.raises(ConfigurationError) as raised:
        config.load(tmp_path)
    assert said in str(raised.value)
    assert "tool.syncbot" not in str(raised.value)
