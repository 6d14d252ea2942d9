"""From findings to cases: what a finding says of an upstream symbol, and how sure that is. A finding that
neither upstream tree explains comes from something else, and is at most at risk."""

from __future__ import annotations

from dataclasses import replace

from syncbot.api.statement_parts import type_checking
from syncbot.contracts.conditions.guards import other_version, tests_for, tolerates_import
from syncbot.contracts.grounds import Ground, Verdict, agreed
from syncbot.typecheck.diagnostic_places import Place, Places
from syncbot.typecheck.judged_case import Case, Judge, Subject
from syncbot.typecheck.judges import attributes, calls, definitions, imports, values
from syncbot.typecheck.model import Finding, Problem
from syncbot.typecheck.printed_names import Names

_JUDGES: dict[Problem, Judge] = {
    Problem.MODULE_MISSING: imports.module_missing,
    Problem.NAME_MISSING: imports.name_missing,
    Problem.NAME_BORROWED: imports.name_borrowed,
    Problem.ATTRIBUTE_MISSING: attributes.attribute_missing,
    Problem.ATTRIBUTE_UNKNOWN: attributes.attribute_unknown,
    Problem.ATTRIBUTE_READ_ONLY: attributes.read_only,
    Problem.ATTRIBUTE_TYPE: attributes.attribute_type,
    Problem.KEYWORD_UNKNOWN: calls.keyword_unknown,
    Problem.ARGUMENT_MISSING: calls.argument_missing,
    Problem.ARGUMENT_SURPLUS: calls.argument_surplus,
    Problem.ARGUMENT_TWICE: calls.argument_twice,
    Problem.ARGUMENT_TYPE: calls.argument_type,
    Problem.OVERRIDE: definitions.override,
    Problem.REPLACEMENT: definitions.replacement,
    Problem.ABSTRACT: definitions.abstract,
    Problem.UNPACK: values.unpack,
    Problem.NOT_ITERABLE: values.not_iterable,
    Problem.DEPRECATED: values.deprecated,
    Problem.VALUE_TYPE: values.value_type,
}


def judge(finding: Finding, engines: tuple[str, ...], names: Names, places: Places) -> Case | None:
    """The case that a finding makes, None where it says nothing about the upstream."""
    diagnostic = finding.diagnostic
    place = places.at(diagnostic.file, diagnostic.line, diagnostic.column)
    if place is None or other_version(place.guards):
        return None
    case = _JUDGES[finding.problem](Subject(finding, place, engines), names)
    if case is None:
        return None
    if len(engines) > 1 and case.verdict is Verdict.BREAKS:
        case = replace(case, confidence=agreed(case.confidence))
    return _guarded(case, place)


def _guarded(case: Case, place: Place) -> Case:
    importing = case.finding.problem in (Problem.MODULE_MISSING, Problem.NAME_MISSING)
    if importing and tolerates_import(place.guards):
        return _lower(case, "the failing import is caught here")
    if importing and type_checking(place.guards):
        return _lower(case, "the import is for type checkers only")
    if any(tests_for(place.guards, name) for name in case.finding.names):
        return _lower(case, "the code here tests for it, and will silently take the other path")
    return case


def _lower(case: Case, why: str) -> Case:
    confidence = min(case.confidence, Ground.CAUGHT.share)
    return replace(case, ground=Ground.CAUGHT, confidence=confidence, message=f"{case.message}; {why}")
