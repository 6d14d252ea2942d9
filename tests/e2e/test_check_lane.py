"""``syncbot check`` on the generated lane of an old release: it breaks where patches keep it as upstream was."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from syncbot.cli import main

pytestmark = pytest.mark.machine

REPOSITORY = Path(__file__).parents[2]
SCHEMA = json.loads((REPOSITORY / "docs/schemas/report.json").read_text(encoding="utf-8"))
LANE = "build/lanes/v0.28.0"


def run(folder: Path, *arguments: str, **environment: str) -> Result:
    with chdir(folder):
        return CliRunner(env=environment).invoke(main, arguments)


def check(project: Path, backend: str, *arguments: str, **environment: str) -> Result:
    """On a backend below the project's folder, whose configuration knows the upstream."""
    span = ("--from", "0.28.0", "--to", "0.32.0", "--by", "releases")
    return run(project, "check", "--backend", backend, *span, *arguments, **environment)


def breaks(done: Result) -> list[dict[str, Any]]:
    """The breaks of a report, which has to be as its schema says."""
    # A slow machine says every half a minute what is done.
    assert [line for line in done.stderr.splitlines() if not line.endswith("so far)")] == []
    report = json.loads(done.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    found = [impact for impact in report["impacts"] if impact["verdict"] == "breaks"]
    assert done.exit_code == any(not impact["tests_only"] for impact in found)
    return found


@pytest.fixture(scope="module")
def generated(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with two of its lanes generated."""
    copy = tmp_path_factory.mktemp("check") / "project"
    shutil.copytree(project, copy)
    done = run(copy, "build", "--lane", "v0.28.0", "--lane", "v0.32.0")
    assert done.exit_code == 0, done.output
    assert (copy / LANE / "src/ascend_backend").is_dir(), done.output
    return copy


@pytest.fixture(scope="module")
def found(generated: Path) -> list[dict[str, Any]]:
    return breaks(check(generated, LANE, "--format", "json"))


def test_the_lane_breaks_where_patches_keep_it_as_upstream_was(found: list[dict[str, Any]]) -> None:
    names = {impact["symbol"].rpartition(".")[2] for impact in found}
    assert {"get_kv_cache_shape", "get_kv_cache_stride_order", "get_supported_kernel_block_sizes"} <= names
    assert all(impact["commit"] for impact in found)


def test_the_sources_themselves_have_no_such_overrides(generated: Path, found: list[dict[str, Any]]) -> None:
    """They are written for the newer release."""
    own = {impact["symbol"] for impact in breaks(check(generated, ".", "--format", "json"))}
    assert not own & {impact["symbol"] for impact in found if impact["kind"] == "method-removed"}


def test_places_are_lines_of_the_lane(generated: Path, found: list[dict[str, Any]]) -> None:
    for impact in found:
        for place in impact["locations"]:
            lines = (generated / LANE / place["file"]).read_text(encoding="utf-8").splitlines()
            text = lines[place["line"] - 1][place["column"] - 1 :]
            assert text.strip()
            if impact["contract"] == "override":
                assert text.startswith(f"def {impact['symbol'].rpartition('.')[2]}(")


def test_plain_text_is_short_and_names_the_lines(generated: Path, found: list[dict[str, Any]]) -> None:
    done = check(generated, LANE)
    assert (done.exit_code, done.stderr) == (1, "")
    assert 5 < len(done.stdout.splitlines()) < 200
    for impact in found:
        place = impact["locations"][0]
        assert f"{place['file']}:{place['line']}" in done.stdout


def test_another_index_is_not_taken_for_the_one_that_is_known(generated: Path) -> None:
    done = check(generated, LANE, PIP_INDEX_URL="http://127.0.0.1:9/simple")
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert "http://127.0.0.1:9/simple/vllm/ cannot be reached" in done.stderr


def test_a_release_that_does_not_exist(generated: Path) -> None:
    done = check(generated, LANE, "--from", "0.31.99")
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "there is no vllm 0.31.99" in done.stderr


def test_the_page_of_the_report_shows_what_the_demo_prints(generated: Path) -> None:
    """Line by line; ``latest~1`` and ``latest`` were the two it names."""
    shown = (REPOSITORY / "docs/report.md").read_text(encoding="utf-8").partition("```console\n")[2]
    commands = shown.partition("```")[0].split("$ ")[1:]
    for text in commands:
        command, _, output = text.partition("\n")
        older, newer = re.findall(r"vllm ([\d.]+) to ([\d.]+):", text)[0] if "latest" in text else ("", "")
        command = command.replace("latest~1", older).replace("latest", newer)
        done = run(generated, *command.split()[1:])
        # An earlier look at the same sources may be kept in the cache.
        assert done.stdout.replace("pass (known)", "pass").rstrip() == output.rstrip(), done.stderr


def test_the_picture_of_the_readme_is_of_that_report(generated: Path, tmp_path: Path) -> None:
    ends = ("--by", "releases", "--from", "0.32.0", "--to", "0.33.0")
    made = tmp_path / "report.svg"
    command = ("syncbot", "check", "--backend", "build/lanes/v0.32.0", *ends)
    done = subprocess.run(
        [sys.executable, REPOSITORY / ".ci/picture.py", made, "--", *command],
        cwd=generated,
        capture_output=True,
    )
    assert done.returncode == 1, done.stderr
    assert words(made) == words(REPOSITORY / "docs/pictures/report.svg")


def words(picture: Path) -> list[str]:
    """The texts of a picture, line by line."""
    return re.findall(r"<text [^>]*>(.*?)</text>", picture.read_text(encoding="utf-8"))
