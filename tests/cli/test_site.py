"""``syncbot site`` on a real history: from kept reports, from an analysis, and on wrong use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Project

CONFIG = """
[tool.syncbot]
timezone = "UTC"
upstream = "engine"

[tool.syncbot.upstreams.engine]
packages = ["engine"]
git = "../engine"
"""


@pytest.fixture
def broken(project: Project) -> Project:
    """Two commits after the first, one of which breaks the backend."""
    project.write({"pyproject.toml": CONFIG})
    project.hour += 24
    project.change("engine/text.py", "strict: bool = False", "loose: bool = False", "Rename a parameter (#7)")
    project.hour += 24
    project.noise()
    return project


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def pages(folder: Path, kind: str) -> list[str]:
    return sorted(path.name for path in (folder / kind).glob("*.html"))


def test_a_site_of_kept_reports(broken: Project) -> None:
    reports = broken.root / "reports"
    result = broken.run("check", "--from", "v0.1.0", "--engine", "contracts", "--format", "json",
                        "--output", str(reports / "2026" / "a.json"))  # fmt: skip
    assert result.exit_code == 1, result.output
    site = broken.root / "out" / "site"
    result = broken.run("site", "--reports", str(reports), "--output", str(site))
    assert result.exit_code == 0, result.output
    assert result.output == f"{site / 'index.html'}: 9 pages, 2 days\n"
    assert pages(site, "days") == ["2026-01-23.html", "2026-01-24.html"]
    assert b"strict" in (site / "days" / "2026-01-23.html").read_bytes()
    [spot, _] = pages(site, "files")
    assert spot.startswith(("worker.py-", "index"))
    assert "Rename a parameter" in (site / "index.html").read_text(encoding="utf-8")
    # Again, over what is there, and from elsewhere: the same bytes.
    before = files(site)
    assert (
        broken.run("site", "--reports", str(reports / "2026" / "a.json"), "--output", str(site)).exit_code
        == 0
    )
    assert files(site) == before


def test_a_site_of_an_analysed_range(broken: Project) -> None:
    site = broken.root / "site"
    result = broken.run("site", "--since", "2026-01-23", "--output", str(site))
    assert result.exit_code == 0, result.output
    assert pages(site, "days") == ["2026-01-23.html", "2026-01-24.html"]
    assert "strict" in (site / "days" / "2026-01-23.html").read_text(encoding="utf-8")
    result = broken.run(
        "site", "--since", "2026-01-23", "--until", "2026-01-23 23:59", "--lang", "zh", "--output", str(site)
    )
    assert result.exit_code == 0, result.output
    assert pages(site, "days") == ["2026-01-23.html"]
    assert '<html lang="zh">' in (site / "index.html").read_text(encoding="utf-8")


def test_what_was_mended_since_is_still_told_by_kept_reports(broken: Project) -> None:
    reports = broken.root / "reports.json"
    broken.run(
        "check", "--from", "v0.1.0", "--engine", "contracts", "--format", "json", "--output", str(reports)
    )
    worker = broken.plugin / "src/plugin/worker.py"
    worker.write_text(
        worker.read_text(encoding="utf-8").replace("strict=True", "loose=True"), encoding="utf-8"
    )
    alone, both = broken.root / "alone", broken.root / "both"
    assert broken.run("site", "--since", "2026-01-23", "--output", str(alone)).exit_code == 0
    assert pages(alone, "files") == ["index.html"]
    args = ("site", "--reports", str(reports), "--since", "2026-01-23", "--output", str(both))
    assert broken.run(*args).exit_code == 0
    assert len(pages(both, "files")) == 2
    assert pages(both, "days") == pages(alone, "days")


def test_a_site_without_reports_matrix_and_patches(project: Project) -> None:
    site = project.root / "site"
    result = project.run("site", "--output", str(site))
    assert result.exit_code == 0, result.output
    assert result.output.endswith(": 3 pages, 0 days\n")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--reports", "nowhere"), "nowhere does not exist: name reports that"),
        (("--reports", "wrong.json"), "wrong.json is no report of syncbot: "),
        (("--until", "yesterday"), "--until ends a range and nothing begins it: give --since too"),
        (("--since", "some day"), "'some day' is not a moment that git understands"),
        (("--upstream", "engine"), "give the first moment too, with --since"),
        (("--lang", "fr"), "--lang takes en, zh"),
    ],
)
def test_wrong_use_is_one_line_and_leaves_nothing(
    project: Project, args: tuple[str, ...], message: str
) -> None:
    (project.root / "wrong.json").write_text(json.dumps({"schema": 1}), encoding="utf-8")
    result = project.run("site", "--output", "site", *args)
    assert result.exit_code == 2
    [line] = result.stderr.splitlines()
    assert message in line
    assert not (project.root / "site").exists()


def test_a_folder_of_somebody_elses_is_refused_before_anything_is_done(project: Project) -> None:
    result = project.run("site", "--since", "some day", "--output", str(project.plugin))
    assert result.exit_code == 2
    assert "which 'syncbot site' did not make" in result.stderr


def test_the_help_names_the_languages(project: Project) -> None:
    assert "--lang [en|zh]" in project.run("site", "--help").output
