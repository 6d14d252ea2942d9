"""Names that modules no longer give."""

from __future__ import annotations

from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.typecheck.judged_case import Case, Subject, make_case
from syncbot.typecheck.printed_names import Names


def module_missing(subject: Subject, names: Names) -> Case | None:
    """A module is gone."""
    module = subject.finding.owner
    if not names.old_tree.owns(module) or not names.old_tree.exists(module) or names.new_tree.exists(module):
        return None
    message = f"{module} no longer exists, but is imported here"
    words = (module.rpartition(".")[2],)
    return make_case(
        subject, ChangeKind.MODULE_REMOVED, module, Ground.MODULE_GONE, message, words, (module,), proven=True
    )


def name_missing(subject: Subject, names: Names) -> Case | None:
    """A name is gone from a module."""
    module, name = subject.finding.owner, subject.name
    symbol = f"{module}.{name}"
    if not names.is_upstream(module) or names.old.resolve(symbol) is None:
        return None
    after = names.new.resolve(symbol)
    if after is not None:
        return None
    before = names.old.resolve(symbol)
    homes = tuple(dict.fromkeys((module, before.module if before else module)))
    if subject.place.assigns(name):
        message = f"{symbol} is replaced here, but upstream no longer has it, so nobody calls the replacement"
        return make_case(
            subject, ChangeKind.PATCH_TARGET_REMOVED, symbol, Ground.PATCH_GOES_NOWHERE, message,
            modules=homes, proven=True,
        )  # fmt: skip
    message = f"{symbol} no longer exists, but is used here"
    return make_case(
        subject, ChangeKind.SYMBOL_REMOVED, symbol, Ground.MODULE_GONE, message, modules=homes, proven=True
    )


def name_borrowed(subject: Subject, names: Names) -> Case | None:
    """A name is defined elsewhere now; the module only imports it for itself."""
    module, name = subject.finding.owner, subject.name
    before, after = names.old.resolve(f"{module}.{name}"), names.new.resolve(f"{module}.{name}")
    if before is None or after is None or before.name == after.name or before.module != module:
        return None
    message = (
        f"{before.name} now lives in {after.module}; {module} still imports it, but only for its own use"
    )
    return make_case(
        subject, ChangeKind.SYMBOL_MOVED, before.name, Ground.NOT_MEANT, message,
        modules=(module, after.module),
    )  # fmt: skip
