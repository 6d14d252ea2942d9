"""The facts about a plugin of vLLM that cases need, whoever wrote it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Plugin:
    """A plugin: its import package and what is its own in a run."""

    package: str
    #: The classes of the model runners, by the end of their dotted names.
    runners: Mapping[str, str]
    #: Variables of every process that has the plugin, and those beside a simulated device.
    variables: Mapping[str, str]
    simulated: Mapping[str, str]
    #: What cases may need beyond vLLM itself.
    features: frozenset[str]
    #: Operators that must have run for a model and a case, so that no fallback computed the tokens.
    operators: Callable[[Any], tuple[str, ...]]
    #: Returns how many graphs were captured, and how often one was replayed, in this process.
    graphs: Callable[[], dict[str, int]]
    #: The functions of torch_npu whose calls are counted on a device, where the simulation does not count.
    counted: Callable[[], Iterable[str]] = tuple
    #: What the engine computes in on a simulated device.
    simulated_dtype: str = "float32"
    #: What a case has in arguments of the engine, where plugins differ, by case; a mapping adds to the case's own.
    engine: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: Returns faults in lines of its own, by name; each changes this process. Of the same name as one for all plugins,
    #: it stands for that one.
    faults: Callable[[], Mapping[str, Callable[[], None]]] = dict
