"""The documents of a torch_npu wheel: what they say of each operator, sentence by sentence. Nothing of it is run."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from torch_npu_sim.schemas.wheel import Source

DOCUMENTS = "torch_npu/_op_plugin_docs.py"

#: Where examples begin; nothing behind it demands anything.
_EXAMPLES = re.compile(r"^[\s#]*(?:调用示例|示例|examples?\b)", re.MULTILINE | re.IGNORECASE)
#: Where the part on arguments ends.
_BEYOND = re.compile(r"^[\s#]*(?:返回值|返回说明|输出说明|输出|约束|支持的)", re.IGNORECASE)
_ARGUMENT = re.compile(r"^\s*(?:[-*]\s+)?\**`?(?P<name>[A-Za-z_]\w*)`?\**\s*(?:[（(]`?[^）)]*[）)])?\s*[：:]")
_OF_SCHEMA = re.compile(r"(?P<type>[A-Z]?[A-Za-z]+(?:\([a-z]!?\))?(?:\[\d*\])?\??) (?P<name>\w+)(?=[,=)])")
_SENTENCE = re.compile(r"[^。；;\n]+[。；;]?")
_DEMANDS = re.compile(
    r"仅支持|只支持|不支持|类型支持|数据类型为|维度支持|shape支持|必须|要求|需要|不能|不可|不允许|不大于|不超过|不小于|"
    r"取值|范围|一致|相同|大于|小于|整除|整数倍|对齐|<|(?<![-=])>|≤|≥|\bmust\b|\bonly support|should be"
)


@dataclass(frozen=True)
class Sentence:
    """A sentence, and the argument in whose paragraph it stands ("" where that is none)."""

    text: str
    argument: str


def documents(source: Source) -> dict[str, str]:
    """Return the document of each operator that has one, by name. Raises ImportError for a wheel without them."""
    try:
        text = source.read(DOCUMENTS).decode()
    except (KeyError, OSError):
        raise ImportError(f"{source.origin} does not contain {DOCUMENTS}") from None
    with warnings.catch_warnings():
        # Formulas with backslashes in strings that are not raw.
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    return dict(_named(tree))


def arguments(schema: str) -> dict[str, str]:
    """Return the types of the arguments of a schema, by name."""
    return {each["name"]: each["type"] for each in _OF_SCHEMA.finditer(schema.partition("->")[0])}


def _named(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and len(node.args) == 2:
            name, document = (each.value if isinstance(each, ast.Constant) else None for each in node.args)
            if isinstance(name, str) and isinstance(document, str):
                yield name, document


def sentences(document: str, arguments: Collection[str]) -> Iterator[Sentence]:
    """Yield the sentences before the first example, each with the argument that its paragraph is about."""
    argument = ""
    for line in _EXAMPLES.split(document, maxsplit=1)[0].splitlines():
        if found := _ARGUMENT.match(line):
            argument = found["name"] if found["name"] in arguments else ""
        elif _BEYOND.match(line):
            argument = ""
        for sentence in _SENTENCE.findall(line):
            if text := sentence.strip():
                yield Sentence(text, argument)


def demands(sentence: Sentence) -> bool:
    """Say whether a sentence has a word of demands: it is counted as a constraint that is documented."""
    return bool(_DEMANDS.search(sentence.text))
