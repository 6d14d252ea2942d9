from __future__ import annotations

import pytest

from syncbot.api.module_declarations import Declared, extract_declared


def declared(source: str) -> list[tuple[str, str, str | None]]:
    return [(d.kind, d.name, d.value) for d in extract_declared(source.encode()).items]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = os.getenv('SIZE', '4')\n", [("environment", "SIZE", "'4'")]),
        ("x = os.environ.get('SIZE')\n", [("environment", "SIZE", None)]),
        ("x = os.environ['SIZE']\n", [("environment", "SIZE", None)]),
        ("x = env_with_choices('MODE', 'a', ['a', 'b'])\n", [("environment", "MODE", "'a'")]),
        ("os.environ['SIZE'] = '4'\n", []),
        ("x = os.getenv(name)\n", []),
        ("x = seven('SIZE', 1)\n", []),
        ("p.add_argument('-s', '--size', type=int, default=4)\n", [("option", "--size", "4")]),
        ("p.add_argument('path')\n", []),
        ("@click.option('--lang', default='en')\ndef f(): ...\n", [("option", "--lang", "'en'")]),
        ("lib.define('ns::scale(Tensor x) -> Tensor')\n", [("operator", "ns::scale", "ns::scale(Tensor x) -> Tensor")]),
        ("book.define('word(s)')\n", []),
        ("direct_register_custom_op(op_name='scale', op_func=f)\n", [("operator", "scale", None)]),
        ("@torch.library.custom_op('ns::scale', mutates_args=())\ndef f(): ...\n", [("operator", "ns::scale", None)]),
        ("@Op.register('silu')\nclass Silu(Op): ...\n", [("registration", "silu", "Op.register")]),
        ("atexit.register(close)\n", []),
        ("x = os.getenv('A'\n", []),
    ],
)  # fmt: skip
def test_what_calls_declare(source: str, expected: list[tuple[str, str, str | None]]) -> None:
    assert declared(source) == expected


def test_a_registry_is_a_literal_with_many_keys_that_are_texts() -> None:
    entries = "".join(f"    '{name}': ('mod', '{name.upper()}'),\n" for name in "abcde")
    found = declared(f"MODELS = {{\n{entries}}}\nFEW = {{\n    'a': 1,\n}}\n")
    assert [name for _, name, _ in found] == [f"MODELS[{name}]" for name in "abcde"]
    assert found[0] == ("registry", "MODELS[a]", "('mod', 'A')")
    assert declared(f"MODELS = {{\n{entries}    None: 1,\n}}\n") == []


def test_the_keys_of_environment_variables_are_no_registry() -> None:
    entries = "".join(f"    '{n}': lambda: os.getenv('{n}', '0'),\n" for n in ("AA", "BB", "CC", "DD", "EE"))
    assert {d.kind for d in extract_declared(f"VARS = {{\n{entries}}}\n".encode()).items} == {"environment"}


def test_long_values_are_cut() -> None:
    (found,) = extract_declared(b"x = os.getenv('AA', '%s')\n" % (b"y" * 200)).items
    assert found == Declared("environment", "AA", "'" + "y" * 78 + "…")
