"""Every rewrite with random arguments on files of real releases: a few here, all by the script itself."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import click
import packaging

from syncbot.patching.registry import rules

_SCRIPT = Path(__file__).parents[2] / "benchmarks" / "rewrites_fuzz.py"
_SPEC = importlib.util.spec_from_file_location("rewrites_fuzz", _SCRIPT)
assert _SPEC is not None
assert _SPEC.loader is not None
rewrites_fuzz = importlib.util.module_from_spec(_SPEC)
sys.modules["rewrites_fuzz"] = rewrites_fuzz
_SPEC.loader.exec_module(rewrites_fuzz)


def test_on_files_of_installed_releases_nothing_crashes_and_nothing_is_lost() -> None:
    folders = [Path(package.__file__).parent for package in (click, packaging)]
    small = sorted(
        (len(text), path, text) for folder in folders for path, text in rewrites_fuzz.files_of(folder)
    )[4:9]
    result = rewrites_fuzz.run([(path, text) for _, path, text in small], draws=1, seed=7)
    assert result.wrong == []
    assert result.counts["changed"] > 40
    assert len(result.changed) > len(rules()) / 3


def test_what_is_not_held_is_told() -> None:
    class Wrong:
        name = "wrong"

        def model_dump_json(self, **_: object) -> str:
            return "{}"

        def forward(self, source: object) -> str:
            return "x  =\n"

    result = rewrites_fuzz.Result()
    rewrites_fuzz.hold(Wrong(), rewrites_fuzz.Source("x = 1\n"), result)
    assert "is no Python any more" in result.wrong[0]
