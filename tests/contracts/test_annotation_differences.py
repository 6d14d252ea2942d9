"""The annotations of one value, before and after a change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.contracts.annotation_differences import other_type, part_of_tuple


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("list[list[int]]", "tuple[list[list[int]], list[int] | None]", "type"),
        ("list[np.ndarray]", "list[list[int]]", "elements"),
        ("int", "str", "type"),
        ("Config", "Config | None", "None"),
        ("Config", "Optional[Config]", "None"),
        ("dict[str, int]", "dict[str, list[int]]", "elements"),
        ("'Config'", "'Result'", "type"),
        ("ChatConfig", "chatConfig | None", "None"),
        ("dict[str, Any] | None", "tuple[dict[str, Any] | None, int]", "type"),
    ],
)
def test_another_type(old: str, new: str, expected: str) -> None:
    assert other_type(old, new) == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(None, "int", id="said nothing"),
        pytest.param("int", None, id="says nothing"),
        pytest.param("int | None", "int", id="narrower"),
        pytest.param("Optional[int]", "int | None", id="written anew"),
        pytest.param("typing.List[int]", "list[int]", id="old names"),
        pytest.param("a.b.Config", "Config", id="without its module"),
        pytest.param("'Config'", "Config", id="without quotes"),
        pytest.param("int | str", "str | int", id="another order"),
        pytest.param("list", "list[int]", id="more detail"),
        pytest.param("list[int]", "list", id="less detail"),
        pytest.param("Any", "int", id="anything before"),
        pytest.param("int", "Any", id="anything now"),
        pytest.param("dict[str, Any]", "dict[str, int]", id="anything in it"),
        pytest.param("T", "int", id="a type variable"),
        pytest.param("int", "int | str", id="one more among those known"),
        pytest.param("Annotated[int, Positive]", "int", id="wrapped"),
        pytest.param("Iterable[int]", "Generator[int, None, None]", id="one of that kind"),
        pytest.param("SkipValidation[int]", "int", id="wrapped for a library"),
        pytest.param("int", "not an annotation", id="no expression"),
        pytest.param("ChatConfig", "chatConfig", id="other capitals"),
        pytest.param("ChatConfig", "chatConfig | int", id="one more beside other capitals"),
        pytest.param("list[ChatConfig]", "list[CHATConfig]", id="other capitals in it"),
    ],
)
def test_no_other_type(old: str | None, new: str | None) -> None:
    assert other_type(old, new) is None


_TYPES = st.recursive(
    st.sampled_from(["int", "str", "Config", "np.ndarray", "None"]),
    lambda inner: st.one_of(
        inner.map("list[{}]".format),
        inner.map("Optional[{}]".format),
        st.tuples(inner, inner).map(lambda pair: f"{pair[0]} | {pair[1]}"),
        st.tuples(inner, inner).map(lambda pair: f"tuple[{pair[0]}, {pair[1]}]"),
    ),
    max_leaves=5,
)


@given(_TYPES, _TYPES)
def test_what_was_allowed_is_no_surprise(one: str, other: str) -> None:
    assert other_type(one, one) is None
    assert other_type(f"{one} | {other}", one) is None
    assert other_type(f"Union[{one}, {other}]", f"{other} | {one}") is None


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("list[int]", "tuple[list[int], str]", 0),
        ("Tensor", "Tuple[int, Tensor]", 1),
        ("'Tensor'", "'tuple[Tensor, None]'", 0),
        ("Tensor", "tuple[Tensor, ...]", None),
        ("Tensor", "tuple[Array, int]", None),
        ("Any", "tuple[Any, int]", None),
        ("None", "tuple[None, int]", None),
        ("Tensor", "tuple[Tensor, int] | Tensor", None),
        ("Tensor", "dict[Tensor, int]", None),
        (None, "tuple[int, int]", None),
    ],
)
def test_where_in_a_tuple_the_former_value_is(old: str | None, new: str, place: int | None) -> None:
    assert part_of_tuple(old, new) == place
