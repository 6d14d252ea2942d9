"""``syncbot check`` on real releases of vLLM: its own backend, one written for the older release, and the
extractor over all their files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from syncbot import config as configuration
from syncbot.api import extract as extractor
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.opening import open_upstream
from tests.budget import tries
from tests.forked_command import command

pytestmark = pytest.mark.machine

REPOSITORY = Path(__file__).parents[2]
SCHEMA = json.loads((REPOSITORY / "docs/schemas/report.json").read_text(encoding="utf-8"))
OLD, NEW = "0.28.0", "0.32.0"
RANGE = ("--from", OLD, "--to", NEW)
# Nothing listens on this port: whoever asks the network is refused at once.
NO_NETWORK = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")

# Written for the older release: in the newer one the method takes an argument.
WRITTEN_FOR_OLD = '''\
from vllm.v1.attention.backend import AttentionBackend


class Backend(AttentionBackend):
    """Overrides a method as the older release has it."""

    @staticmethod
    def get_supported_kernel_block_sizes() -> list[int]:
        return [128]
'''


@dataclass(frozen=True)
class Ran:
    code: int
    stdout: str
    stderr: str


def check(root: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> Ran:
    """``syncbot check`` in a process of its own."""
    line = ("check", *RANGE, *arguments, "--backend", str(root))
    done = command(*line, folder=REPOSITORY, **(environment or {}))
    assert "Traceback" not in done.stderr, done.stderr
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def first(project: Path) -> Ran:
    """The project's own backend, by the contract engine."""
    return check(project, "--engine", "contracts", "--format", "json")


@pytest.fixture(scope="module")
def report(first: Ran) -> dict[str, Any]:
    assert first.code in (0, 1), first.stderr
    found: dict[str, Any] = json.loads(first.stdout)
    return found


def test_the_document_is_as_its_schema_says(report: dict[str, Any]) -> None:
    jsonschema.validate(report, SCHEMA)
    assert (report["upstream"]["from_name"], report["upstream"]["to_name"]) == (f"v{OLD}", f"v{NEW}")
    assert report["commits"][0]["sha"] == report["upstream"]["to"]
    assert len(report["commits"][-1]["files"]) > 100


def test_every_impact_names_a_line_of_the_backend_and_a_commit(report: dict[str, Any], project: Path) -> None:
    assert report["impacts"]
    shas = {commit["sha"] for commit in report["commits"]}
    backend = project / configuration.load(project).backend
    for impact in report["impacts"]:
        assert impact["commit"] in shas
        assert impact["message"]
        assert impact["locations"]
        for place in impact["locations"]:
            lines = (backend / place["file"]).read_text(encoding="utf-8").splitlines()
            assert 1 <= place["line"] <= len(lines)
            assert 1 <= place["column"] <= len(lines[place["line"] - 1])
    assert len({impact["id"] for impact in report["impacts"]}) == len(report["impacts"])


def test_nothing_is_left_unanalysed(report: dict[str, Any]) -> None:
    assert report["unanalysed"] == []


def test_the_exit_code_says_whether_it_breaks(first: Ran, report: dict[str, Any]) -> None:
    broken = any(i["verdict"] == "breaks" and not i["tests_only"] for i in report["impacts"])
    assert first.code == int(broken)


def test_the_second_run_says_the_same_without_a_network(project: Path, first: Ran) -> None:
    again = check(project, "--engine", "contracts", "--format", "json", environment=NO_NETWORK)
    assert (again.code, again.stdout) == (first.code, first.stdout)


def test_a_reader_is_not_drowned(project: Path) -> None:
    shown = check(project, "--engine", "contracts")
    assert 5 < len(shown.stdout.splitlines()) < 200
    assert f"v{OLD}" in shown.stdout
    assert "\x1b" not in shown.stdout


@pytest.fixture
def plugin(tmp_path: Path) -> Callable[[str], Path]:
    """A backend of one module, followed with this repository's knowledge of upstreams."""

    def make(source: str) -> Path:
        package = tmp_path / "src/plugin"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("", encoding="utf-8")
        (package / "attention.py").write_text(source, encoding="utf-8")
        (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
        return tmp_path

    return make


def test_a_backend_written_for_the_older_release(plugin: Callable[[str], Path]) -> None:
    ran = check(plugin(WRITTEN_FOR_OLD), "--engine", "contracts", "--format", "json")
    found = json.loads(ran.stdout)["impacts"]
    override = [i for i in found if i["symbol"].endswith(".get_supported_kernel_block_sizes")]
    assert [i["kind"] for i in override] in (["parameter-added"], ["parameter-required"])
    assert override[0]["locations"] == [{"file": "src/plugin/attention.py", "line": 8, "column": 5}]
    assert "def get_supported_kernel_block_sizes" in override[0]["upstream_hunk"]
    assert override[0]["fix"]["rule"] == "override_parameter_added"


def test_a_backend_that_fits_both_releases(plugin: Callable[[str], Path]) -> None:
    fits = WRITTEN_FOR_OLD.replace("block_sizes()", "block_sizes(*args: object, **more: object)")
    assert fits != WRITTEN_FOR_OLD
    ran = check(plugin(fits), "--engine", "contracts", "--format", "json")
    assert ran.code == 0
    assert [i for i in json.loads(ran.stdout)["impacts"] if i["verdict"] == "breaks"] == []


@pytest.fixture(scope="module")
def mirror(first: Ran, project: Path) -> Path:
    """The mirror that the first check made."""
    assert first.code in (0, 1), first.stderr
    with open_upstream(configuration.load(project), None, cache_dir(), (OLD, NEW)) as upstream:
        return upstream.repository.git_dir


def test_every_file_of_a_release_is_extracted_alike_by_two_processes(mirror: Path) -> None:
    program, every = Path(__file__).with_name("extract_releases.py"), tries(day=8, nightly=1)
    running = [
        subprocess.Popen(
            [sys.executable, str(program), str(mirror), step],
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(extractor.__file__).parents[2])},
        )
        for step, seed in ((str(every), "1"), (str(4 * every), "2"))
    ]
    outputs = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0, 0]
    everything, some = map(json.loads, outputs)
    assert len(everything["digests"]) > 2000 / every
    assert sorted(everything["problems"]) == sorted(everything["unparsed"])
    assert some["digests"].items() <= everything["digests"].items()
