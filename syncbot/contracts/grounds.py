"""The grounds of findings: reasons, each with verdict and share that is right (docs/evidence.md)."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """The meaning of a change for a contract, worst first. ``breaks``: it raises or silently does the wrong
    thing; ``at-risk``: that depends on what analysis cannot settle; ``drift``: a copy is out of date;
    ``none``: harmless."""

    BREAKS = "breaks"
    AT_RISK = "at-risk"
    DRIFT = "drift"
    NONE = "none"


_BREAKS, _RISK, _DRIFT = Verdict.BREAKS, Verdict.AT_RISK, Verdict.DRIFT


class Ground(StrEnum):
    """Why a judge believes a finding. ``stands``: a type checker does not ask that question."""

    verdict: Verdict
    share: float
    stands: bool

    def __new__(cls, words: str, verdict: Verdict, share: float, stands: bool = False) -> Ground:
        """A ground by its words."""
        ground = str.__new__(cls, words)
        ground._value_ = words
        ground.verdict, ground.share, ground.stands = verdict, share, stands
        return ground

    IMPORT_FAILS = "an import names what does not exist", _BREAKS, 0.98
    MODULE_GONE = "a type checker finds no such module or name", _BREAKS, 0.97
    CALL_DOES_NOT_BIND = "the arguments of a call fit no signature", _BREAKS, 0.95
    CLASS_CANNOT_BE_MADE = "a base is no class, or an abstract method has no body", _BREAKS, 0.95
    PATCH_STRING_GONE = "a string names a target to patch that does not exist", _BREAKS, 0.95
    USED_MEMBER_GONE = "a type checker finds no such attribute, which is used", _BREAKS, 0.95
    MEMBER_GONE = "an attribute that is read or called does not exist", _BREAKS, 0.93
    WRONG_LENGTH = "a result is unpacked into another number of values", _BREAKS, 0.93
    PASSED_BY_NAME = "upstream passes by name what ours does not take", _BREAKS, 0.93
    READ_ONLY_ON_SELF = "what is set on self is a property without a setter", _BREAKS, 0.93
    WRONG_POSITIONS = "a type checker finds too many or doubled arguments", _BREAKS, 0.93
    ABSTRACT_FOR_CHECKER = "a type checker names an abstract method", _BREAKS, 0.93
    PATCH_GOES_NOWHERE = "a type checker finds no such name to replace", _BREAKS, 0.92
    UNPACKED_FOR_CHECKER = "a type checker counts the values of a tuple", _BREAKS, 0.92
    REGISTRATION_GONE = "nobody asks for what is replaced, or registers what is called", _BREAKS, 0.9
    READ_ONLY = "an attribute that is set is a property without a setter", _BREAKS, 0.9
    BASE_NO_MORE = "a class that is called as a base is none any more", _BREAKS, 0.9
    REQUIRED_OF_OURS = "upstream requires a parameter that ours does not take", _BREAKS, 0.9
    FORWARDED = "a keyword is handed on to what does not take it", _BREAKS, 0.9
    HANDED_ON_REQUIRES = "what a call is handed on to requires what it does not pass", _BREAKS, 0.9
    TESTED_FOR_FUNCTION = "an object is tested for being one of what is a function", _BREAKS, 0.95
    ARGUMENT_REFUSED = "a guard refuses what is passed, or left out", _BREAKS, 0.9
    PASSED_OF_OTHER_TYPE = "what is passed is not of the class that is declared now", _BREAKS, 0.85
    AWAITED_WRONGLY = "a function became a coroutine function, or is none any more", _BREAKS, 0.9
    TYPE_LACKS_METHOD = "a built-in type lacks a method, or a TypedDict a key", _BREAKS, 0.9
    RESULTS_UNPACKED = "a schema returns another number of results, which are unpacked", _BREAKS, 0.9
    CALLER_SHOWS = "a caller passes what ours does not take, says a type checker", _BREAKS, 0.9
    OTHER_NATURE = "a method became a property, a coroutine or the like, and ours did not", _BREAKS, 0.88
    RESULT_OF_OTHER_KIND = "a result does not allow what is done with it", _BREAKS, 0.88
    READ_OF_SELF = "an inherited method reads an attribute that nobody sets", _BREAKS, 0.88
    DEAD_OVERRIDE = "nothing upstream calls what ours overrides", _BREAKS, 0.85
    SET_ON_OBJECTS = "a constructor sets on each object what our class sets in its body", _BREAKS, 0.85
    PASSED_BY_PLACE = "upstream passes more arguments by place than ours takes", _BREAKS, 0.85
    LANDS_ELSEWHERE = "a positional argument lands in another parameter", _BREAKS, 0.85
    RESULT_NOT_GIVEN = "a result has another length, or there is none", _BREAKS, 0.85
    MEMBER_BECAME_METHOD = "a value became a method, and is read", _BREAKS, 0.85
    NOT_DEFINED = "nothing defines the flag, or the name that is imported", _BREAKS, 0.85
    IMPLEMENTATION_DIFFERS = "ours does not take what an operator is given", _BREAKS, 0.85
    LEFT_OPEN_CALLED = "what the project calls calls a method that is left to subclasses", _BREAKS, 0.85
    STRING_GONE = "a string names what does not exist", _BREAKS, 0.85
    PARTLY_GONE = "some members of a union lack the attribute", _BREAKS, 0.85
    PROTOCOL_GREW = "a protocol that ours behaves as has a method more, which is asked for", _BREAKS, 0.8
    SIGNATURE_REQUIRES = "one side requires what the other one does not have", _BREAKS, 0.8
    NEWLY_PASSED = "a caller passes otherwise than before", _BREAKS, 0.8
    METHOD_BECAME_VALUE = "a method became a value, and is called", _BREAKS, 0.8
    PATCHED_ALIAS = "what is patched is only an import there", _BREAKS, 0.8
    REGISTERED_TWICE = "upstream registers what the project registers", _BREAKS, 0.8
    KEY_REQUIRED = "a TypedDict requires a key that is not given", _BREAKS, 0.8
    ONE_SIDE_SEEN = "a type checker says it, and the old signature cannot be seen", _BREAKS, 0.8
    ORDER_CHANGED = "parameters changed their order", _BREAKS, 0.75
    READ_OF_ANOTHER = "upstream reads an attribute of objects such as ours, and nobody sets it", _BREAKS, 0.75
    NO_CALLER_SEEN = "ours requires what upstream lost, and no caller is seen", _BREAKS, 0.75

    RESULTS_CHANGED = "a schema returns another number of results", _RISK, 0.9
    NOT_READ = "nothing upstream reads the variable", _RISK, 0.7
    DEFAULT_OF_SCHEMA = "a schema has another default", _RISK, 0.7
    CLASS_BECAME_FUNCTION = "an imported class is a function", _RISK, 0.7
    LEFT_OUT = "what is passed is no field any more, and is left out", _RISK, 0.6
    TESTED_FOR = "the code here tests for it, or is for type checkers", _RISK, 0.6
    NO_CALLER_EVER = "nothing upstream is seen to have called what ours overrides", _RISK, 0.6
    ON_ONE_BRANCH = "an attribute is set on one branch only", _RISK, 0.6
    OTHER_TYPE = "a name stands for another type", _RISK, 0.6
    DERIVED_ABSTRACT = "a class that was abstract before lacks one method more", _RISK, 0.6
    UNKNOWN_RECEIVER = "nothing defines the name, and the object is not known", _RISK, 0.6
    KEY_NOT_READ = "a TypedDict is given a key that it does not have", _RISK, 0.6
    DOUBTED = "something that is seen speaks against it", _RISK, 0.5
    OVERRIDDEN = "all that is seen to call it gives way to the project", _RISK, 0.5, True
    STILL_FITTING = "what the seen callers pass still fits", _RISK, 0.5, True
    IN_SUBCLASSES = "each class that upstream derives from that one has the member", _RISK, 0.5, True
    UNSEEN_BASE = "it may come from a base that is made when the program runs", _RISK, 0.5, True
    SET_HERE = "the project sets the attribute itself", _RISK, 0.5, True
    DECLARED = "a declaration changed, and what follows is not seen", _RISK, 0.5
    IMPORTED_BEFORE = "upstream imports a name before it is replaced", _RISK, 0.5
    NOT_PASSED_YET = "upstream takes it, and no caller passes it", _RISK, 0.5
    WRITTEN_ONLY = "what is set here may not be read", _RISK, 0.5
    DISPATCHED = "the project's own method may be what is called", _RISK, 0.45
    LEFT_OPEN = "a method is left to subclasses", _RISK, 0.45
    VALUE_CHANGED = "the project takes a value as it is, and it changed", _RISK, 0.4
    MAYBE_NOT_INSTALLED = "some installs of upstream lack what it imports", _RISK, 0.5
    MAYBE_LACKING = "the device may lack what upstream uses", _RISK, 0.4
    TYPE_MAY_DIFFER = "a printed type changed", _RISK, 0.4
    OWN_OBJECT = "it may be an object of the project", _RISK, 0.4
    CAUGHT = "a type checker sees what the code here catches or tests for", _RISK, 0.4
    CALLERS_FIT = "the callers that are seen fit", _RISK, 0.4
    ONLY_KNOWN_NOW = "a type checker knows a type that it did not know", _RISK, 0.35
    NOT_MEANT = "it still works, and upstream means something else", _RISK, 0.3

    STILL_FITS = "a schema is longer, and the call still fits", _DRIFT, 0.95
    OUT_OF_DATE = "what is written as upstream did is not read", _DRIFT, 0.6
    COPIED = "the original of a copy changed", _DRIFT, 0.5


def agreed(share: float) -> float:
    """The share of findings that are right where a second type checker says the same."""
    return min(0.98, share + 0.02)


def unconfirmed(share: float, checkers: int) -> float:
    """The share of what so many type checkers say and the contracts do not."""
    return min(share, 0.85 if checkers > 1 else 0.7)
