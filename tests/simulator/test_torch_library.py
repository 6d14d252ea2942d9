"""A plugin's own operators come from its C++ sources, without compiling them."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch_npu_sim.schemas.torch_library import Declared, declared, in_text

from . import releases

SOURCE = r"""
// ops.def("commented(Tensor x) -> Tensor");
#ifdef OLD_CHIP
TORCH_LIBRARY_EXPAND(CONCAT(_C, _chip), ops)
{
    ops.def("both(Tensor x) -> Tensor");
    ops.def("old_alone(Tensor x) -> Tensor");
}
#else
TORCH_LIBRARY_EXPAND(CONCAT(_C, _chip), ops)
{
    ops.def("both(Tensor x) -> Tensor"); /* ops.def("never(Tensor x) -> Tensor"); */
    ops.def(
        "quantise(Tensor x, "
        "         Tensor! out, str mode=\"dynamic // not a comment\") -> ()"
        );
    if (true) { ops.impl("quantise", torch::kPrivateUse1, &quantise); }
#if defined(EXTRA) || defined(MORE)
    ops.def("extra.list(Tensor[] x) -> Tensor", {at::Tag::pt2_compliant_tag});
#elif !defined(NEITHER)
    ops.def(TORCH_SELECTIVE_SCHEMA("instead(Tensor x) -> Tensor"));
#endif
}
#endif
TORCH_LIBRARY_FRAGMENT(other, m) {
    m.def("by_function", &by_function);
    m.def(R"(raw(Tensor x,
                 str s="}") -> Tensor)");
    ops.def("of_nobody(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(_C_chip, Meta, ops) { ops.def("an_implementation(Tensor x) -> Tensor"); }
"""


def names(defines: set[str] | None) -> list[str]:
    return [operator.name for operator in in_text(SOURCE, defines)]


def test_what_a_build_declares() -> None:
    assert names({"OLD_CHIP"}) == ["both", "old_alone", "by_function", "raw"]
    assert names({"MORE"}) == ["both", "quantise", "extra.list", "by_function", "raw"]
    assert names(set()) == ["both", "quantise", "instead", "by_function", "raw"]
    assert names({"NEITHER"}) == ["both", "quantise", "by_function", "raw"]


def test_both_sides_of_conditions_where_no_build_is_told(tmp_path: Path) -> None:
    (tmp_path / "binding.cpp").write_text(SOURCE)
    (tmp_path / "notes.txt").write_text(SOURCE.replace("old_alone", "in_a_text"))
    found = declared([tmp_path])
    assert [each.name for each in found] == [
        *("both", "old_alone", "quantise", "extra.list", "instead", "by_function", "raw"),
    ]


def test_schemas_are_put_together_from_their_strings() -> None:
    found = {operator.name: operator for operator in in_text(SOURCE, set())}
    assert found["quantise"] == Declared(
        "_C_chip", "quantise", 'quantise(Tensor x, Tensor! out, str mode="dynamic // not a comment") -> ()'
    )
    assert found["raw"] == Declared("other", "raw", 'raw(Tensor x, str s="}") -> Tensor')


def test_an_operator_whose_schema_is_the_function_is_named_without() -> None:
    assert Declared("other", "by_function", None) in tuple(in_text(SOURCE))


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"none\.cpp"):
        declared([tmp_path / "none.cpp"])


@pytest.mark.machine
@pytest.mark.parametrize(
    ("version", "all_chips", "one_chip"),
    [
        ("0.26.0rc1", 66, 64),
        ("0.27.1rc1", 69, 63),
        ("0.28.0rc1", 81, 72),
        ("0.29.0rc1", 79, 70),
        ("0.30.0rc2", 84, 75),
    ],
)
def test_the_operators_of_a_plugin_as_published(
    version: str, all_chips: int, one_chip: int, tmp_path: Path
) -> None:
    source = releases.unpacked(version, tmp_path, "csrc/torch_binding.cpp") / "csrc"
    found = declared([source])
    assert {operator.namespace for operator in found} == {"_C_ascend"}
    assert len(found) == all_chips
    assert all(operator.schema for operator in found)
    assert len(declared([source], {"VLLM_ENABLE_ATB_AND_DIRECT_KERNELS"})) == one_chip


@pytest.mark.machine
def test_the_schemas_that_references_are_tested_with_are_the_plugins(tmp_path: Path) -> None:
    """Those of one of its releases: an operator is gone from the newest, or has another schema there."""
    text = (Path(__file__).parent / "operators/extension_schemas.txt").read_text(encoding="utf-8")
    kept = {line.removeprefix("_C_ascend::") for line in text.splitlines() if line.startswith("_C_ascend::")}
    published: set[str | None] = set()
    for version in releases.PLUGINS:
        (tmp_path / version).mkdir()
        sources = releases.unpacked(version, tmp_path / version, "csrc/torch_binding.cpp")
        published |= {operator.schema for operator in declared([sources / "csrc"])}
    assert kept
    assert kept <= published
