from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from syncbot import config
from syncbot.lanes import matrix
from tests.upstream.package_index import Index

from .conftest import plugin

NEW = ("overlay", "new", "--upstream", "toy", "--lane", "2.0.0")


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_project_is_written_with_what_the_package_says(overlay: Path, index: Index) -> None:
    made = config.load(overlay)
    assert made.overlay is not None
    assert (made.overlay.distribution, made.overlay.version) == ("some-plugin", "1.0.0rc2")
    assert made.overlay.sha256 == index.others["some-plugin"][0].sha256
    lanes = matrix.load(overlay / "compat_matrix.yaml")
    assert lanes.baseline == "v1.0.0"
    assert [(lane.tag, lane.wheel) for lane in lanes] == [
        ("v2.0.0", "1.0.0rc2+toy2.0.0"),
        ("v1.0.0", "1.0.0rc2+toy1.0.0"),
    ]
    assert lanes.baseline_lane.stack == {"torch": "2.10.0", "triton": "3.2"}
    assert lanes.baseline_lane.python == ">=3.10"
    assert set(files(overlay)) == {
        *("syncbot.toml", "compat_matrix.yaml", ".gitignore"),
        *("patches/.gitkeep", "evidence/.gitkeep"),
    }


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--package", "nobody==1.0"], 2, "no distribution 'nobody'"),
        (["--package", "some-plugin==9.0"], 3, "neither a source distribution of some-plugin 9.0"),
        (["--package", "some-plugin"], 2, "names no version"),
        (["--package", "some-plugin==x"], 2, "'x' is no version"),
        (
            ["--package", "some-plugin==1.0.0rc2", "--lane", "7.0"],
            2,
            "toy has no release 7.0; the newest is 3.0.0",
        ),
        (["--package", "some-plugin==1.0.0rc2", "--lane", "next"], 2, "'next' is no version"),
        (["--package", "some-plugin==1.0.0rc2", "--upstream", "prose"], 3, "is no page of a package index"),
    ],
)
def test_what_does_not_exist_is_one_line_and_writes_nothing(
    run: Callable[..., Result], options: list[str], code: int, said: str
) -> None:
    done = run(*NEW, *options)
    assert (done.exit_code, said in done.output) == (code, True), done.output
    assert done.output.strip().count("\n") == 0
    assert files(Path()) == {}


def test_a_number_that_upstream_does_not_have_asks_for_the_baseline(
    run: Callable[..., Result], index: Index
) -> None:
    index.others["some-plugin"] = [plugin("1.5")]
    asked = (*NEW, "--package", "some-plugin==1.5")
    assert "say with --baseline what 1.5 was made for" in run(*asked).output
    assert run(*asked, "--baseline", "1.0.0").exit_code == 0
    assert matrix.load(Path("compat_matrix.yaml")).baseline == "v1.0.0"


def test_a_folder_with_files_is_left_alone(overlay: Path, run: Callable[..., Result]) -> None:
    before = files(overlay)
    done = run(*NEW, "--package", "some-plugin==1.0.0rc2")
    assert done.exit_code == 2
    assert "is not empty, it holds syncbot.toml" in done.output
    assert files(overlay) == before


def test_what_a_killed_run_left_is_no_obstacle(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    left = Path(".new-overlay")
    left.mkdir()
    (left / "0").write_text("half")
    assert run(*NEW, "--package", "some-plugin==1.0.0rc2").exit_code == 0
    assert not left.exists()


def test_without_network_it_is_one_line(run: Callable[..., Result], index: Index) -> None:
    index.stop()
    done = run(*NEW, "--package", "some-plugin==1.0.0rc2")
    assert done.exit_code == 3
    assert "cannot be reached" in done.output
