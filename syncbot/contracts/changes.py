"""The kinds of change of upstream's API, and what judges tell of each: docs/kinds.md is made from this."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

import msgspec


class ParameterKind(StrEnum):
    """How a parameter can be passed: by place alone, in both ways, by name alone."""

    POSITIONAL = "pos"
    ANY = "any"
    KEYWORD = "key"


class Details(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="family"):
    """The facts of a change beside its kind and its symbol; one subclass for each family of kinds."""

    @property
    def subject(self) -> str:
        """The part of the symbol that the change is about, empty where it is the symbol itself."""
        return ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the details speak of, inside the symbol."""
        return (self.subject,) if self.subject else ()


class NoDetails(Details, frozen=True, kw_only=True, tag="none"):
    """The kind and the symbol say all."""


NOTHING_MORE = NoDetails()


class NameDetails(Details, frozen=True, kw_only=True, tag="name"):
    """A dotted name, and the one that stands for the same thing now, None where there is none."""

    old: str
    new: str | None = None


class MemberDetails(Details, frozen=True, kw_only=True, tag="member"):
    """An attribute or a method, its ``new`` name, and the upstream class ``base`` that ours overrides."""

    name: str
    new: str | None = None
    base: str | None = None

    @property
    def subject(self) -> str:
        """The member's name."""
        return self.name


class ParameterDetails(Details, frozen=True, kw_only=True, tag="parameter"):
    """A parameter of ``method`` of ``base`` (a class or module), for which a function of the backend stands
    in; ``after`` is the parameter before it, ``old_name`` its former name."""

    parameter: str
    method: str
    base: str = ""
    old_name: str | None = None
    default: str | None = None
    kind: ParameterKind = ParameterKind.ANY
    after: str | None = None

    @property
    def subject(self) -> str:
        """The parameter's name."""
        return self.parameter

    @property
    def names(self) -> tuple[str, ...]:
        """The parameter's names and that of the function."""
        return (self.parameter, *filter(None, (self.old_name,)), self.method)


class ArgumentDetails(Details, frozen=True, kw_only=True, tag="argument"):
    """An argument of calls; ``new_name`` is its parameter's name now, ``precedent`` an upstream function that
    passes the same by both names, ``value`` what all calls pass."""

    argument: str
    new_name: str | None = None
    precedent: str | None = None
    value: str | None = None

    @property
    def subject(self) -> str:
        """The argument's name."""
        return self.argument

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameter."""
        return (self.argument, *filter(None, (self.new_name,)))


class CheckerDetails(Details, frozen=True, kw_only=True, tag="checker"):
    """The one name that a type checker's message is about."""

    name: str

    @property
    def subject(self) -> str:
        """That name."""
        return self.name


AnyDetails: TypeAlias = (
    NoDetails | NameDetails | MemberDetails | ParameterDetails | ArgumentDetails | CheckerDetails
)
_NONE, _NAME, _MEMBER = NoDetails, NameDetails, MemberDetails
_PARAMETER, _ARGUMENT, _CHECKER = ParameterDetails, ArgumentDetails, CheckerDetails


class ChangeKind(StrEnum):
    """The change that upstream made. Beside each kind stand the classes of details that it carries."""

    families: tuple[type[Details], ...]

    def __new__(cls, value: str, *families: type[Details]) -> ChangeKind:
        """A kind with its classes of details."""
        kind = str.__new__(cls, value)
        kind._value_ = value
        kind.families = families
        return kind

    ABSTRACT_METHOD_ADDED = "abstract-method-added", _MEMBER, _CHECKER, _NONE
    ARGUMENT_REFUSED = "argument-refused", _NONE
    ASYNC_CHANGED = "async-changed", _NONE
    ATTRIBUTE_ADDED = "attribute-added", _MEMBER
    ATTRIBUTE_BECAME_METHOD = "attribute-became-method", _NONE
    ATTRIBUTE_CONDITIONAL = "attribute-conditional", _NONE
    ATTRIBUTE_HIDDEN = "attribute-hidden", _NONE
    ATTRIBUTE_MISSING = "attribute-missing", _CHECKER, _NONE
    ATTRIBUTE_READ_ONLY = "attribute-read-only", _NONE, _CHECKER
    ATTRIBUTE_REMOVED = "attribute-removed", _MEMBER, _CHECKER, _NONE
    ATTRIBUTE_RENAMED = "attribute-renamed", _MEMBER
    ATTRIBUTE_TYPE_CHANGED = "attribute-type-changed", _CHECKER, _NONE
    ATTRIBUTE_UNUSED = "attribute-unused", _NONE
    BRANCH_UNMET = "branch-unmet", _NONE
    CLASS_BECAME_FUNCTION = "class-became-function", _NONE
    CONSTANT_CHANGED = "constant-changed", _NONE
    CONTAINER_CHANGED = "container-changed", _NONE
    COPIED_BODY_CHANGED = "copied-body-changed", _NONE
    DATACLASS_FROZEN = "dataclass-frozen", _NONE
    DEFAULT_CHANGED = "default-changed", _NONE
    DEPRECATED = "deprecated", _CHECKER, _NONE
    DEVICE_API_USED = "device-api-used", _MEMBER
    FIELD_DEFAULT_CHANGED = "field-default-changed", _NONE
    FIELD_TYPE_CHANGED = "field-type-changed", _NONE
    FLAG_REMOVED = "flag-removed", _NONE
    FLAG_TAKEN = "flag-taken", _NONE
    HOOK_REMOVED = "hook-removed", _NONE
    IMPORT_FAILS = "import-fails", _NONE
    KEY_REMOVED = "key-removed", _NONE
    KEY_REQUIRED = "key-required", _NONE
    METHOD_BECAME_ATTRIBUTE = "method-became-attribute", _NONE
    METHOD_INTRODUCED = "method-introduced", _MEMBER
    METHOD_KIND_CHANGED = "method-kind-changed", _NONE
    METHOD_LEFT_OPEN = "method-left-open", _MEMBER
    METHOD_REMOVED = "method-removed", _MEMBER
    METHOD_RENAMED = "method-renamed", _MEMBER
    MODULE_ENTRY_UNUSED = "module-entry-unused", _NAME
    MODULE_MOVED = "module-moved", _NAME
    MODULE_NAME_MISSING = "module-name-missing", _NONE
    MODULE_REMOVED = "module-removed", _NAME, _CHECKER, _NONE
    NAME_IMPORTED_EARLY = "name-imported-early", _NONE
    NAME_VANISHED = "name-vanished", _NONE
    OPERATOR_CHANGED = "operator-changed", _NONE
    OPERATOR_DEFAULT = "operator-default", _NONE
    OPERATOR_EXTENDED = "operator-extended", _NONE
    OPERATOR_REMOVED = "operator-removed", _NAME
    OPERATOR_RENAMED = "operator-renamed", _NAME
    OPERATOR_RESULTS = "operator-results", _NONE
    OPERATOR_TAKEN = "operator-taken", _NONE
    PACKAGE_NEEDED = "package-needed", _NONE
    PARAMETER_ADDED = "parameter-added", _PARAMETER, _ARGUMENT, _CHECKER, _NONE
    PARAMETER_DEFAULT_ADDED = "parameter-default-added", _CHECKER, _NONE
    PARAMETER_PASSED = "parameter-passed", _PARAMETER
    PARAMETER_REMOVED = "parameter-removed", _PARAMETER, _ARGUMENT, _CHECKER, _NONE
    PARAMETER_RENAMED = "parameter-renamed", _PARAMETER, _ARGUMENT, _CHECKER, _NONE
    PARAMETER_REORDERED = "parameter-reordered", _NONE, _ARGUMENT, _CHECKER
    PARAMETER_REQUIRED = "parameter-required", _PARAMETER, _ARGUMENT, _CHECKER, _NONE
    PARAMETER_TYPE_CHANGED = "parameter-type-changed", _CHECKER, _NONE
    PATCH_TARGET_MOVED = "patch-target-moved", _NAME
    PATCH_TARGET_REMOVED = "patch-target-removed", _NAME, _CHECKER, _NONE
    REGISTRATION_REMOVED = "registration-removed", _NONE
    RETURN_KIND_CHANGED = "return-kind-changed", _NONE
    RETURN_SHAPE_CHANGED = "return-shape-changed", _NONE, _CHECKER
    RETURN_TYPE_CHANGED = "return-type-changed", _NONE
    SIBLING_PARAMETER_ADDED = "sibling-parameter-added", _PARAMETER
    SIBLING_PARAMETER_REMOVED = "sibling-parameter-removed", _NONE
    SYMBOL_MOVED = "symbol-moved", _NAME, _CHECKER, _NONE
    SYMBOL_REMOVED = "symbol-removed", _NAME, _CHECKER, _NONE
    SYMBOL_RENAMED = "symbol-renamed", _NAME
    TEST_FAILS = "test-fails", _NONE
    TYPE_CHANGED = "type-changed", _NONE
    VALUE_TYPE_CHANGED = "value-type-changed", _CHECKER, _NONE
    VARIABLE_REMOVED = "variable-removed", _NONE


def require_family(kind: ChangeKind, details: Details) -> None:
    """Raises TypeError where a kind does not carry such details: a defect of the judge that gave them."""
    if type(details) not in kind.families:
        raise TypeError(f"{kind} does not carry {type(details).__name__}")
