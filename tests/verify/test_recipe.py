from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.verify.recipe import Recipe

RECIPE = Recipe("vllm", "0.32.0", "d2c957d5", "3.11", ("torch==2.13.0", "transformers==5.19.0"), ("psutil",))


@given(st.permutations(["torch==2.13.0", "transformers==5.19.0", "numpy==2.3.5"]))
def test_the_order_of_pins_makes_no_other_environment(pins: list[str]) -> None:
    one = replace(RECIPE, pins=("torch==2.13.0", "transformers==5.19.0", "numpy==2.3.5"))
    assert replace(RECIPE, pins=tuple(pins)).digest == one.digest


@pytest.mark.parametrize(
    "change",
    [
        {"version": "0.28.0"},
        {"sdist_sha256": "0000"},
        {"python": "3.12"},
        {"pins": ("torch==2.13.0", "transformers==5.18.0")},
        {"requires": ()},
        {"build_environment": (("VLLM_TARGET_DEVICE", "empty"),)},
        {"sources": (("UV_TORCH_BACKEND", "cpu"),)},
    ],
)
def test_every_part_of_a_recipe_makes_another_environment(change: dict[str, object]) -> None:
    assert replace(RECIPE, **change).digest != RECIPE.digest  # type: ignore[arg-type]


def test_the_name_is_readable_and_holds_the_digest() -> None:
    assert RECIPE.name == f"vllm-0.32.0-{RECIPE.digest[:12]}"


def test_what_is_only_installed_does_not_build_upstream_again() -> None:
    assert replace(RECIPE, requires=("pytest",)).build_digest == RECIPE.build_digest
    assert replace(RECIPE, build_environment=(("A", "1"),)).build_digest != RECIPE.build_digest
