"""Rows of constraints: each word of the vocabulary refuses a call and lets another pass, and findings stay found."""

from __future__ import annotations

import os
import pkgutil
import subprocess
import sys
from typing import Any

import pytest
import torch
from torch_npu_sim import operators
from torch_npu_sim.constraints import ConstraintError
from torch_npu_sim.settings import variable
from torch_npu_sim.strictness import documented, enforcement
from torch_npu_sim.strictness.call import Call
from torch_npu_sim.strictness.conditions import (
    Condition,
    Given,
    Is,
    Not,
    OfAxis,
    OfDtype,
    OfLength,
    OfRank,
    OfSize,
    Transposed,
)
from torch_npu_sim.strictness.demands import (
    Combinations,
    Contiguous,
    Demand,
    Dtypes,
    Elements,
    Ranks,
    SameDtype,
    SameShape,
    SameSize,
    SizeOrOne,
    Sizes,
)
from torch_npu_sim.strictness.demands_by_layout import Axis, Entries, OneOrAll, Reaches, ReachesBlocks, Within
from torch_npu_sim.strictness.demands_of_shapes import Layout, NotAbove, OneSize, SameRank
from torch_npu_sim.strictness.demands_of_values import (
    Demanded,
    Eager,
    Excluded,
    Length,
    Multiple,
    NoRepeats,
    NoZeros,
    Rising,
    SameLength,
    SameValue,
    SizeIs,
    Sum,
    Together,
    Total,
    Values,
)
from torch_npu_sim.strictness.documented import FAMILIES, OPERATORS, rows, rows_in, rows_of
from torch_npu_sim.strictness.excepted import EXCEPTED, excepted
from torch_npu_sim.strictness.limits import GRAPHS


def empty(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A tensor without values, however large."""
    return torch.empty(shape, dtype=dtype, device="meta")


def call(stand_in: bool = False, **arguments: Any) -> Call:
    return Call("some_operator", arguments, stand_in=stand_in)


half, short, whole = (empty(2, 4, dtype=dtype) for dtype in (torch.float16, torch.bfloat16, torch.float32))
table = Combinations(("x", "scale"), (("bfloat16", "bfloat16|none"), ("float16", "float32")))


def laid_out(layout: str, *shape: int, **others: Any) -> Call:
    """A call of a tensor x in a layout."""
    return call(input_layout=layout, x=empty(*shape), **others)


#: A demand, what breaks it with a part of what is said, and what does not.
WORDS: list[tuple[Demand, Call, str, Call]] = [
    (Dtypes(("x",), ("float16",)), call(x=short), "x is bfloat16, documented are float16", call(x=half)),
    (Dtypes(("x",), ("float16",)), call(x=[half, short]), "x is bfloat16", call(x=None)),
    (SameDtype(("x", "y")), call(x=half, y=short), "one dtype is demanded", call(x=half, y=None)),
    (
        table,
        call(x=short, scale=whole),
        "scale would have to be bfloat16 or none",
        call(x=half, scale=[whole]),
    ),
    (table, call(x=half, scale=None), "x would have to be bfloat16", call(x=short, scale=None)),
    (Ranks(("x",), 3, 4), call(x=half), "x has 2 dimensions", call(x=empty(1, 2, 3))),
    (
        Sizes(("x",), -1, among=(128, 192)),
        call(x=half),
        "is 4, documented are 128, 192",
        call(x=empty(1, 192)),
    ),
    (Sizes(("x",), 0, most=8), call(x=empty(9)), "at most 8", call(x=empty(8))),
    (Sizes(("x",), 0, multiple=16), call(x=empty(24)), "multiples of 16", call(x=empty(32))),
    (SameSize("x", 0, "y", 1), call(x=half, y=half), "which is 4", call(x=half, y=empty(9, 2))),
    (SizeOrOne("x", 0, "y", 1), call(x=half, y=half), "which is 4", call(x=empty(1), y=half)),
    (
        SameShape(("x", "y"), but_last=1),
        call(x=half, y=empty(3, 4)),
        "one shape",
        call(x=half, y=empty(2, 9)),
    ),
    (
        Elements(("x",), 2**31 - 1),
        call(x=empty(1 << 15, 1 << 16)),
        "at most 2147483647",
        call(x=empty((1 << 31) - 1)),
    ),
    (Elements(("x",), least=1), call(x=empty(0, 4)), "at least 1", call(x=half)),
    (OneSize(("x", "y"), -1), call(x=[half, empty(2, 5)]), "x 4, x 5; one size", call(x=half, y=empty(3, 4))),
    (SameRank(("x", "y")), call(x=half, y=empty(1)), "x has 2, y has 1; as many", call(x=[half, half])),
    (Layout(("x",), transposed=False), call(x=half.t()), "that is not transposed is", call(x=half)),
    (Layout(("x",), transposed=True), call(x=half), "a transposed one is", call(x=[half.t(), empty(1, 4)])),
    (
        NotAbove("x", "y", of_dimension=-1, less=1),
        call(x=torch.tensor([1, 4]), y=half),
        "has 4, y allows at most 3",
        call(x=[0, 3], y=half),
    ),
    (NotAbove("x", "y"), call(x=3, y=half), "has 3, y allows at most 2", call(x=2, y=half)),
    (NotAbove("x", "n", dimension=1), call(x=half, n=3), "of x has 4, n allows at most 3", call(x=half, n=4)),
    (NoZeros(("x",)), call(x=torch.tensor([1.0, 0.0])), "x has a 0", call(x=torch.tensor([-1.0]))),
    (Contiguous(("x",)), call(x=half.t()), "contiguous is demanded", call(x=half)),
    (Values(("x",), least=0), call(x=[0, -1]), "at least 0", call(x=[0, 1])),
    (Values(("x",), among=("TND",)), call(x="BSH"), "x is BSH, documented are TND", call(x="TND")),
    (Values(("x",), most=3), call(x=torch.tensor([4])), "at most 3", call(x=torch.tensor([3]))),
    (Length("x", most=2), call(x=[1, 2, 3]), "3 entries, at most 2", call(x=None)),
    (Length("x", least=2), call(x=torch.tensor([1])), "1 entries, at least 2", call(x=torch.tensor([1, 2]))),
    (SameLength("x", "y"), call(x=[1], y=[1, 2]), "as many are demanded", call(x=[1], y=None)),
    (Rising("x"), call(x=[1, 3, 2]), "falls from 3 to 2", call(x=[1, 1, 2])),
    (NoRepeats("x"), call(x=torch.tensor([1, 1])), "repeats 1 of its 2", call(x=torch.tensor([0, 1]))),
    (Total("x", "y", 0), call(x=torch.tensor([1, 2]), y=half), "sums up to 3", call(x=[1, 1], y=half)),
    (Total("x", "y", 0, sums=True), call(x=[1, 3], y=half), "ends with 3", call(x=[1, 2], y=half)),
    (SizeIs("x", 1, "n"), call(x=half, n=5), "n says 5", call(x=half, n=4)),
    (Multiple("n", "m", most=2), call(n=6, m=2), "6) is 3 times", call(n=4, m=2)),
    (Multiple("n", "m"), call(n=5, m=2), "no multiple", call(n=4, m=0)),
    (Sum(("n", "m"), least=0), call(n=1, m=-2), "sum up to -1", call(n=2, m=-2)),
    (SameValue(("n", "m")), call(n=1, m=0), "n is 1 and m 0", call(n=1, m=1)),
    (
        Axis("x", "S", most=8),
        laid_out("BNSD", 1, 1, 9, 1),
        "S of x is 9, at most 8",
        laid_out("BNSD", 1, 9, 8, 9),
    ),
    (Axis("x", "NDH", most=8), laid_out("BSND", 1, 1, 3, 3), "NDH of x is 9", laid_out("BSH", 9, 9, 8)),
    (Axis("x", "S", most=1), laid_out("BNSD_BSND", 1, 1, 2, 1), "S of x is 2", laid_out("TND", 2, 2, 2)),
    (
        Within("y", "x", "S"),
        laid_out("BSH", 2, 3, 4, y=[3, 4]),
        "S of x is 3",
        laid_out("BSH", 2, 3, 4, y=[3, 3]),
    ),
    (
        Entries("y", "x", "B"),
        laid_out("BSH", 3, 1, 1, y=[1, 1]),
        "2 entries",
        laid_out("BSH", 3, 1, 1, y=[1]),
    ),
    (
        Reaches("y", -1, "x", "S"),
        laid_out("BSH", 1, 5, 1, y=half),
        "S of x is 5",
        laid_out("BSH", 1, 4, 1, y=half),
    ),
    (
        ReachesBlocks("y"),
        call(y=half, block_table=empty(1, 3), block_size=2),
        "have 6 tokens",
        call(y=half, block_table=empty(1, 2), block_size=2),
    ),
    (
        OneOrAll("y", "x", "NDH"),
        laid_out("BSH", 1, 1, 9, y=half),
        "demanded are 1 or 9",
        laid_out("BSH", 1, 1, 8, y=half),
    ),
    (
        Multiple("x", "y", dimension=-1, of_dimension=0, even=True),
        call(x=half, y=empty(4)),
        "1 times y, an even number",
        call(x=half, y=empty(2)),
    ),
    (Demanded(("x",)), call(x=None), "x is not given", call(x=1)),
    (Excluded(("x",)), call(x=half), "x is given, and excluded", call(x=[])),
    (Together(("x", "y")), call(x=half, y=None), "all of x, y or none", call(x=None, y=None)),
    (Eager(), Call("some_operator", {}, captured=True), "in a graph", call()),
]


@pytest.mark.parametrize(("demand", "wrong", "said", "right"), WORDS, ids=lambda part: type(part).__name__)
def test_a_demand_is_broken_and_kept(demand: Demand, wrong: Call, said: str, right: Call) -> None:
    assert said in (demand.broken(wrong) or "")
    assert demand.broken(right) is None


@pytest.mark.parametrize(
    ("condition", "so", "not_so"),
    [
        (Given("x"), call(x=0), call(x=None)),
        (Is("x", "TND", "BSH"), call(x="TND"), call(x="BNSD")),
        (OfDtype("x", "float16"), call(x=[half]), call(x=short)),
        (OfSize("x", -1, 4), call(x=half), call(x=None)),
        (OfSize("x", 2, 4), call(x=empty(1, 1, 4)), call(x=half)),
        (OfAxis("x", "S", least=2), laid_out("BSH", 1, 2, 1), laid_out("BSH", 2, 1, 1)),
        (OfAxis("x", "S", most=1), laid_out("BSH", 1, 1, 1), laid_out("TND", 1, 1, 1)),
        (OfRank("x", 2, 3), call(x=half), call(x=None)),
        (Transposed("x"), call(x=half.t()), call(x=empty(4, 1).t())),
        (OfLength("x", 1), call(x=[half]), call(x=[half, half])),
        (Not(Given("x")), call(), call(x=1)),
    ],
    ids=lambda part: type(part).__name__,
)
def test_a_condition_holds_or_not(condition: Condition, so: Call, not_so: Call) -> None:
    assert condition.holds(so)
    assert not condition.holds(not_so)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_float32_stands_in_for_half_types_alone(dtype: torch.dtype) -> None:
    halves, whole_numbers = Dtypes(("x",), ("bfloat16",)), Dtypes(("x",), ("int32",))
    given = call(stand_in=True, x=empty(1, dtype=dtype))
    assert (halves.broken(given) is None) == (dtype in (torch.bfloat16, torch.float32))
    assert whole_numbers.broken(given) is not None
    assert (halves.broken(call(x=empty(1, dtype=dtype))) is None) == (dtype is torch.bfloat16)


def held(name: str, **arguments: Any) -> None:
    """Hold a call, with defaults, to the rows that can be told before there are results."""
    bound = enforcement.arguments(name, (), arguments)
    found = [row for row in enforcement.rows_of(name) if not enforcement.of_results(row.demand)]
    enforcement.check(found, Call(name, bound))


def paged(blocks: int = 4, dtype: torch.dtype = torch.bfloat16, **others: Any) -> dict[str, Any]:
    cache = empty(blocks, 128, 1024, dtype=dtype)
    return {
        "query": empty(2, 32, 128, dtype=dtype),
        "key": cache,
        "value": cache,
        "num_heads": 32,
        "num_key_value_heads": 8,
        "input_layout": "TND",
        "block_size": 128,
        "block_table": empty(2, 4, dtype=torch.int32),
        "actual_seq_lengths": [1, 2],
        "actual_seq_lengths_kv": [3, 4],
        **others,
    }


def test_a_cache_of_more_elements_than_an_int32_counts_is_refused() -> None:
    held("npu_fused_infer_attention_score", **paged(16383))
    with pytest.raises(ConstraintError, match=r"key has 2147483648 elements.*at most 2147483647"):
        held("npu_fused_infer_attention_score", **paged(16384))


def test_packed_queries_are_of_bfloat16() -> None:
    with pytest.raises(ConstraintError, match="query is float16, documented are bfloat16"):
        held("npu_fused_infer_attention_score", **paged(dtype=torch.float16))


def test_an_exception_holds_where_it_is_named_and_nowhere_else() -> None:
    """Heads of 128 lie in a paged cache, as a plugin has them; without one the layout's own bound holds."""
    keys = empty(2, 32, 128, dtype=torch.bfloat16)
    given = paged(block_table=None, key=keys, value=keys)
    with pytest.raises(ConstraintError, match="size of packed heads"):
        held("npu_fused_infer_attention_score", **given)


@pytest.mark.parametrize(("sequences", "taken"), [(1024, True), (1025, False), (2049, False)])
def test_so_many_packed_sequences_are_taken(sequences: int, taken: bool) -> None:
    part = empty(sequences, 2, 80, dtype=torch.bfloat16)
    ends = list(range(1, sequences + 1))
    given = {"query": part, "key": part, "value": part, "head_num": 2, "input_layout": "TND"}
    given |= {"actual_seq_qlen": ends, "actual_seq_kvlen": ends}
    if taken:
        held("npu_fusion_attention", **given)
        return
    with pytest.raises(ConstraintError, match=f"actual_seq_qlen has {sequences} entries"):
        held("npu_fusion_attention", **given)


def experts(counts: list[int], scale: torch.dtype, output: torch.dtype) -> Any:
    """Run experts of int8 through the operator as strict runs have it."""
    rows_, columns = 6, 32
    x = torch.ones(rows_, 16, dtype=torch.int8)
    weight = torch.ones(len(counts), 16, columns, dtype=torch.int8)
    strict = enforcement.held_to("npu_grouped_matmul", operators.kernels("npu_grouped_matmul")[0])
    return strict(
        [x],
        [weight],
        scale=[torch.ones(len(counts), columns, dtype=scale)],
        per_token_scale=[torch.ones(rows_)],
        group_list=torch.tensor(counts),
        split_item=2,
        group_type=0,
        group_list_type=1,
        output_dtype={torch.float16: 5, torch.bfloat16: 15}[output],
    )


@pytest.fixture
def no_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable("float32"), "0")


@pytest.mark.usefixtures("no_stand_in")
def test_scales_of_experts_go_with_the_output() -> None:
    assert experts([2, 4], torch.bfloat16, torch.bfloat16)[0].dtype == torch.bfloat16
    assert experts([2, 4], torch.float32, torch.float16)[0].dtype == torch.float16
    with pytest.raises(ConstraintError, match=r"the nearest has it so: .*would have to be"):
        experts([2, 4], torch.float32, torch.bfloat16)


def test_a_row_of_scales_for_each_group_goes_with_one_weight_alone() -> None:
    x, scales = empty(6, 16, dtype=torch.int8), empty(2, 32, dtype=torch.bfloat16)
    given = {
        "x": [x],
        "group_list": torch.tensor([2, 4]),
        "split_item": 2,
        "group_type": 0,
        "group_list_type": 1,
    }
    held("npu_grouped_matmul", **given, weight=[empty(2, 16, 32, dtype=torch.int8)], scale=[scales])
    weights = [empty(16, 32, dtype=torch.int8)] * 2
    held("npu_grouped_matmul", **given, weight=weights, scale=list(scales))
    with pytest.raises(ConstraintError, match=r"scale has 2 dimensions.*dimensions of scales"):
        held("npu_grouped_matmul", **given, weight=weights, scale=[scales] * 2)


@pytest.mark.parametrize(
    ("mask", "said"), [([True, False], ""), ([False, True], "smooth_scale1 is"), ([False, False], "is given")]
)
def test_a_mask_asks_for_what_has_a_scale(mask: list[bool], said: str) -> None:
    x, gamma = empty(2, 8, dtype=torch.float16), empty(8, dtype=torch.float16)
    given = {"x1": x, "x2": x, "gamma": gamma, "smooth_scale1": gamma, "output_mask": mask}
    if not said:
        held("npu_add_rms_norm_dynamic_quant", **given)
        return
    with pytest.raises(ConstraintError, match=said):
        held("npu_add_rms_norm_dynamic_quant", **given)


@pytest.mark.usefixtures("no_stand_in")
def test_counts_of_experts_add_up_to_the_rows() -> None:
    with pytest.raises(
        ConstraintError, match="group_list sums up to 5, demanded is dimension 0 of x, which is 6"
    ):
        experts([2, 3], torch.bfloat16, torch.bfloat16)


@pytest.mark.usefixtures("no_stand_in")
@pytest.mark.parametrize(("bias", "taken"), [(torch.int32, True), (torch.float16, False)])
def test_a_bias_without_scales_of_tokens_is_of_int32(bias: torch.dtype, taken: bool) -> None:
    strict = enforcement.held_to("npu_quant_matmul", operators.kernels("npu_quant_matmul")[0])
    x, weight = torch.ones(2, 16, dtype=torch.int8), torch.ones(16, 8, dtype=torch.int8)
    given = {"bias": torch.ones(8, dtype=bias), "output_dtype": 5}
    if taken:
        assert strict(x, weight, torch.ones(8), **given).dtype == torch.float16
        return
    with pytest.raises(ConstraintError, match="bias would have to be int32 or none"):
        strict(x, weight, torch.ones(8), **given)


def test_graphs_are_captured_up_to_the_limit() -> None:
    enforcement.within(GRAPHS, GRAPHS.most)
    with pytest.raises(ConstraintError, match="1801 captured graphs at a time, the device takes 1800"):
        enforcement.within(GRAPHS, GRAPHS.most + 1)


def test_every_module_of_rows_is_a_family_with_its_operators() -> None:
    modules = {each.name for each in pkgutil.iter_modules(documented.__path__)}
    assert modules == set(FAMILIES)
    for family, among in FAMILIES.items():
        assert {each for row in rows_in(family) for each in row.operators} == set(among), family


def test_rows_name_arguments_of_their_operators_and_no_two_are_the_same() -> None:
    for operator in sorted(OPERATORS):
        found = rows_of(operator)
        names = {each.name for each in enforcement._schema(operator).arguments} | {"output"}
        assert len({row.name for row in found}) == len(found), operator
        for row in found:
            parts = [row.demand, *row.when, *(each.other for each in row.when if isinstance(each, Not))]
            for part in parts:
                listed = getattr(part, "arguments", None) or [
                    getattr(part, slot)
                    for slot in ("argument", "of", "other", "said_by")
                    if hasattr(part, slot)
                ]
                assert {each for each in listed if isinstance(each, str)} <= names, (operator, row.name)


def test_every_exception_is_of_rows_that_there_are() -> None:
    for each in EXCEPTED:
        assert set(each.rows) <= {row.name for row in rows_of(each.operator)}
        assert each.done_by
        assert each.believed
    taken = [row for row in rows() if excepted(row, Call(EXCEPTED[0].operator, paged()))]
    assert {row.name for row in taken} >= set(EXCEPTED[0].rows)


_CALL = """
from torch_npu_sim.surface import loading
loading.load()
import torch, torch_npu
from torch_npu_sim.constraints import ConstraintError
part = torch.zeros(1025, 1, 16, device="npu", dtype=torch.float16)
ends = list(range(1, 1026))
try:
    torch_npu.npu_fusion_attention(
        part, part, part, 1, "TND", actual_seq_qlen=ends, actual_seq_kvlen=ends, softmax_layout="TND"
    )
    print("taken")
except ConstraintError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("strict", "said"), [("0", "taken"), ("1", "actual_seq_qlen has 1025 entries, at most 1024")]
)
def test_only_a_strict_process_holds_operators_to_rows(strict: str, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CALL],
        env=os.environ | {variable("strict"): strict},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said in done.stdout, done.stderr
