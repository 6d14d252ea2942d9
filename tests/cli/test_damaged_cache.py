"""A check on a damaged cache says the same as before, and names in one line what it discarded."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from syncbot import sealed_values
from tests.budget import tries

from .conftest import Project

pytestmark = pytest.mark.long

ASK = ("check", "--from", "v0.1.0", "--engine", "contracts", "--format", "json")


def _flipped(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice((1, 8, 200))):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


def _other(content: bytes, chance: random.Random) -> bytes:
    return chance.randbytes(len(content))


DAMAGES: dict[str, Callable[[bytes, random.Random], bytes | None]] = {
    "whole": lambda content, chance: content,
    "flipped": _flipped,
    "cut": _cut,
    "other": _other,
    "gone": lambda content, chance: None,
}


@pytest.fixture
def filled(project: Project) -> tuple[Project, str]:
    """A project whose cache was filled by a check, and what the check said."""
    project.change("engine/text.py", ", strict: bool = False", "", "Drop strict")
    project.change("engine/config.py", "size: int", "width: int", "Rename")
    said = project.run(*ASK)
    assert said.exit_code == 1, said.output
    shutil.copytree(project.root / "cache", project.root / "filled")
    kinds = {
        path.relative_to(project.root / "filled").parts[0] for path in (project.root / "filled").rglob("*")
    }
    assert kinds >= {"analyses", "contracts", "plans", "tables", sealed_values.KEY}
    return project, said.stdout


@settings(max_examples=tries(day=8, nightly=100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_check_says_the_same_with_a_damaged_cache(filled: tuple[Project, str], data: st.DataObject) -> None:
    project, expected = filled
    cache = project.root / "cache"
    shutil.rmtree(cache)
    shutil.copytree(project.root / "filled", cache)
    damages = st.sampled_from(sorted(DAMAGES))
    # What is asked first hides what is behind it.
    all_alike = data.draw(st.none() | damages, label="all files")
    chance = data.draw(st.randoms(use_true_random=True))
    for path in sorted(path for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"):
        damage = all_alike or data.draw(damages, label=path.name)
        content = DAMAGES[damage](path.read_bytes(), chance)
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
    for _ in range(2):
        sealed_values._key.cache_clear()
        sealed_values.tell_of_damage.cache_clear()
        said = project.run(*ASK)
        assert said.exception is None or isinstance(said.exception, SystemExit), said.exception
        assert (said.exit_code, said.stdout) == (1, expected), said.stderr
        assert all(line.startswith("warning: a value in the cache") for line in said.stderr.splitlines())
        assert len(said.stderr.splitlines()) <= 1
    assert said.stderr == "", "the second run found all mended"
