"""Which operators a plugin names, which of them are declared and which are computed."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from torch_npu_sim.schemas import torch_library
from torch_npu_sim.surface import named_operators, plugin_sources

#: Families by words of an operator's name; the first that fits counts.
_FAMILIES = (
    ("communication", r"all_?gather|all_?reduce|reduce_scatter|alltoall|dispatch|combine|hcom"),
    ("mixture of experts", r"moe|expert|grouped_?matmul|(?:^|_)gmm|gating|group_topk|routing"),
    ("key-value cache", r"scatter_pa|gather_pa|reshape_and_cache|kv_?cache|_cache$|swap_blocks|load_indexed"),
    ("delta rule and convolution", r"delta|conv1d|kda|gdn|recurrent|cumsum|causal_conv|mamba|(?:^|_)ssm"),
    ("attention", r"attention|attn|mla|flash|indexer|(?:^|_)ring_|paged"),
    ("rotary", r"rope|rotary"),
    ("normalisation", r"norm"),
    ("sampling", r"top_?k|top_?p|sampl|logits|penalt|softmax"),
    ("quantisation", r"quant|int4|fp8|_mx_"),
    ("LoRA", r"bgmv|sgmv|lora"),
    ("activation", r"swiglu|gelu|silu|situ"),
    ("matrix product", r"matmul|(?:^|_)b?mm|linear"),
    ("format and memory", r"format|transpose|copy|prefetch|view|memory|storage|scatter|gather"),
)
_OTHER = "other"
#: Namespaces of compiled extensions start so; they count even where their C++ is not among the sources.
_EXTENSION = re.compile(r"torch\.ops\.(_C\w*)")


@dataclass(frozen=True)
class Operator:
    """An operator, with its overload where one is named.

    ``schemas`` are those of all its overloads where none is named; there are none where neither wheel nor
    C++ declares it.
    """

    namespace: str
    name: str
    family: str
    places: tuple[str, ...]
    schemas: tuple[str, ...]
    reference: bool


class _Declared:
    """The schemas of torch_npu and of a plugin's C++, by namespace and name with overload."""

    def __init__(self, npu: Mapping[str, str], cpp: Mapping[str, str]) -> None:
        self.schemas = {("npu", name): schema for name, schema in npu.items()}
        own = [each for text in cpp.values() for each in torch_library.in_text(text)]
        self.schemas |= {(each.namespace, each.name): each.schema or "" for each in own}
        self.namespaces = {namespace for namespace, _ in self.schemas}
        self.packets = {name.partition(".")[0] for name in npu}

    def overloads(self, namespace: str, name: str) -> dict[str, str]:
        """The schemas of the operator, else of all its overloads."""
        exact = self.schemas.get((namespace, name))
        if exact is not None:
            return {name: exact}
        starts = f"{name}."
        return {n: schema for (ns, n), schema in self.schemas.items() if ns == namespace and n.startswith(starts)}


def operators(plugin: Path, schemas: Mapping[str, str], implemented: Collection[str]) -> tuple[Operator, ...]:
    """Return the operators that a plugin's Python names, by family and name.

    ``schemas`` are those of torch_npu by name with overload, ``implemented`` the operators that have a
    reference (``npu_swiglu``, or ``namespace::name`` for one of another namespace). Raises OSError where there is
    no plugin, or none with Python sources.
    """
    sources = plugin_sources.texts(plugin, (*plugin_sources.PYTHON, *plugin_sources.CPP))
    python = {file: text for file, text in sources.items() if file.endswith(plugin_sources.PYTHON)}
    if not python:
        raise OSError(f"{plugin} has no Python sources, but for tests, tools and documents")
    declared = _Declared(schemas, {file: text for file, text in sources.items() if file not in python})
    namespaces = declared.namespaces | {n for text in python.values() for n in _EXTENSION.findall(text)}
    places: dict[tuple[str, str], list[str]] = {}
    for file, text in python.items():
        for named in _named(text, namespaces, declared.packets):
            # An attribute behind the name may be anything that Python offers on operators.
            whole = f"{named.name}.{named.overload}"
            name = whole if (named.namespace, whole) in declared.schemas else named.name
            places.setdefault((named.namespace, name), []).append(f"{file}:{named.line}")
    return tuple(
        Operator(
            namespace, name, family(name), tuple(where), tuple(overloads.values()),
            any(_key(namespace, each) in implemented for each in overloads),
        )
        for (namespace, name), where in sorted(places.items(), key=lambda each: (family(each[0][1]), each[0]))
        for overloads in [declared.overloads(namespace, name)]
    )  # fmt: skip


def family(name: str) -> str:
    """Return the family of an operator by its name."""
    return next((family for family, words in _FAMILIES if re.search(words, name)), _OTHER)


def _named(text: str, namespaces: Collection[str], known: Collection[str]) -> tuple[named_operators.Named, ...]:
    try:
        return named_operators.in_text(text, namespaces, known)
    except SyntaxError:
        # Templates, and code for a newer Python.
        return ()


def _key(namespace: str, name: str) -> str:
    return name if namespace == "npu" else f"{namespace}::{name}"
