"""The page on precision says what its table of judgements says, and the drawing of a sample."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/evidence/precision.md").read_text(encoding="utf-8")


def judged(name: str) -> list[dict[str, str]]:
    """The rows of a table of judgements."""
    text = (ROOT / "benchmarks" / name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


ROWS = judged("precision.tsv")
FIRST = judged("precision-first.tsv")
RIGHT = [row for row in ROWS if row["judgement"] == "right"]


def table(heading: str, number: int = 0) -> list[list[str]]:
    """The cells of a table below a heading of the page, of the first one unless ``number`` says another."""
    text = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)[number]
    return [[c.strip(" `") for c in line.split("|")[1:-1]] for line in lines.splitlines()[2:]]


def test_the_judgements_are_counted() -> None:
    assert {name: int(count) for name, count in table("Result")} == Counter(r["judgement"] for r in ROWS)
    assert all(row["reason"] for row in ROWS)
    assert len({(row["id"], row["commit"]) for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("heading", "column"), [("By kind", "kind"), ("By engines", "engines")])
def test_the_shares_are_counted(heading: str, column: str) -> None:
    drawn, right = (Counter(row[column] for row in rows) for rows in (ROWS, RIGHT))
    assert {name: (int(a), int(b)) for name, a, b in table(heading)} == {
        n: (drawn[n], right[n]) for n in drawn
    }


def test_the_calibration_is_counted() -> None:
    total = 0
    for band, drawn, right, stated, share in table("Calibration"):
        low, high = (float(edge) for edge in band.split(" to "))
        inside = [row for row in ROWS if low <= float(row["confidence"]) <= high]
        held = sum(row["judgement"] == "right" for row in inside)
        mean = sum(float(row["confidence"]) for row in inside) / len(inside)
        assert (len(inside), held) == (int(drawn), int(right))
        assert (f"{mean:.3f}", f"{held / len(inside):.2f}") == (stated, share)
        total += len(inside)
    assert total == len(ROWS)


def test_the_numbers_in_the_text_are_counted() -> None:
    earlier = {row["id"] for row in RIGHT if "[line already raised before" in row["reason"]}
    elsewhere = {row["id"] for row in RIGHT if "[another line of the function" in row["reason"]}
    closed = {
        row["id"] for row in RIGHT if re.search(r"\[way there already|\[the commit also", row["reason"])
    }
    commits = {row["commit"] for row in ROWS}
    text = " ".join(PAGE.split())
    assert f"In {len(earlier)} the line had already raised" in text
    assert f"In {len(elsewhere)} the failing line" in text
    assert f"In {len(closed)} of the new rows" in text
    assert f"neither as right gets {len(RIGHT) - len(earlier | elsewhere)} %" in text
    assert f"Without those too it is {len(RIGHT) - len(earlier | elsewhere | closed)} %" in text
    assert f"Of the {len(commits)} commits in the sample {len({r['commit'] for r in RIGHT})} have" in text


def test_the_first_sample_is_told_as_it_is() -> None:
    first = {(row["id"], row["commit"]): row for row in FIRST}
    shared = [row for row in ROWS if (row["id"], row["commit"]) in first]
    text = " ".join(PAGE.split())
    assert all(row["judgement"] == first[row["id"], row["commit"]]["judgement"] for row in shared)
    assert f"{len(shared)} of its rows had been drawn the first time" in text
    assert f"({sum(row in RIGHT for row in shared)} of {len(shared)})" in text
    new = [row for row in ROWS if row not in shared]
    right = sum(row in RIGHT for row in new)
    assert f"The {len(new)} new rows alone: {right} right, {right / len(new):.0%}".replace("%", " %") in text
    judgements = Counter(row["judgement"] for row in FIRST)
    assert judgements == {"right": 86, "wrong": 13, "wrong-commit": 1}
    assert (
        f"{judgements['right']} were right (78 to 91 %), {judgements['wrong']} wrong, and one named" in text
    )


def test_every_wrong_one_has_its_cause_and_no_right_one() -> None:
    explained = PAGE.split("\n## The wrong ones, and why\n")[1].split("What was right but")[0]
    assert set(re.findall(r"^\| (`.*?`) \|", explained, re.MULTILINE))
    named = {i for cell in re.findall(r"^\| (`.*?) \|", explained, re.MULTILINE) for i in cell.split(", ")}
    assert named == {f"`{row['id']}`" for row in ROWS if row["judgement"] != "right"}


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("rest", "precision-rest.tsv"),
        ("third", "precision-third.tsv"),
        ("fourth", "precision-fourth.tsv"),
    ],
)
def test_the_newest_tables_are_counted(name: str, file: str) -> None:
    rows = judged(file)
    right = [row for row in rows if row["judgement"] == "right"]
    counted = {cells[0]: cells[3:] for cells in table("Samples")}
    assert counted[name][:2] == [str(len(rows)), str(len(right))]
    assert counted[name][2].startswith(f"{len(right) / len(rows):.0%}".replace("%", " %"))
    assert all(row["reason"] for row in rows)
    assert len({(row["id"], row["commit"]) for row in rows}) == len(rows)
    wrong = {row["id"] for row in rows} - {row["id"] for row in right}
    assert wrong <= set(re.findall(r"`([0-9a-f]{10,12})`", PAGE))


@pytest.mark.parametrize("name", ["third", "fourth"])
def test_the_newest_samples_are_counted_by_range(name: str) -> None:
    rows = judged(f"precision-{name}.tsv")
    told = table(f"The {name} sample")
    for range_, _, drawn, right in told:
        inside = [row["judgement"] for row in rows if row["range"] == range_]
        assert (len(inside), inside.count("right")) == (int(drawn), int(right))
    assert {row["range"] for row in rows} == {cells[0] for cells in told}


@pytest.mark.parametrize(
    ("name", "heading", "number"),
    [("rest", "The rest of the first ranges", 0), ("fourth", "The fourth sample", 1)],
)
def test_the_newest_tables_are_counted_by_confidence(name: str, heading: str, number: int) -> None:
    rows = judged(f"precision-{name}.tsv")
    edges = [(0.95, 1.0), (0.9, 0.949), (0.8, 0.899), (0.0, 0.799)]
    for (low, high), cells in zip(edges, table(heading, number), strict=True):
        inside = [row["judgement"] for row in rows if low <= float(row["confidence"]) <= high]
        assert [str(len(inside)), str(inside.count("right"))] == cells[1:]


def test_no_row_is_judged_twice_and_otherwise() -> None:
    known = {(row["id"], row["commit"]) for row in [*ROWS, *FIRST]}
    assert not known & {(row["id"], row["commit"]) for row in judged("precision-rest.tsv")}


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
