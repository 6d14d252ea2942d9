"""Rows that a program can make of a document: sentences of a few forms, about one argument, without a condition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from torch_npu_sim.strictness.demands import Contiguous, Demand, Dtypes, Ranks, SameDtype
from torch_npu_sim.strictness.document import Sentence, sentences
from torch_npu_sim.strictness.row import Row

#: A sentence with one of these holds for some calls, or some devices, and is left to a person.
_CONDITION = re.compile(r"当|如果|若|场景|时[，,]|时为|模式下|Atlas|Ascend|产品|分别|或者|建议|推荐|反向")
_DTYPES = re.compile(
    r"(?:数据类型|dtype)(?:仅|只)?(?:支持|为)[：:]?\s*(?P<list>`?[A-Za-z]+\d*`?(?:\s*(?:[、，,]|和|或)\s*`?[A-Za-z]+\d*`?)*)(?![A-Za-z0-9_])"
)
_ALIKE = re.compile(
    r"数据类型(?:需要?|必须|要求)?(?:与|和)\s*`?(?P<other>[A-Za-z_][A-Za-z0-9_]*)`?\s*(?:的数据类型)?(?:保持)?(?:一致|相同)"
)
_RANKS = re.compile(
    r"(?:shape|维度)(?:仅|只)?支持(?:为)?\s*`?(?P<least>\d)`?(?:维?\s*[-~～]\s*`?(?P<most>\d)`?)?\s*维(?!\s*[和或/]|[^，,。；]*\d\s*维)"
    r"|(?:要求是|必须是|为)(?:一个)?\s*(?P<exactly>\d)D的"
)
#: The names of dimensions, with commas between.
_LISTED = re.compile(r"\[[^]]*\]|\([^)]*\)")
_NOT_CONTIGUOUS = re.compile(r"不支持非连续")
_NAMES = {
    **{each: each for each in ("float16", "bfloat16", "float32", "float64", "bool", "uint8")},
    **{f"int{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    "float": "float32",
    "fp32": "float32",
    "fp16": "float16",
    "half": "float16",
    "bf16": "bfloat16",
}


def rows_of(operator: str, document: str, arguments: Mapping[str, str], source: str) -> Iterator[Row]:
    """Yield a row for each sentence that can be read, where an argument has but one of a kind.

    ``arguments`` are those of the schema, with their types.
    """
    found: dict[tuple[str, type], list[tuple[Demand, str]]] = {}
    for sentence in sentences(document, arguments):
        if sentence.argument and not _CONDITION.search(sentence.text):
            for demand in _demands(sentence, arguments):
                found.setdefault((sentence.argument, type(demand)), []).append((demand, sentence.text))
    of_dtypes = {name for name, kind in found if kind is Dtypes}
    for (argument, kind), read in found.items():
        # Two that differ are of two products, or of two layouts.
        if len({repr(demand) for demand, _ in read}) > 1 or (kind is SameDtype and argument in of_dtypes):
            continue
        demand, quote = read[0]
        name = f"{_TITLES[kind]} of {argument}"
        yield Row((operator,), name, demand, quote, source=source, read_by="program")


_TITLES = {
    Dtypes: "dtype",
    SameDtype: "same dtype",
    Ranks: "dimensions",
    Contiguous: "contiguity",
}


def _demands(sentence: Sentence, arguments: Mapping[str, str]) -> Iterator[Demand]:
    text, argument = sentence.text, sentence.argument
    if found := _DTYPES.search(text):
        listed = [each.strip("` ").lower() for each in re.split(r"[、，,和或]", found["list"])]
        if all(each in _NAMES for each in listed) and _of_tensors(arguments[argument]):
            yield Dtypes((argument,), tuple(dict.fromkeys(_NAMES[each] for each in listed)))
    if (found := _ALIKE.search(text)) and found["other"] in arguments and found["other"] != argument:
        yield SameDtype((argument, found["other"]))
    if found := _RANKS.search(_LISTED.sub("", text)):
        least = int(found["exactly"] or found["least"])
        yield Ranks((argument,), least, int(found["most"] or least))
    if _NOT_CONTIGUOUS.search(text) and _of_tensors(arguments[argument]):
        yield Contiguous((argument,))


def _of_tensors(kind: str) -> bool:
    return kind.startswith("Tensor")
