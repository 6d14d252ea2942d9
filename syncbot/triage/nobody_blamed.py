"""Answers where no commit is blamed: the error is the environment's, the plugin's own, or unknown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from syncbot.triage.diagnosis import Origin
from syncbot.triage.error_questions import called_names
from syncbot.triage.log_paths import Place
from syncbot.triage.model import Failure, Nature, Raised, Symptom
from syncbot.triage.resolved_homes import functions
from syncbot.triage.searched_range import SearchedRange
from syncbot.triage.tree_inquiry import Fact, Standing

_DOCTOR = "run syncbot doctor in the plugin's folder: it says what fits the plugin"
# Packages whose code runs other people's: what is raised in them is mostly these people's.
_CARRIERS = frozenset(
    {"torch", "pydantic", "pydantic_core", "ray", "uvicorn", "starlette", "fastapi", "uvloop", "click",
     "_pytest", "pluggy", "pytest", "msgspec", "numpy", "tblib", "anyio", "cloudpickle"}
)  # fmt: skip
_INSTALLED = ("site-packages/", "dist-packages/")


@dataclass(frozen=True, slots=True)
class Answer:
    """Whose doing an error is, why, and what to do; ``sure`` where nothing else can be."""

    origin: Origin
    note: str
    act: str
    sure: bool = False


def by_text(failure: Failure) -> Answer | None:
    """The answer for what its text alone shows to be the environment's."""
    symptom = failure.symptom
    if symptom is None or symptom.nature is not Nature.ENVIRONMENT:
        return None
    # A device also refuses what it should never have been asked for.
    return Answer(Origin.ENVIRONMENT, symptom.note, symptom.act, sure=symptom.kind != "device-runtime")


def foreign_package(symptom: Symptom | None, error: Raised, known: Collection[str]) -> str:
    """The package that an error is about, or that raised it in code of its own, if that is neither upstream
    nor the plugin, whose packages are ``known``; else an empty text."""
    if symptom is not None and (symptom.of_module or symptom.kind in ("no-module", "cannot-import")):
        package = symptom.subject.partition(".")[0]
        return "" if package in known else package
    if symptom is None or symptom.nature is not Nature.INTERFACE:
        package = _installed(error)
        return "" if package in known or package in _CARRIERS else package
    return ""


def foreign(symptom: Symptom | None, package: str) -> Answer:
    """The answer for an error of a package that is neither upstream nor the plugin."""
    if symptom is not None and symptom.kind == "no-module":
        note = f"the package {package} is missing, or its version does not fit: no {symptom.subject}"
    elif symptom is not None and symptom.names and (symptom.of_module or symptom.kind == "cannot-import"):
        lacking = f"{symptom.subject}.{symptom.names[0]}"
        note = f"the version of the package {package} does not fit: it has no {lacking}"
    else:
        note = f"the package {package} raised it in its own code"
    return Answer(Origin.ENVIRONMENT, note, _DOCTOR)


def hidden(case: SearchedRange, symptom: Symptom, error: Raised) -> Answer | None:
    """The answer where Python found something else under the name of an upstream module: it lacks what the
    module has at both ends of the range, or is a folder without the ``__init__.py`` that the package has."""
    if not (symptom.of_module or symptom.kind == "cannot-import") or "partially" in error.message:
        return None
    ends = [case.trees.tree(end) for end in (case.span.old, case.span.new)]
    if any(not tree.exists(symptom.subject) for tree in ends):
        return None
    name = f"{symptom.subject}.{symptom.names[0]}"
    found = [case.trees.universe(tree).resolve(name) for tree in ends]
    paths = [tree.modules.get(symptom.subject, ("", ""))[0] for tree in ends]
    empty = "(unknown location)" in error.message and all(p.endswith("/__init__.py") for p in paths)
    if not empty and not all(each is not None and each.kind != "unknown" for each in found):
        return None
    package = symptom.subject.partition(".")[0]
    return Answer(
        Origin.ENVIRONMENT,
        f"Python imports a folder, file or other version of {package}, not the installed one of the range",
        "start it in another folder, without that one on the path",
        sure=empty,
    )


def otherwise(
    case: SearchedRange, symptom: Symptom | None, places: Sequence[Place], facts: Sequence[Fact]
) -> Answer:
    """The answer for an error that no commit of the range explains."""
    if symptom is not None:
        found = _own_module(case, symptom) or _not_built(case, symptom) or _compiled(case, symptom)
        if found is not None:
            return found
        if symptom.nature is Nature.INTERFACE and _is_own(case, places, facts):
            note = (
                "only the plugin's own code takes part, and nothing that it calls there changed in the range"
            )
            return Answer(Origin.BACKEND, note, f"read {places[-1].path}:{places[-1].frame.line}")
    for fact in (each for each in facts if each.question.is_defined):
        if fact.standing is Standing.STAYS:
            note = f"both ends behave alike: {fact.question.about} {fact.after} at each"
            act = "look for it in the plugin, or name an older --from: it may have come before"
            return Answer(Origin.UNKNOWN, note, act)
        if fact.standing is Standing.NEVER:
            note = f"at both ends {fact.question.about} {fact.after}, which the error denies"
            act = "look which upstream really ran: another version, or another copy of it"
            return Answer(Origin.UNKNOWN, note, act)
    count = len(case.span.commits)
    note = (
        "the range's only commit does not explain it"
        if count == 1
        else f"no commit of these {count} explains it"
    )
    return Answer(Origin.UNKNOWN, note, "look for it in the plugin, or name an older --from")


def _installed(error: Raised) -> str:
    """The installed package whose file the innermost frame is in; empty for files of nobody known."""
    path = error.frames[-1].path.replace("\\", "/") if error.frames else ""
    for mark in _INSTALLED:
        if mark in path:
            return path.rpartition(mark)[2].partition("/")[0].removesuffix(".py")
    return ""


def _own_module(case: SearchedRange, symptom: Symptom) -> Answer | None:
    """A module of the plugin that its sources have and the run lacked."""
    backend = case.trees.backend
    package = symptom.subject.partition(".")[0]
    if symptom.kind != "no-module" or package not in backend.packages:
        return None
    if not any(
        f.module == symptom.subject or f.module.startswith(f"{symptom.subject}.") for f in backend.files
    ):
        note = f"neither the plugin's sources nor what ran have {symptom.subject}"
        return Answer(Origin.BACKEND, note, "mend the import, or take the plugin's version that has it")
    note = f"the installed {package} lacks {symptom.subject}, which the sources here have"
    return Answer(Origin.ENVIRONMENT, note, "install these sources, or look which copy is imported")


def _not_built(case: SearchedRange, symptom: Symptom) -> Answer | None:
    """A module that upstream itself imports, and that none of its sources is: its build writes it."""
    module = symptom.subject
    package, _, name = module.rpartition(".")
    if symptom.kind != "no-module" or module.partition(".")[0] not in case.trees.packages:
        return None
    for end in (case.inquiry.old, case.inquiry.new):
        near = [m for m in end.tree.modules if m.rpartition(".")[0] == package or m == package]
        if end.tree.exists(module) or not end.tree.mentioning(near, f"{name} import", f"import {name}"):
            return None
    note = f"no source of the upstream is {module}, which it imports itself: its build writes or compiles it"
    return Answer(Origin.ENVIRONMENT, note, "install the upstream instead of running its sources unbuilt")


def _compiled(case: SearchedRange, symptom: Symptom) -> Answer | None:
    """An operator that no source registers."""
    if symptom.kind != "operator":
        return None
    name = symptom.names[0]
    texts = tuple(f"{quote}{name}{end}" for quote in "\"'" for end in ("(", quote))
    views = (case.inquiry.old, case.inquiry.new)
    theirs = any(view.mentioning(*texts) for view in views)
    ours = any(text.encode() in file.text for file in case.trees.backend.files for text in texts)
    if theirs or ours:
        return None
    note = f"no source registers {symptom.subject}: its compiled library is missing, or of another version"
    return Answer(Origin.ENVIRONMENT, note, "build it again for the versions that are installed")


def _is_own(case: SearchedRange, places: Sequence[Place], facts: Sequence[Fact]) -> bool:
    """Whether all frames are the plugin's, the statement is known whole, each of its calls is known, and
    nothing that was asked about them changed."""
    if not places or not all(place.ours for place in places) or places[-1].statement is None:
        return False
    names = called_names(places)
    known = all(any(functions(case.inquiry, name, methods=True)) or name[:1].isupper() for name in names)
    calm = all(fact.standing in (Standing.STAYS, Standing.ALIKE, Standing.NEVER) for fact in facts)
    return known and calm and bool(names or facts)
