"""The meaning of error texts, in the words of each Python version that has its own; and near misses."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pytest

from syncbot.triage.kinds import kinds, understood
from syncbot.triage.model import Frame, Nature, Raised

Expected = tuple[str, str, tuple[str, ...]]

UNDERSTOOD: Mapping[str, Expected] = MappingProxyType({
    # unexpected keyword
    "TypeError: __init__() got an unexpected keyword argument 'config'":  # 3.9
        ("unexpected-keyword", "__init__", ("config",)),
    "TypeError: Encoder.__init__() got an unexpected keyword argument 'config'":
        ("unexpected-keyword", "Encoder.__init__", ("config",)),
    "TypeError: Encoder.__init__() got an unexpected keyword argument 'confg'. Did you mean 'config'?":  # 3.14
        ("unexpected-keyword", "Encoder.__init__", ("confg",)),
    "TypeError: outer.<locals>.inner() got an unexpected keyword argument 'x'":
        ("unexpected-keyword", "outer.<locals>.inner", ("x",)),
    "TypeError: <lambda>() got an unexpected keyword argument 'x'": ("unexpected-keyword", "<lambda>", ("x",)),
    "TypeError: 'sep' is an invalid keyword argument for int()": ("unexpected-keyword", "int", ("sep",)),
    "TypeError: f() got some positional-only arguments passed as keyword arguments: 'a, b'":
        ("unexpected-keyword", "f", ("a", "b")),
    "TypeError: Unexpected keyword argument 'size'": ("unexpected-keyword", "", ("size",)),
    "pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings\nsize\n"
    "  Unexpected keyword argument [type=unexpected_keyword_argument, input_value=1, input_type=int]":
        ("unexpected-keyword", "Settings", ("size",)),
    # missing arguments
    "TypeError: __init__() missing 1 required positional argument: 'a'": ("missing-argument", "__init__", ("a",)),
    "TypeError: Worker.run() missing 2 required positional arguments: 'a' and 'b'":
        ("missing-argument", "Worker.run", ("a", "b")),
    "TypeError: run() missing 3 required keyword-only arguments: 'a', 'b', and 'c'":
        ("missing-argument", "run", ("a", "b", "c")),
    "TypeError: Missing required argument 'size'": ("missing-argument", "", ("size",)),
    "TypeError: open() missing required argument 'file' (pos 1)": ("missing-argument", "open", ("file",)),
    "pydantic_core._pydantic_core.ValidationError: 2 validation errors for Settings\nsize\n  Field required "
    "[type=missing, input_value={}, input_type=dict]\nname\n  Field required [type=missing]":
        ("missing-argument", "Settings", ("size",)),
    # too many
    "TypeError: f() takes 1 positional argument but 2 were given": ("too-many-arguments", "f", ()),
    "TypeError: Worker.run() takes from 1 to 2 positional arguments but 3 were given":
        ("too-many-arguments", "Worker.run", ()),
    "TypeError: f() takes 1 positional argument but 2 positional arguments (and 1 keyword-only argument) were given":
        ("too-many-arguments", "f", ()),
    "TypeError: Plain() takes no arguments": ("too-many-arguments", "Plain", ()),
    "TypeError: len() takes exactly one argument (2 given)": ("too-many-arguments", "len", ()),
    "TypeError: range expected at most 3 arguments, got 4": ("too-many-arguments", "range", ()),
    "TypeError: f() got multiple values for argument 'a'": ("too-many-arguments", "f", ("a",)),
    # attributes
    "AttributeError: 'Config' object has no attribute 'size'": ("no-attribute", "Config", ("size",)),
    "AttributeError: 'Config' object has no attribute 'siz'. Did you mean: 'size'?":  # 3.10
        ("no-attribute", "Config", ("siz",)),
    "AttributeError: 'Config' object has no attribute 'size' and no __dict__ for setting new attributes":  # 3.13
        ("no-attribute", "Config", ("size",)),
    "AttributeError: type object 'Kind' has no attribute 'LARGE'": ("no-attribute", "Kind", ("LARGE",)),  # 3.12
    "AttributeError: LARGE": ("no-attribute", "", ("LARGE",)),  # enumerations up to 3.11
    "AttributeError: module 'engine.text' has no attribute 'clean'": ("no-attribute", "engine.text", ("clean",)),
    "AttributeError: partially initialized module 'engine' has no attribute 'text' (most likely due to a circular import)":
        ("no-attribute", "engine", ("text",)),
    "AttributeError: property 'size' of 'Config' object has no setter": ("no-attribute", "Config", ("size",)),
    "AttributeError: can't set attribute 'size'": ("no-attribute", "", ("size",)),  # 3.10
    # imports
    "ImportError: cannot import name 'clean' from 'engine.text' (/usr/lib/python3/site-packages/engine/text.py)":
        ("cannot-import", "engine.text", ("clean",)),
    "ImportError: cannot import name 'clean' from 'engine' (unknown location)": ("cannot-import", "engine", ("clean",)),
    "ImportError: cannot import name 'a' from partially initialized module 'engine' "
    "(most likely due to a circular import) (/srv/engine.py)": ("cannot-import", "engine", ("a",)),
    "ImportError: cannot import name 'clena' from 'engine.text' (/a (b)/text.py). Did you mean: 'clean'?":
        ("cannot-import", "engine.text", ("clena",)),
    "ModuleNotFoundError: No module named 'engine.text'": ("no-module", "engine.text", ("text",)),
    "ModuleNotFoundError: No module named 'engine.text.x'; 'engine.text' is not a package":
        ("no-module", "engine.text.x", ("x",)),
    "ModuleNotFoundError: import of engine.text halted; None in sys.modules": ("no-module", "engine.text", ("text",)),
    # others of the language
    "TypeError: 'Config' object is not callable": ("not-callable", "Config", ()),
    "TypeError: 'module' object is not callable. Did you mean: 'copy.copy(...)'?": ("not-callable", "module", ()),
    "TypeError: 'int' object is not subscriptable": ("wrong-use", "int", ()),
    "TypeError: 'NoneType' object is not iterable": ("wrong-use", "NoneType", ()),
    "TypeError: object int can't be used in 'await' expression": ("wrong-use", "int", ()),
    "TypeError: Can't instantiate abstract class Plain with abstract method run":  # 3.9 to 3.11
        ("abstract-class", "Plain", ("run",)),
    "TypeError: Can't instantiate abstract class Plain with abstract methods run, stop":
        ("abstract-class", "Plain", ("run", "stop")),
    "TypeError: Can't instantiate abstract class Plain without an implementation for abstract method 'run'":  # 3.12
        ("abstract-class", "Plain", ("run",)),
    "TypeError: Can't instantiate abstract class Plain without an implementation for abstract methods 'run', 'stop'":
        ("abstract-class", "Plain", ("run", "stop")),
    "ValueError: too many values to unpack (expected 2)": ("unpacking", "", ()),
    "ValueError: too many values to unpack (expected 2, got 3)": ("unpacking", "", ()),  # 3.14
    "ValueError: not enough values to unpack (expected 3, got 2)": ("unpacking", "", ()),
    "ValueError: not enough values to unpack (expected at least 3, got 2)": ("unpacking", "", ()),
    "TypeError: cannot unpack non-iterable NoneType object": ("unpacking", "", ()),
    "AssertionError: Can't unpack a tensor of 512 rows into a tuple of 2 elements.": ("unpacking", "", ()),
    "NameError: name 'size' is not defined": ("undefined-name", "", ("size",)),
    "NameError: name 'siez' is not defined. Did you mean: 'size'?": ("undefined-name", "", ("siez",)),
    "UnboundLocalError: local variable 'x' referenced before assignment": ("undefined-name", "", ("x",)),  # 3.10
    "UnboundLocalError: cannot access local variable 'x' where it is not associated with a value":
        ("undefined-name", "", ("x",)),
    "KeyError: 'rope_theta'": ("missing-key", "", ("rope_theta",)),
    "KeyError: 'model.layers.0.weight'": ("missing-key", "", ("model.layers.0.weight",)),
    "KeyError: <Kind.A: 1>": ("missing-key", "", ()),
    "NotImplementedError": ("not-implemented", "", ("run",)),
    # operators
    "AttributeError: '_OpNamespace' '_C' object has no attribute 'get_view'": ("operator", "_C.get_view", ("get_view",)),
    "RuntimeError: operator torchvision::nms does not exist": ("operator", "torchvision.nms", ("nms",)),
    "NotImplementedError: Could not run 'engine::scale' with arguments from the 'CPU' backend. This could be because":
        ("operator", "engine.scale", ("scale",)),
    "RuntimeError: Unknown keyword argument 'eps' for operator 'engine::norm'. Schema: engine::norm(Tensor x)":
        ("operator", "engine.norm", ("norm", "eps")),
    "RuntimeError: engine::scale() is missing value for argument 'factor'. Declaration: engine::scale(Tensor x)":
        ("operator", "engine.scale", ("scale", "factor")),
    "RuntimeError: engine::scale() expected at most 2 argument(s) but received 3 argument(s).":
        ("operator", "engine.scale", ("scale",)),
    # values
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)": ("shape-mismatch", "", ()),
    "RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1":
        ("shape-mismatch", "", ()),
    # surroundings
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.": ("out-of-memory", "", ()),
    "MemoryError": ("out-of-memory", "", ()),
    "AssertionError: Error in memory profiling. Initial free memory 39909924864, current free memory 47541829632.":
        ("out-of-memory", "", ()),
    "OSError: [Errno 98] Address already in use": ("port-in-use", "", ()),
    "RuntimeError: The server socket has failed to listen on any local network address. port: 29500, useIpv6: false, "
    "code: -98, name: EADDRINUSE, message: address already in use": ("port-in-use", "29500", ()),
    "OSError: some/model does not appear to have a file named config.json.": ("missing-weights", "", ()),
    "FileNotFoundError: [Errno 2] No such file or directory: '/models/a/model.safetensors'": ("missing-weights", "", ()),
    "RuntimeError: Cannot find any model weights with `/models/a`": ("missing-weights", "", ()),
    "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='example.com', port=443): Max retries exceeded":
        ("network", "", ()),
    "socket.gaierror: [Errno -2] Name or service not known": ("network", "", ()),
    "ConnectionRefusedError: [Errno 111] Connection refused": ("network", "", ()),
    "OSError: [Errno 28] No space left on device": ("disk-full", "", ()),
    "OSError: [Errno 122] Disk quota exceeded: '/home/a'": ("disk-full", "", ()),
    "ImportError: libdevice.so.1: cannot open shared object file: No such file or directory": ("system-library", "", ()),
    "RuntimeError: Found no Device driver on your system.": ("system-library", "", ()),
    "RuntimeError: OPS function error: HcclAllreduce, error code is 6": ("device-link", "6", ()),
    ": [PID: 749] 2025-12-29 Get_Socket_Timeout(EI0006): Getting socket times out.": ("device-link", "EI0006", ()),
    ": HCCL(7,python3):2025 [a.cc:7] wait socket establish timeout, rank[12]": ("device-link", "", ()),
    ": HCCL(7,python3):2025 [a.cc:1] listen on ip[1.2.3.4] and specific port[16666] fail. Please check the port status":
        ("port-in-use", "16666", ()),
    "RuntimeError: ACL stream synchronize failed, error code:507035": ("device-runtime", "507035", ()),
    ": (PID:758, Device:9) ERR00100 PTA call acl api failed": ("device-runtime", "ERR00100", ()),
    ": The conflict is caused by:\nengine 0.2.0 depends on torch==2.9.0": ("package-conflict", "", ()),
    "ValueError: The checkpoint has model type `new_one` but Transformers does not recognize this architecture.":
        ("unknown-model", "new_one", ()),
    "KeyboardInterrupt": ("ended-from-outside", "", ()),
    "subprocess.CalledProcessError: Command 'x' died with <Signals.SIGKILL: 9>.": ("ended-from-outside", "", ()),
})  # fmt: skip

# One text for each kind that has its words but another meaning.
NOT_UNDERSTOOD = {
    "unexpected_keyword": "ValueError: f() got an unexpected keyword argument 'x'",
    "missing_argument": "TypeError: the configuration is missing 1 required argument",
    "too_many_arguments": "TypeError: the batch takes 2 positional embeddings but 3 were given to it",
    "no_attribute": "AttributeError: the model has no attribute named size",
    "cannot_import": "ImportError: cannot import anything from that name",
    "no_module": "ImportError: there is No module named so",
    "not_callable": "TypeError: Config is not callable",
    "abstract_class": "TypeError: Can't instantiate class Plain",
    "unpacking": "RuntimeError: too many values to unpack (expected 2)",
    "operator": "RuntimeError: an operator of engine does not exist",
    "missing_key": "LookupError: 'rope_theta'",
    "undefined_name": "NameError: the name is not defined",
    "not_implemented": "RuntimeError: not implemented",
    "shape_mismatch": "RuntimeError: the shapes are fine",
    "out_of_memory": "RuntimeError: the memory of the device",
    "port_in_use": "RuntimeError: the address is used by the cache",
    "missing_weights": "FileNotFoundError: [Errno 2] No such file or directory: 'notes.txt'",
    "network": "RuntimeError: the connection of layers",
    "disk_full": "OSError: [Errno 5] Input/output error",
    "system_library": "ImportError: the shared object",
    "ended_from_outside": "RuntimeError: worker ended with exit code 1",
    "device_link": "RuntimeError: the link of EIGHT ranks failed",
    "device_runtime": ": (PID:7, Device:-1) ERR99999 UNKNOWN exception",
    "package_conflict": "RuntimeError: the packages conflict",
    "unknown_model": "ValueError: the architecture is not supported for now",
}


def raised(text: str) -> Raised:
    bare = text.startswith(": ") or not text.partition("\n")[0].endswith(":")
    name, _, message = text.partition(": ") if bare else (text, "", "")
    return Raised(name, message, (Frame("engine/base.py", 3, "Base.run"),))


@pytest.mark.parametrize("text", UNDERSTOOD)
def test_a_text_is_understood(text: str) -> None:
    symptom = understood(raised(text))
    assert symptom is not None
    assert (symptom.kind, symptom.subject, symptom.names) == UNDERSTOOD[text]


@pytest.mark.parametrize("text", UNDERSTOOD)
def test_at_most_one_kind_understands_a_text(text: str) -> None:
    assert len([name for name, read in kinds().items() if read(raised(text)) is not None]) == 1


@pytest.mark.parametrize("name", sorted(NOT_UNDERSTOOD))
def test_a_near_miss_is_not_understood(name: str) -> None:
    assert kinds()[name](raised(NOT_UNDERSTOOD[name])) is None


def test_every_kind_has_a_text_and_a_near_miss() -> None:
    assert set(kinds()) == set(NOT_UNDERSTOOD)
    hit = {name for text in UNDERSTOOD for name, read in kinds().items() if read(raised(text)) is not None}
    assert hit == set(kinds())


def test_what_nobody_can_be_blamed_for_says_so() -> None:
    notes = {
        s.kind: s.note
        for text in UNDERSTOOD
        if (s := understood(raised(text))) and s.nature is Nature.ENVIRONMENT and s.act
    }
    assert len(notes) == 11
    assert all(notes.values())
