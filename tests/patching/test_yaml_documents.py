"""Reviewed documents from anybody: what is no document ends in one line, and soon."""

from __future__ import annotations

import pytest

from syncbot.errors import ConfigurationError
from syncbot.patching.yaml_documents import Document, parse


class Thing(Document):
    """The document that the texts below should hold."""

    id: str
    more: tuple[str, ...] = ()


# Each of nine lists holds the one before nine times: 9 ** 9 values.
LAUGHS = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"id: {'9' * 10_000}\n", "not valid YAML: Exceeds the limit"),
        (LAUGHS, "not valid YAML: with its aliases unfolded it has more than 1,000,000 values"),
        ("id: &a [*a]\n", "not valid YAML: an alias leads to its own value"),
        ("id: &a {b: *a}\n", "not valid YAML: an alias leads to its own value"),
        ("? {a: b}\n: c\n", "not valid YAML: found unhashable key"),
        ("id: x\n--- \nid: y\n", "not valid YAML: but found another document"),
        (f"id: {'[' * 5_000}{']' * 5_000}\n", "not valid YAML: it is nested too deeply"),
        ("id: 2026-13-45\n", "not valid YAML: month must be in 1..12"),
        ("id: !!python/object/apply:os.system [id]\n", "not valid YAML: could not determine a constructor"),
        ("id: \0\n", "not valid YAML"),
        ("", "a thing is a mapping"),
        ("- id\n", "a thing is a mapping"),
        ("1: 2\n", "id: field required"),
    ],
)
def test_what_is_no_document_is_told_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse(text, Thing, "a thing", "thing.yaml")
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_aliases_that_stand_for_little_are_welcome() -> None:
    assert parse("id: &a x\nmore: [*a, *a]\n", Thing, "a thing", "thing.yaml").more == ("x", "x")
