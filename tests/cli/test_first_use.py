"""``syncbot check`` in the checkout of a plugin that nobody configured."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import syncbot.cli
from tests.upstream.package_index import File, Index, tar

PROJECT = '[project]\nname = "my-plugin"\ndependencies = ["toy{0}"]\n[tool.setuptools.packages.find]\nwhere = ["py"]\n'
SOURCE = "from the_toy.text import clean\n\nclean('a', strict=True)\n"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(syncbot.cli.main, arguments)


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A plugin as the current folder, whose upstream's distribution is called otherwise than its package."""
    strict = "def clean(text, strict=False): ...\n"
    texts = {"0.7": strict, "0.8rc1": strict, "0.8": strict, "0.9": strict, "1.0": strict}
    texts["1.1"] = "def clean(text): ...\n"
    files = [
        File(f"toy-{version}.tar.gz", tar({f"toy-{version}/src/the_toy/__init__.py": b"",
                                           f"toy-{version}/src/the_toy/text.py": text.encode()}))
        for version, text in texts.items()
    ]  # fmt: skip
    (tmp_path / "plugin/py/my_plugin").mkdir(parents=True)
    (tmp_path / "plugin/pyproject.toml").write_text(PROJECT.format(""), encoding="utf-8")
    (tmp_path / "plugin/py/my_plugin/a.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "plugin")
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    with Index(files) as index:
        monkeypatch.setenv("PIP_INDEX_URL", index.url)
        yield tmp_path / "plugin"


def test_a_name_of_the_package_index_is_enough(plugin: Path) -> None:
    # A folder that is called like the distribution is none of its repositories.
    (plugin / "toy").mkdir()
    done = run("check", "--upstream", "toy", "--from", "1.0", "--to", "1.1", "--engine", "contracts")
    assert "py/my_plugin/a.py:3" in done.stdout
    assert done.exit_code == 1
    assert run("check", "--upstream", "toy", "--from", "1.0", "--engine", "contracts").stdout == done.stdout
    assert "the_toy.text" in run("contracts", "--upstream", "toy", "--at", "1.0").stdout


def test_each_release_between_the_ends_is_a_commit(plugin: Path) -> None:
    asked = ("check", "--upstream", "toy", "--from", "0.7", "--to", "latest", "--format", "json")
    told = json.loads(run(*asked).stdout)
    assert [commit["subject"] for commit in told["commits"]] == ["toy 1.1", "toy 1.0", "toy 0.9", "toy 0.8"]


@pytest.mark.parametrize(("pin", "start"), [("==1.0", "1.0"), (">=1.0,<2", "1.0"), ("", "latest~1")])
def test_what_is_not_known_is_a_line_to_paste(plugin: Path, pin: str, start: str) -> None:
    (plugin / "pyproject.toml").write_text(PROJECT.format(pin), encoding="utf-8")
    told = run("check").stderr
    line = f"syncbot check --upstream toy --from {start} --to latest"
    assert (
        told
        == f"syncbot: no upstream is configured, and toy is likely the one (pyproject.toml requires it): {line}\n"
    )
    assert run(*line.split()[1:], "--engine", "contracts").exit_code == 1
    told = run("check", "--upstream", "toy").stderr
    assert f"name a range, since no matrix names a baseline here: {line}" in told


def test_entry_points_that_name_one_upstream_are_enough(plugin: Path) -> None:
    points = '[project.entry-points."the_toy.plugins"]\nmine = "my_plugin.a"\n'
    file = plugin / "pyproject.toml"
    file.write_text(f"{PROJECT.format('==1.0')}\n{points.replace('the_toy', 'toy')}", encoding="utf-8")
    for source in (plugin / "py" / "my_plugin").glob("*.py"):
        source.write_text(f"import toy\n{source.read_text(encoding='utf-8')}", encoding="utf-8")
    done = run("check", "--engine", "contracts")
    assert done.exit_code == 1
    assert done.stdout.startswith("toy 1.0 to 1.1: ")
    assert (
        "syncbot: toy is taken for the upstream (pyproject.toml has entry points of the group" in done.stderr
    )
    # Two say nothing.
    file.write_text(
        f'{file.read_text(encoding="utf-8")}\n[project.entry-points."json.plugins"]\nmine = "my_plugin.a"\n',
        encoding="utf-8",
    )
    for source in (plugin / "py" / "my_plugin").glob("*.py"):
        source.write_text(f"import json\n{source.read_text(encoding='utf-8')}", encoding="utf-8")
    assert "no upstream is configured" in run("check", "--engine", "contracts").stderr


def test_a_day_without_a_release_says_so(plugin: Path) -> None:
    (plugin / "syncbot.toml").write_text(
        'timezone = "Asia/Shanghai"\n[upstreams.toy]\npackages = ["the_toy"]\nrelease = "toy"\n'
        'web = "https://code.example/toy"\n', encoding="utf-8",
    )  # fmt: skip
    done = run("check", "--since", "yesterday", "--engine", "contracts")
    assert done.exit_code == 0, done.output
    told = " ".join(done.stdout.split())
    assert re.search(
        r"toy is followed by releases: none since \d{4}-\d\d-\d\d 00:00, the last is v1\.1 of \d{4}-\d\d-\d\d\. "
        r"To follow commits: --upstream https://code.example/toy", told,
    )  # fmt: skip
    assert (
        "按发布版本跟踪"
        in run("check", "--since", "yesterday", "--engine", "contracts", "--lang", "zh").stdout
    )


def test_nothing_shows_what_it_follows(plugin: Path) -> None:
    (plugin / "pyproject.toml").write_text('[project]\nname = "my-plugin"\n', encoding="utf-8")
    assert "syncbot check --upstream NAME --from 1.0 --to latest" in run("check").stderr


def test_what_the_index_lacks_is_told(plugin: Path) -> None:
    done = run("check", "--upstream", "no-such-toy", "--from", "1.0")
    assert "has no distribution 'no-such-toy'" in done.stderr
    assert done.exit_code == 2
