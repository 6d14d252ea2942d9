"""Names that are not there: modules, attributes, variables, keys."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind, matched
from syncbot.triage.model import Nature, Raised, Symptom

_IMPORT = re.compile(
    r"cannot import name '(?P<name>\w+)' from (?:partially initialized module )?'(?P<module>[\w.]+)'"
    r".*"
)
_NO_MODULE = re.compile(r"No module named '?(?P<module>[\w.-]+)'?(?:; '[\w.]+' is not a package)?")
_NOT_FOUND = re.compile(
    r"module '(?P<module>[\w.]+)' not found|import of (?P<halted>[\w.]+) halted; None in sys\.modules"
)
# Up to 3.11 without, since 3.10 often with a guess behind; a module of the user's may be hidden by another.
_HAS_NO = re.compile(
    r"(?:(?:type object|(?P<module>(?:partially initialized )?module)|dataclass) )?'(?P<owner>[^']*)'"
    r"(?: object)? has no attribute '(?P<name>\w+)'.*"
)
_SETTER = re.compile(
    r"property '(?P<name>\w+)' of '(?P<owner>[\w.]+)' object has no (?:setter|deleter|getter)"
    r"|can't (?:set|delete) attribute '(?P<old>\w+)'"
)
_UNDEFINED = re.compile(
    r"(?:free variable|cannot access (?:local|free) variable|local variable|name)"
    r" '(?P<name>\w+)' "
    r"(?:is not (?:defined|associated with a value)|referenced before assignment|where it is not associated)"
    r".*"
)
_KEY = re.compile(r"""'(?P<name>[^'\n]{1,200})'|"(?P<other>[^"\n]{1,200})"|(?P<plain>[\w.]{1,200})""")


@kind
def cannot_import(error: Raised) -> Symptom | None:
    """A module, and the name that is imported from it and that it lacks."""
    found = matched(error, ("ImportError", "ModuleNotFoundError", "RuntimeError"), _IMPORT)
    if found is None:
        return None
    return Symptom("cannot-import", Nature.INTERFACE, found["module"], (found["name"],))


@kind
def no_module(error: Raised) -> Symptom | None:
    """The dotted name of a module that does not exist."""
    found = matched(error, ("ModuleNotFoundError", "ImportError"), _NO_MODULE, _NOT_FOUND)
    if found is None:
        return None
    module = found["module"] or found["halted"]
    return Symptom("no-module", Nature.INTERFACE, module, (module.rpartition(".")[2],))


@kind
def no_attribute(error: Raised) -> Symptom | None:
    """A class or module, and the attribute that it lacks or does not let be set."""
    if error.name != "AttributeError":
        return None
    text = error.message.partition("\n")[0]
    if (found := _HAS_NO.fullmatch(text)) is not None:
        nature = Nature.BEHAVIOUR if found["owner"] == "NoneType" else Nature.INTERFACE
        of_module = found["module"] is not None
        return Symptom("no-attribute", nature, found["owner"], (found["name"],), of_module=of_module)
    if (found := _SETTER.fullmatch(text)) is not None:
        name = found["name"] or found["old"]
        return Symptom("no-attribute", Nature.INTERFACE, found["owner"] or "", (name,))
    if text.isidentifier():
        # Members of enumerations up to 3.11: only the name is told.
        return Symptom("no-attribute", Nature.INTERFACE, "", (text,))
    return None


@kind
def undefined_name(error: Raised) -> Symptom | None:
    """A name that nothing binds."""
    found = matched(error, ("NameError", "UnboundLocalError"), _UNDEFINED)
    return Symptom("undefined-name", Nature.BEHAVIOUR, "", (found["name"],)) if found is not None else None


@kind
def missing_key(error: Raised) -> Symptom | None:
    """The key that a mapping lacks, as printed: a string and another type look alike."""
    if error.name not in ("KeyError", "ConfigKeyError", "ConfigAttributeError"):
        return None
    found = _KEY.fullmatch(error.message.partition("\n")[0])
    name = (found["name"] or found["other"] or found["plain"]) if found is not None else ""
    return Symptom("missing-key", Nature.BEHAVIOUR, "", (name,) if name else ())
