"""Parameters of another name and type in the place of others."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = """from dataclasses import dataclass


@dataclass
class Path:
    name: str


class Models:
    def names(self): ...


def run(engine, {}):
    return 1
"""
CALL = "from lib.a import run\n\n\ndef go(engine, given):\n    return run(engine, given)\n"


def _told(old: str, new: str, plugin: str = CALL, body: str = "return 1") -> list[str]:
    lib = LIB.replace("return 1", body)
    found = compare(LIB.format(old), lib.format(new), plugin)
    return [row for row in found if row.startswith("parameter-type-changed")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("names: list[str]", "paths: list[Path]"),
        ("names: List[str]", "models: Models"),
        ("paths: list[Path] | None", "models: Optional[Models]"),
        ("path: Path", "names: list[str]"),
        ("ids: dict[str, tuple[list[int], ...]]", "blocks: dict[str, Models]"),
        ("size: int", "name: str"),
        ("name: str", "models: 'Models'"),
    ],
)
def test_what_was_meant_for_another_parameter(old: str, new: str) -> None:
    subject = old.partition(":")[0]
    assert _told(old, new) == [f"parameter-type-changed lib.a.run breaks 5 {subject}"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("names: list[str]", "names: list[Path]", id="the same name"),
        pytest.param("names: list[str]", "words: list[str]", id="the same type"),
        pytest.param("names: list", "words: list[Path]", id="a list of anything"),
        pytest.param("path: Path", "models: Models", id="of which classes nobody knows"),
        pytest.param("paths: list[Path]", "models: list[Models]", id="nor of what is in a list"),
        pytest.param("names: list[str]", "path: Path | list[str]", id="one of several"),
        pytest.param("names", "models: Models", id="not declared"),
        pytest.param("names: list[str]", "models", id="not declared any more"),
        pytest.param("size: int", "share: float", id="a number"),
        pytest.param("names: list[int]", "sizes: tuple[int, ...]", id="a series"),
        pytest.param("name: str", "text: Protocol", id="a class of others"),
    ],
)
def test_what_may_fit(old: str, new: str) -> None:
    assert _told(old, new) == []


@pytest.mark.parametrize("passed", ["models", "None", "*given", "models=given"])
def test_what_is_meant_for_it_or_not_known(passed: str) -> None:
    plugin = f"from lib.a import run\n\n\ndef go(engine, given, models):\n    return run(engine, {passed})\n"
    assert _told("names: list[str] = ()", "models: Models = None", plugin) == []


def test_a_function_that_looks_at_what_it_is_given() -> None:
    body = "return models if isinstance(models, Models) else Models()"
    assert _told("names: list[str]", "models: Models", body=body) == []


def test_beside_a_keyword_that_is_gone() -> None:
    plugin = CALL.replace("given)\n", "given, lora=None)\n").replace(
        "go(engine, given, lora=None)", "go(engine, given)"
    )
    found = compare(LIB.format("names: list[str], lora=None"), LIB.format("models: Models"), plugin)
    assert [row.split()[0] for row in found] == ["parameter-removed", "parameter-type-changed"]
