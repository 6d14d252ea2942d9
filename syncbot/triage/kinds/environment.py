"""Errors of the machine, the network or other programs: no change of code is blamed for them."""

from __future__ import annotations

import re
from collections.abc import Collection

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

_DISK = re.compile(r"No space left on device|Disk quota exceeded|\bENOSPC\b", re.IGNORECASE)
_ENDED = re.compile(
    r"SIGKILL|SIGTERM|\bexit ?code:? -(?:9|15)\b|died with <Signals\.SIG\w+|Timeout >\d|segmentation fault",
    re.IGNORECASE,
)
_ENDED_TYPES = frozenset({"KeyboardInterrupt", "TimeoutExpired", "CancelledError"})
_WEIGHTS = re.compile(
    r"does not appear to have (?:a file named|files named)|Cannot find any model weights"
    r"|is not a local folder and is not a valid model identifier"
    r"|Can't load the (?:configuration|model|tokenizer)"
    r"|Repository Not Found for url|Invalid repository ID or local directory"
    r"|Cannot find any of the following keys"
    r"|Error no file named .{1,200} found in directory"
    r"|\[Errno 2\] No such file or directory: .{1,600}"
    r"(?:\.(?:safetensors|bin|pt|pth|gguf|ckpt|onnx)|config\.json|tokenizer[\w.]*|vocab[\w.]*|merges\.txt)"
)
_NETWORK = re.compile(
    r"Max retries exceeded|Name or service not known|name resolution|Connection refused"
    r"|Network is unreachable"
    r"|nodename nor servname|Read timed out|Connection timed out|No route to host|Connection reset by peer"
    r"|We couldn't connect to|Cannot connect to host|CERTIFICATE_VERIFY_FAILED|Proxy Error|RemoteDisconnected"
    r"|\b(?:429|502|503|504) (?:Server|Client) Error",
    re.IGNORECASE,
)
_NETWORK_TYPES = frozenset(
    {"ConnectionError", "ConnectTimeout", "ReadTimeout", "ConnectionRefusedError", "gaierror", "SSLError",
     "ConnectError", "ProxyError", "LocalEntryNotFoundError", "OfflineModeIsEnabled", "URLError"}
)  # fmt: skip
_MEMORY = re.compile(
    r"\bout of memory\b|can't allocate memory|cannot allocate memory(?! in static TLS)"
    r"|Unable to allocate .{1,40} for an array"
    r"|No available memory for|larger than the available KV cache memory|Free memory on device"
    r"|Error in memory profiling",
    re.IGNORECASE,
)
_PORT = re.compile(
    r"\bEADDRINUSE\b|address already in use|port \d+ is (?:already )?in use"
    r"|\bport\[\d+\] fail\b.{0,60}port status",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"(?:\d|\w|\]|', )(?::|(?<=', ))(\d{2,5})\b(?![.:]\d)")
_LIBRARY = re.compile(
    r"cannot open shared object file|undefined symbol: |version `\S{1,60}' not found"
    r"|cannot allocate memory in static TLS"
    r"|Found no \w+ driver|no \w+-capable device is detected"
    r"|Invalid device (?:id|ordinal)|invalid device ordinal"
)


@kind
def disk_full(error: Raised) -> Symptom | None:
    """The disk, or what a user may use of it, is full."""
    return sign(error, "disk-full", _DISK, "the disk is full, or shared memory", "make room")


@kind
def ended_from_outside(error: Raised) -> Symptom | None:
    """A process was ended by the system, a user or a time limit."""
    note = "the process was ended from outside, by the system, a user or a time limit"
    if error.name not in _ENDED_TYPES and _lacks_memory(error):
        return None
    act = "look at the system's log for what ended it, memory first"
    return sign(error, "ended-from-outside", _ENDED, note, act, _ENDED_TYPES)


@kind
def missing_weights(error: Raised) -> Symptom | None:
    """Files of a model are not where they are looked for; the text says which model it is."""
    return sign(
        error, "missing-weights", _WEIGHTS, "files of the model are missing", "fetch them, or mend the path"
    )


@kind
def network(error: Raised) -> Symptom | None:
    """Another machine or service cannot be reached; the text says which."""
    if "does not appear to have" in error.message or "model identifier" in error.message:
        return None  # a model that is not there, told together with where it was looked for
    act = "try again, or look at network and proxy"
    return sign(error, "network", _NETWORK, "a host could not be reached", act, _NETWORK_TYPES)


@kind
def out_of_memory(error: Raised) -> Symptom | None:
    """Memory, of the machine or of a device, is used up; the text says whose."""
    note = "memory is used up, or was not free when the run began"
    act = "look for other processes on the device, or give the run less to keep in memory"
    return sign(error, "out-of-memory", _MEMORY, note, act, ("MemoryError", "OutOfMemoryError"))


@kind
def port_in_use(error: Raised) -> Symptom | None:
    """Another process listens on the port, which is the subject where the text has it."""
    port = re.search(r"\bport[: \[]+(\d{2,5})\b", error.message) or _ADDRESS.search(error.message)
    note = f"another process has the port{f' {port[1]}' if port else ''}"
    act = "end it, or choose another port"
    return sign(error, "port-in-use", _PORT, note, act, subject=port[1] if port else "")


@kind
def system_library(error: Raised) -> Symptom | None:
    """A shared library, driver or device of the machine is missing or does not fit; the text says which."""
    note = "a library, driver or device of the machine is missing or of another version"
    act = "look for the one that the text names, where its installation should have put it"
    return None if _lacks_memory(error) else sign(error, "system-library", _LIBRARY, note, act)


def sign(
    error: Raised,
    name: str,
    words: re.Pattern[str],
    note: str,
    act: str,
    types: Collection[str] = (),
    subject: str = "",
) -> Symptom | None:
    """The symptom of that name where an error is of one of the types, or its message has the words."""
    if error.name not in types and not words.search(error.message):
        return None
    return Symptom(name, Nature.ENVIRONMENT, subject, note=note, act=act)


def _lacks_memory(error: Raised) -> bool:
    return "out of memory" in error.message.lower()
