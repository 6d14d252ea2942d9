from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from syncbot.errors import ConfigurationError
from syncbot.lanes import backend_files, generate, matrix
from syncbot.lanes.generate import Inputs
from syncbot.patching.model import Patch, Rewrite, UpstreamChange
from syncbot.version_gates.version_tests import Gate

from .conftest import BACKEND, MATRIX, write

PATCH = Patch(
    id="2.0.0-things",
    upstream=UpstreamChange(name="up", first_version="2.0.0"),
    symbol="up.things",
    reason="moved",
    rewrites=(Rewrite(rule="import_moved", arguments={"old": "up.utils", "new": "up.things"}),),
)


def inputs(text: str = MATRIX, **files: str) -> Inputs:
    raw = {path: content.encode() for path, content in {**BACKEND, **files}.items()}
    return Inputs(raw, matrix.parse(text), [PATCH], "up", "mine")


def test_the_baseline_is_the_backend_with_its_facts() -> None:
    made = inputs()
    files = generate.render(made, made.matrix.baseline_lane)
    assert files["src/mine/base.py"].decode() == BACKEND["src/mine/base.py"]
    assert b'UP = "2.0.0"' in files["src/mine/_lane.py"]
    assert b'name = "mine"  # ours' in files["pyproject.toml"]
    assert b'dependencies = ["up==2.0.0", "torch==2.13.0", "attrs"]' in files["pyproject.toml"]


def test_every_run_gives_the_same_bytes() -> None:
    made = inputs()
    for lane in made.matrix:
        assert generate.render(made, lane) == generate.render(inputs(), lane)


def test_a_lane_is_written_once_and_again_when_it_was_touched(tmp_path: Path) -> None:
    made = inputs()
    lane = made.matrix.lane("1.0.0")
    first = generate.generate(made, lane, tmp_path / "lane")
    assert first.written
    assert first.patches == ("2.0.0-things",)
    assert not generate.generate(made, lane, tmp_path / "lane").written
    (tmp_path / "lane/src/mine/base.py").write_text("edited by hand\n")
    again = generate.generate(made, lane, tmp_path / "lane")
    assert again.written
    assert again.digest == first.digest == backend_files.digest(backend_files.read(tmp_path / "lane"))


def test_what_decides_a_lane_changes_its_digest() -> None:
    made = inputs()
    lane = made.matrix.lane("1.0.0")
    digests = {
        made.digest(lane),
        inputs(**{"src/mine/new.py": ""}).digest(lane),
        made.digest(lane.model_copy(update={"wheel": "1.0.0"})),
        Inputs(made.files, made.matrix, [], "up", "mine").digest(lane),
        Inputs(made.files, made.matrix, [PATCH], "up2", "mine").digest(lane),
    }
    assert len(digests) == 5


def test_a_pin_that_nobody_gave_is_told() -> None:
    made = inputs(MATRIX.replace("pinned: [torch]", "pinned: [cann]"))
    with pytest.raises(ConfigurationError, match=r"lane v2\.0\.0 pins no version of cann"):
        generate.render(made, made.matrix.baseline_lane)


def test_a_package_that_is_not_there_is_told() -> None:
    made = inputs()
    wrong = Inputs(made.files, made.matrix, made.patches, "up", "other")
    with pytest.raises(ConfigurationError, match="no package 'other'"):
        generate.render(wrong, made.matrix.baseline_lane)


def test_sources_leave_out_what_is_built(tmp_path: Path) -> None:
    write(
        tmp_path,
        {**BACKEND, "src/mine/__pycache__/a.pyc": "", "build/b.py": "", ".git/c": "", "README.md": ""},
    )
    (tmp_path / "link.py").symlink_to("/etc/passwd")
    assert sorted(backend_files.read(tmp_path)) == sorted([*BACKEND, "README.md"])
    with pytest.raises(ConfigurationError, match=r"holds no pyproject\.toml"):
        backend_files.read(tmp_path / "src")


GATED = """\
from up.base import Base
from mine.tools import up_is

OLDER = up_is("1.0.0")


def choose(a, other):
    if a and up_is("1.0.0"):
        return 1
    if not OLDER:
        return 2
    return 3 if up_is("2.0.0") else other("1.0.0")
"""


def test_tests_of_the_version_are_decided_in_a_lane() -> None:
    made = replace(inputs(**{"src/mine/gated.py": GATED}), gate=Gate('up_is("{version}")'))
    new, old = (generate.render(made, lane)["src/mine/gated.py"].decode() for lane in made.matrix)
    head = GATED[: GATED.index("    if a")]
    assert new == head + "    return 2\n    return 3\n"
    assert old == head + '    if a:\n        return 1\n    return other("1.0.0")\n'


def test_a_file_without_a_test_of_the_version_stays() -> None:
    text = 'from mine.tools import up_is\n\nOLDER = "1.0.0"\n\n\ndef choose(OLD=1):\n    return OLD and other("1.0.0")\n'
    made = replace(inputs(**{"src/mine/gated.py": text}), gate=Gate('up_is("{version}")'))
    for lane in made.matrix:
        assert generate.render(made, lane)["src/mine/gated.py"].decode() == text
    assert made.digest(lane) != inputs(**{"src/mine/gated.py": text}).digest(lane)
