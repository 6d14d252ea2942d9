from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.lanes.matrix import parse
from syncbot.verify.installed_stack import Installed
from syncbot.verify.stack_fit import LaneFit, Names, examine

MATRIX = parse("""
upstream: up
baseline: v2.0.0
lanes:
  - {tag: v2.0.0, wheel: 2.0.0.post1, python: ">=3.11", stack: {torch: 2.13.0, torch_kit: 2.13.0, kit: "8.2", other: null}}
  - {tag: v1.0.0, wheel: 1.0.0, python: ">=3.8", stack: {torch: 2.12.0, torch_kit: 2.12.0, kit: "8.1", other: null}}
""")
WHOLE = {
    "up": "2.0.0+empty",
    "torch": "2.13.0+cpu",
    "torch-kit": "2.13.0",
    "mine": "2.0.0.post1",
    "pip": "25",
}


def examined(
    distributions: dict[str, str], python: str = "3.11.7", parts: dict[str, str] | None = None
) -> list[LaneFit]:
    installed = Installed(Path("/env/bin/python"), python, distributions, parts or {})
    return examine(MATRIX, installed, Names("up", "mine", {"TARGET": "empty"}), ("kit",), "dist")


def rows(fit: LaneFit) -> dict[str, str]:
    return {row.name: row.fit for row in fit.rows}


def test_what_fits_needs_nothing() -> None:
    best, other = examined(WHOLE, parts={"kit": "8.2"})
    assert (best.lane, best.fits, best.mend, best.by_hand) == ("v2.0.0", True, (), ())
    assert rows(best) == {
        "python": "ok", "up": "ok", "torch": "ok", "torch_kit": "ok", "kit": "ok",
        "other": "not pinned", "mine": "ok",
    }  # fmt: skip
    assert not other.fits


def test_an_empty_environment_is_told_all_that_it_lacks() -> None:
    best = examined({"pip": "25"})[0]
    assert set(rows(best).values()) == {"ok", "missing", "not pinned"}
    assert best.mend == (
        "TARGET=empty /env/bin/python -m pip install --no-binary up up==2.0.0 torch==2.13.0 torch_kit==2.13.0",
        "syncbot build --lane v2.0.0",
        "/env/bin/python -m pip install dist/mine-2.0.0.post1-py3-none-any.whl",
    )
    assert best.by_hand == ("kit 8.2 (found: none)",)


def test_the_lane_of_the_installed_upstream_comes_first() -> None:
    best = examined(WHOLE | {"up": "1.0.0"}, parts={"kit": "8.2"})[0]
    assert best.lane == "v1.0.0"
    assert best.mend[0] == "/env/bin/python -m pip install torch==2.12.0 torch_kit==2.12.0"
    assert rows(best)["kit"] == "differs"


def test_a_python_that_is_too_old_cannot_be_mended_by_pip() -> None:
    best = examined(WHOLE, python="3.10.1", parts={"kit": "8.2"})[0]
    assert best.lane == "v2.0.0"
    assert not best.fits
    assert (best.mend, best.by_hand) == ((), ("python >=3.11 (found: 3.10.1)",))


@pytest.mark.parametrize(
    ("found", "fit"),
    [("2.13.0", "ok"), ("2.13", "ok"), ("2.13.0+cpu", "ok"), ("2.13.0.post1", "differs"), ("2.13.0rc1", "differs"), ("odd", "differs")],
)  # fmt: skip
def test_versions_are_compared_as_versions(found: str, fit: str) -> None:
    assert rows(examined(WHOLE | {"torch": found})[0])["torch"] == fit


def test_without_pip_the_command_is_uv_s() -> None:
    best = examined({k: v for k, v in WHOLE.items() if k not in ("pip", "torch")}, parts={"kit": "8.2"})[0]
    assert best.mend == ("uv pip install --python /env/bin/python torch==2.13.0",)
