"""How sure a judge is of a finding: reasons, each with the share of such findings that are right.

``docs/evidence/precision.md`` tells how the shares were measured.
"""

from __future__ import annotations

from enum import Enum


class Certainty(Enum):
    """A reason to believe a finding. No two reasons have the same words; many have the same share."""

    # What fails whatever runs.
    IMPORT_FAILS = 0.98, "an import names what does not exist"
    MODULE_GONE = 0.97, "a type checker finds no such module or name"
    CALL_DOES_NOT_BIND = 0.95, "the arguments of a call fit no signature"
    CLASS_CANNOT_BE_MADE = 0.95, "a base is no class, or an abstract method has no body"
    PATCH_STRING_GONE = 0.95, "a string names a target to patch that does not exist"
    STILL_FITS = 0.95, "the signature is longer and the call still fits"
    USED_MEMBER_GONE = 0.95, "both a type checker and the trees say that a used attribute is gone"
    MEMBER_GONE = 0.93, "an attribute that is read or called does not exist"
    WRONG_LENGTH = 0.93, "a result is unpacked into another number of values"
    PASSED_BY_NAME = 0.93, "upstream passes by name what ours does not take"
    READ_ONLY_ON_SELF = 0.93, "what is set on self is a property without a setter"
    WRONG_POSITIONS = 0.93, "a type checker finds too many or doubled positional arguments"
    ABSTRACT_FOR_CHECKER = 0.93, "a type checker names an abstract method"
    PATCH_GOES_NOWHERE = 0.92, "a name is replaced that nobody has"
    UNPACKED_FOR_CHECKER = 0.92, "a type checker counts the values of a tuple"
    # What fails where it runs.
    REGISTRATION_GONE = 0.9, "nothing registers or asks for what is replaced or called"
    READ_ONLY = 0.9, "an attribute that is set is a property without a setter"
    REQUIRED_OF_OURS = 0.9, "upstream requires a parameter that ours does not take"
    FORWARDED = 0.9, "a keyword is handed on to a function that does not take it"
    AWAITED_WRONGLY = 0.9, "a function became a coroutine function, or is none any more"
    TYPE_LACKS_METHOD = 0.9, "a built-in type lacks a method, a TypedDict a key"
    SCHEMA_SAYS = 0.9, "a schema returns another number of results"
    CALLER_SHOWS = 0.9, "an upstream caller passes what ours does not take"
    OTHER_NATURE = 0.88, "a method became a property, a coroutine or the like; ours did not"
    RESULT_OF_OTHER_KIND = 0.88, "a result does not allow what is done with it"
    READ_OF_SELF = 0.88, "an inherited method reads an attribute that nobody sets"
    DEAD_OVERRIDE = 0.85, "nothing upstream calls what ours overrides"
    PASSED_BY_PLACE = 0.85, "upstream passes more arguments by place than ours takes"
    LANDS_ELSEWHERE = 0.85, "a positional argument lands in another parameter"
    RESULT_NOT_GIVEN = 0.85, "a result has another length, or there is none"
    MEMBER_BECAME_METHOD = 0.85, "a value became a method and is read"
    NOT_DEFINED = 0.85, "nothing upstream defines a flag, or a module lacks what is imported from it"
    IMPLEMENTATION_DIFFERS = 0.85, "ours does not take what an operator is given"
    STRING_GONE = 0.85, "a string names what does not exist"
    PARTLY_GONE = 0.85, "some members of a union lack an attribute"
    TWO_CHECKERS = 0.85, "two type checkers say it, and the contracts do not"
    SIGNATURE_REQUIRES = 0.8, "ours requires what upstream's signature does not have, or the other way round"
    NEWLY_PASSED = 0.8, "a caller passes a keyword that it did not pass"
    METHOD_BECAME_VALUE = 0.8, "a method became a value and is called"
    PATCHED_ALIAS = 0.8, "what is patched is only an import there"
    REGISTERED_TWICE = 0.8, "upstream registers what the backend registers"
    KEY_REQUIRED = 0.8, "a TypedDict requires a key that is not given"
    ONE_SIDE_SEEN = 0.8, "a type checker says it; the old signature cannot be seen"
    ORDER_CHANGED = 0.75, "parameters changed their order"
    READ_OF_ANOTHER = 0.75, "code reads an attribute of an object that may be ours"
    NO_CALLER_SEEN = 0.75, "ours requires what upstream lost, and no caller is seen"
    # What depends on more than analysis sees.
    NOT_READ = 0.7, "nothing upstream reads a variable"
    DEFAULT_OF_SCHEMA = 0.7, "a schema has another default"
    CLASS_BECAME_FUNCTION = 0.7, "a class that is imported is a function"
    ONE_CHECKER = 0.7, "one type checker says it, and the contracts do not"
    TESTED_FOR = 0.6, "the code here tests for it, or never runs the import"
    NO_CALLER_EVER = 0.6, "nothing upstream is seen to call what ours overrides"
    ON_ONE_BRANCH = 0.6, "an attribute is set on one branch only"
    OTHER_TYPE = 0.6, "a name stands for another type"
    PROBABLY_UNUSED = 0.6, "what is written as upstream did is not read, or is given as a key that is gone"
    DERIVED_ABSTRACT = 0.6, "a class lacks an abstract method, and lacked others before"
    UNKNOWN_RECEIVER = 0.6, "few modules define the name, and the object is not known"
    DOUBTED = 0.5, "what is seen speaks against it as well"
    DECLARED = 0.5, "a declaration changed; what happens then is not seen"
    NOT_PASSED_YET = 0.5, "upstream takes it and no caller passes it"
    WRITTEN_ONLY = 0.5, "what is set here may not be read"
    COPIED = 0.5, "the original of a copy changed"
    DISPATCHED = 0.45, "the backend's own method may be what is called"
    LEFT_OPEN = 0.45, "a method is left to subclasses"
    VALUE_CHANGED = 0.4, "a value changed that the backend takes as it is"
    MAYBE_LACKING = 0.4, "the device may lack what upstream uses"
    TYPE_MAY_DIFFER = 0.4, "a printed type changed"
    OWN_OBJECT = 0.4, "it may be an object of the backend"
    CAUGHT = 0.4, "a type checker sees what the code here catches or tests for"
    CALLERS_FIT = 0.4, "the callers that are seen fit"
    ONLY_KNOWN_NOW = 0.35, "a type checker knows a type that it did not know"
    NOT_MEANT = 0.3, "it still works, and upstream means something else"

    share: float
    reason: str

    def __init__(self, share: float, reason: str) -> None:
        self.share, self.reason = share, reason


def agreed(share: float) -> float:
    """The share of findings that are right where a second type checker says the same."""
    return min(0.98, share + 0.02)
