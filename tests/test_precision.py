"""Judged findings are whole, the figure of the page is theirs, and a sample is drawn from reports."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def judged(name: str) -> list[dict[str, str]]:
    """The rows of a table of judgements."""
    text = (ROOT / "benchmarks" / name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


PAGE = (ROOT / "docs/evidence.md").read_text(encoding="utf-8")
ROWS = judged("precision.tsv")
FIRST = judged("precision-first.tsv")


@pytest.mark.parametrize("name", ["", "-first", "-rest", "-third", "-fourth"])
def test_every_judgement_has_a_reason_and_none_is_told_twice(name: str) -> None:
    rows = judged(f"precision{name}.tsv")
    assert {row["judgement"] for row in rows} <= {"right", "wrong", "wrong-commit", "unreachable"}
    assert len({(row["id"], row["commit"]) for row in rows}) == len(rows)
    assert name == "-first" or all(row["reason"] for row in rows)


def test_what_two_samples_share_is_judged_alike() -> None:
    first = {(row["id"], row["commit"]): row for row in FIRST}
    shared = [row for row in ROWS if (row["id"], row["commit"]) in first]
    assert shared
    assert all(row["judgement"] == first[row["id"], row["commit"]]["judgement"] for row in shared)


def test_no_row_is_judged_twice_and_otherwise() -> None:
    known = {(row["id"], row["commit"]) for row in [*ROWS, *FIRST]}
    assert not known & {(row["id"], row["commit"]) for row in judged("precision-rest.tsv")}


def test_the_figure_of_the_page_is_counted() -> None:
    rows = judged("precision-fourth.tsv")
    right = sum(row["judgement"] == "right" for row in rows)
    assert f"| {right} of {len(rows)} ({right / len(rows):.0%})".replace("%)", " %)") in PAGE


def draw(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "benchmarks/draw.py", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


def report(*names: str, verdict: str = "breaks", tests_only: bool = False) -> str:
    common = {"pr": None, "kind": "symbol-removed", "confidence": 0.9, "engines": ["contracts", "ty"]}
    impacts = [
        {"id": name, "commit": "c", "symbol": name, "verdict": verdict, "tests_only": tests_only, **common}
        for name in names
    ]
    return json.dumps({"impacts": impacts})


def test_a_sample_is_drawn_once_from_all_reports(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(report("one", "two", "three"))
    (tmp_path / "b.json").write_text(report("three", "four"))
    (tmp_path / "c.json").write_text(report("five", verdict="at-risk"))
    (tmp_path / "d.json").write_text(report("six", tests_only=True))
    done = draw(tmp_path, "--count", 4, "--seed", 7)
    head, *rows = (line.split("\t") for line in done.stdout.splitlines())
    assert head == list(ROWS[0])
    assert {(row[0], row[1]) for row in rows} == {("a", "one"), ("a", "two"), ("a", "three"), ("b", "four")}
    assert {tuple(row[7:]) for row in rows} == {("contracts+ty", "", "")}
    assert draw(tmp_path, "--count", 4, "--seed", 7).stdout == done.stdout
    assert len(draw(tmp_path, "--count", 2, "--seed", 7).stdout.splitlines()) == 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "no reports"),
        ("[]", "not a report"),
        ('{"impacts": [{}]}', "not a report"),
        ("{", "not a report"),
    ],
)
def test_what_cannot_be_drawn_from_is_said_in_one_line(
    tmp_path: Path, content: str | None, said: str
) -> None:
    if content is not None:
        (tmp_path / "a.json").write_text(content)
    done = draw(tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


def test_more_than_there_are_cannot_be_drawn(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(report("one"))
    done = draw(tmp_path, "--count", 2)
    assert done.returncode == 2
    assert "the reports have 1 such impacts" in done.stderr


def test_judged_rows_are_not_drawn_again(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(report("one", "two", "three"))
    known = tmp_path / "judged.tsv"
    known.write_text(draw(tmp_path, "--count", 2, "--seed", 7).stdout)
    left = draw(tmp_path, "--count", 1, "--exclude", known).stdout.splitlines()[1]
    assert left.split("\t")[1] not in known.read_text()
    assert draw(tmp_path, "--count", 2, "--exclude", known).returncode == 2
    assert "no table of judged rows" in draw(tmp_path, "--count", 1, "--exclude", tmp_path / "no").stderr


def test_reports_are_held_against_judged_rows(tmp_path: Path) -> None:
    def impact(name: str, confidence: float, verdict: str = "breaks") -> dict[str, object]:
        return {"id": name, "commit": "c", "verdict": verdict, "tests_only": False, "confidence": confidence}

    found = [impact("one", 0.96), impact("two", 0.92), impact("three", 0.5, "at-risk"), impact("new", 0.9)]
    (tmp_path / "a.json").write_text(json.dumps({"impacts": found}), encoding="utf-8")
    rows = tmp_path / "rows.tsv"
    judgements = {"one": "right", "two": "wrong", "three": "right", "elsewhere": "right"}
    lines = ["range\tid\tcommit\tsymbol\tkind\tjudgement"]
    lines += [f"{'b' if n == 'elsewhere' else 'a'}\t{n}\tc\ts\tk\t{j}" for n, j in judgements.items()]
    rows.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, ROOT / "benchmarks/calibration.py", tmp_path, rows]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("3 judged, 2 still reported as breaks, 1 right\n")
    assert "| 0.95 or more, below 1.01 | 1 | 1 |\n| 0.90 or more, below 0.95 | 1 | 0 |\n" in done.stdout
    assert "wrong, 0.92: a two k s\nright, not under that id any more: a three k s\n" in done.stdout
    wrong = subprocess.run([*command[:3], tmp_path / "none"], capture_output=True, text=True, cwd=ROOT)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
