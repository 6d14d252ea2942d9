"""Changes of the attributes of upstream modules, classes and objects that the backend reads or writes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from operator import is_
from types import FunctionType

from syncbot.api.statement_parts import type_checking
from syncbot.api.symbols import Member, Symbol
from syncbot.contracts.attributes.asked_of_values import lacking, surely_lacks
from syncbot.contracts.attributes.closed_classes import refuses
from syncbot.contracts.attributes.doubts import doubt, in_subclasses, put_by_another, put_there, unseen
from syncbot.contracts.attributes.hidden_modules import newly_hidden
from syncbot.contracts.attributes.init_only import is_init_only
from syncbot.contracts.attributes.metaclasses import answering_metaclass
from syncbot.contracts.attributes.natures import Nature, other_nature
from syncbot.contracts.attributes.removed_bases import from_lost_base, lost_by
from syncbot.contracts.attributes.standard_bases import unless_standard
from syncbot.contracts.attributes.type_forms import listed_values, type_form_of_class
from syncbot.contracts.changes import ChangeKind, MemberDetails, NameDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.guards import tolerates_import
from syncbot.contracts.deprecations import newly_deprecated, of_member
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.values import Value
from syncbot.contracts.kinds.attributes import AttributeContract
from syncbot.contracts.model import Finding, Verdict
from syncbot.contracts.registry import judge
from syncbot.contracts.relocation import Relocation
from syncbot.contracts.spelled_names import is_there

_SET_BEFORE = Ground.SET_HERE, ", but the code here has set it before"


@judge(AttributeContract)
def judge_attribute(contract: AttributeContract, pair: Comparison) -> Iterator[Finding]:
    """The attribute is gone, or reading it means something else now."""
    old_owner, new_owner = pair.old.resolve(contract.receiver), pair.now(contract.receiver)
    if old_owner is None or new_owner is None:
        if old_owner is not None and contract.instance:
            yield from _of_lost_class(contract, "gone", pair)
        return
    if old_owner.kind == "class" and new_owner.kind == "function":
        yield from _of_maker(contract, new_owner, pair)
        return
    form = type_form_of_class(old_owner, new_owner)
    if form is not None:
        yield from _of_type_form(contract, form, pair)
        return
    if new_owner.kind != old_owner.kind:
        yield from _of_hidden_module(contract, old_owner, new_owner, pair)
        return
    judged = _of_object if contract.instance else _of_name
    yield from judged(contract, old_owner, new_owner, pair)


def _of_name(contract: AttributeContract, old: Symbol, new: Symbol, pair: Comparison) -> Iterator[Finding]:
    """Yield what became of an attribute of a module or class."""
    before, after = pair.old.attribute(old, contract.name), pair.new.attribute(new, contract.name)
    if before is None or not is_there(pair.old, before):
        return
    if not pair.vanished(after, before):
        yield from newly_deprecated(contract, before, after, pair)
        return
    gone = _gone(contract, contract.symbol, f"{old.name}.{contract.name}", None, pair)
    moved = pair.relocation(contract.symbol) if old.kind == "module" else None
    hidden = unseen(contract, old, new, pair) if old.kind == "class" else None
    answering = answering_metaclass(pair.new, new) if old.kind == "class" else None
    below = in_subclasses(contract.name, new, pair) if contract.held else None
    put = put_by_another(contract.name, new, contract.place.module, pair)
    if contract.given:
        gone = gone.doubted(*_SET_BEFORE)
    elif hidden is not None:
        gone = gone.doubted(*hidden)
    elif put is not None:
        gone = gone.doubted(Ground.SET_HERE, f", but {put} of the project puts its own there")
    elif below is not None:
        gone = gone.doubted(*below)
    elif answering is not None:
        gone = gone.doubted(Ground.UNSEEN_BASE, f", unless {answering.name}, its metaclass, answers for it")
    elif moved is not None:
        gone = _elsewhere(gone, before, moved)
    yield from unless_standard(gone, pair.new, new, before.nodes)


def _of_object(contract: AttributeContract, old: Symbol, new: Symbol, pair: Comparison) -> Iterator[Finding]:
    """Yield what became of an attribute of objects."""
    old_member = pair.old.member(old, contract.name, contract.skip)
    new_member = pair.new.member(new, contract.name, contract.skip)
    if old_member is None or is_init_only(old_member, pair.old):
        return
    given_only = new_member is not None and is_init_only(new_member, pair.new)
    new_member = None if given_only else new_member
    if new_member is None and not put_there(contract.name, new, pair, contract.skip):
        no_base = partial(_is_no_base, pair)
        if not from_lost_base(old, old_member.owner, pair.old, no_base, pair.is_upstream):
            gone = _gone(contract, old_member.symbol, lost_by(old, old_member, pair), old_member, pair)
            if given_only:
                plain, now = " no longer exists", " is given to the constructor alone now (InitVar)"
                gone = replace(gone, reason=gone.reason.replace(plain, now, 1))
            doubted = _SET_BEFORE if contract.given else doubt(contract, old, new, pair)
            gone = gone.doubted(*doubted) if doubted else gone
            if contract.use == "write" and (why := refuses(pair.new, new, contract.name)) is not None:
                reason = f"{lost_by(old, old_member, pair)} no longer exists: {why}"
                gone = replace(gone, ground=Ground.MEMBER_GONE, reason=reason)
            if gone.verdict is Verdict.BREAKS and (other := _other_with(contract, pair)) is not None:
                gone = gone.doubted(Ground.DOUBTED, f", but the object may be of {other}, which has it")
            yield from unless_standard(gone, pair.new, new, old_member.nodes)
    elif new_member is not None and not _is_same(old_member, new_member):
        nature = other_nature(contract.use, contract.tolerant, old_member, new_member)
        if nature is not None:
            yield _of_other_nature(contract, nature, new_member.symbol, new, pair)
        yield from of_member(contract, old_member, new_member, pair)


def _is_no_base(pair: Comparison, name: str) -> bool:
    """Whether what was a class is gone, or is what no class can derive from: that is told where one does."""
    now = pair.now(name)
    form = type_form_of_class(pair.old.resolve(name), now)
    return now is None or pair.vanished(now) or now.kind == "function" or form is not None


def _of_other_nature(
    contract: AttributeContract, nature: Nature, symbol: str, class_: Symbol, pair: Comparison
) -> Finding:
    kind, ground, reason = nature
    found = Finding(contract, kind, symbol, ground, f"{symbol} {reason}")
    # https://pytorch.org/docs/stable/generated/torch.nn.Module.html: a module that is assigned to an
    # attribute of another one is put among its modules, whatever the class has under that name.
    puts = any(base.rpartition(".")[2] == "Module" for base in pair.new.lineage(class_).external)
    of_module = puts and kind is ChangeKind.ATTRIBUTE_READ_ONLY
    return found.doubted(Ground.DOUBTED, ", unless it is a module") if of_module else found


def _is_same(old: Member, new: Member) -> bool:
    """Whether two members were read from one text: most are, and nothing more need be asked of these."""
    return len(old.nodes) == len(new.nodes) and all(map(is_, old.nodes, new.nodes))


def _other_with(contract: AttributeContract, pair: Comparison) -> str | None:
    """Another class that the object may be of, and that has the attribute still."""
    others = ((name, pair.now(name)) for name in contract.others)
    return next(
        (n for n, c in others if c is not None and not surely_lacks(pair.new, c, contract.name)), None
    )


def _of_lost_class(contract: AttributeContract, what: str, pair: Comparison) -> Iterator[Finding]:
    """Yield what becomes of an object of a class that is gone, or ``what`` else: nobody can tell what is in
    its place, unless nothing upstream has such an attribute any more. Where nothing there even asks for one,
    no object from elsewhere with one stands there either."""
    namesake = _namesake(contract, pair)
    if namesake is not None and not contract.tolerant and surely_lacks(pair.new, namesake, contract.name):
        yield _gone_since(contract, f"{namesake.name} now, which {lacking(contract.name)}", pair)
        return
    before = pair.old.resolve(contract.receiver)
    other = pair.successors.of(before) if before is not None and what == "gone" else None
    if other is not None and not contract.tolerant and surely_lacks(pair.new, other, contract.name):
        stands = f"{what}: where it stood, {other.name} stands now, which {lacking(contract.name)}"
        yield _gone_since(contract, stands, pair)
        return
    mentioning = pair.new_tree.mentioning(pair.new_tree.modules, contract.name)
    if contract.tolerant or contract.use == "write" or pair.new_names.homes(mentioning, contract.name):
        return
    reason = f"{contract.receiver} is {what}, and upstream no longer defines {contract.name}"
    instead = [class_ for class_ in (namesake, other) if class_ is not None]
    unseen = what != "gone" or bool(mentioning) or any(map(pair.new.is_open, instead))
    doubted = unseen or type_checking(contract.place.guards) or _may_be_absent(contract, pair)
    yield Finding(
        contract, ChangeKind.NAME_VANISHED, contract.symbol,
        Ground.UNKNOWN_RECEIVER if doubted else Ground.MEMBER_GONE, reason, subject=contract.name,
    )  # fmt: skip


def _may_be_absent(contract: AttributeContract, pair: Comparison) -> bool:
    """Whether the code here may go well without the class: its import may fail."""
    table, names = pair.own_tree.table(contract.place.module), contract.receiver.split(".")
    imports = table.imports if table is not None else ()
    asked = [i for i in imports if i.name in names or i.module.rpartition(".")[2] in names]
    return any(tolerates_import(i.guards) for i in asked)


def _namesake(contract: AttributeContract, pair: Comparison) -> Symbol | None:
    """The class that bears the name of a lost one, where its module went: they have nothing in common."""
    before = pair.old.resolve(contract.receiver)
    if before is None or not pair.vanished(pair.new.resolve(before.module)):
        return None
    moved = pair.relocation(before.module)
    there = pair.new.resolve(f"{moved.name}.{before.qualname}") if moved is not None else None
    return there if there is not None and there.kind == "class" else None


def _of_maker(contract: AttributeContract, maker: Symbol, pair: Comparison) -> Iterator[Finding]:
    """Yield what becomes of what was asked of a class, or of its objects, where a function bears its name
    now: of objects that is known where the class of what it returns is."""
    if contract.name in dir(FunctionType) or any(node.decorators for node in maker.functions):
        return
    if not contract.instance:
        given = pair.new_tree.mentioning(pair.new_tree.modules, f"{maker.qualname}.{contract.name} =")
        if not given:
            yield _gone_since(contract, f"a function now, which has no {contract.name}", pair)
        return
    made = pair.in_new.result(Value(maker))
    if made is None or not made.instance:
        yield from _of_lost_class(contract, "a function now", pair)
    elif surely_lacks(pair.new, made.symbol, contract.name):
        gives = f"a function now and gives an object of {made.symbol.name}, which {lacking(contract.name)}"
        yield _gone_since(contract, gives, pair)


def _of_type_form(contract: AttributeContract, form: ast.expr, pair: Comparison) -> Iterator[Finding]:
    """Yield what becomes of what was asked of a class, or of its objects, where a form for type checkers
    bears its name now: a ``Literal`` lists what the objects are."""
    now, name = ast.unparse(form), contract.name
    if not contract.instance:
        yield _gone_since(contract, f"{now} now, which has no {name}", pair)
        return
    values = listed_values(form)
    if not values:
        yield from _of_lost_class(contract, f"{now} now", pair)
    elif not any(hasattr(type(value), name) for value in values):
        yield _gone_since(contract, f"{now} now, whose values have no {name}", pair)


def _gone_since(contract: AttributeContract, what: str, pair: Comparison) -> Finding:
    """The attribute is gone, since its owner is something else."""
    gone = _gone(contract, contract.symbol, contract.symbol, None, pair)
    plain = f"{contract.symbol} no longer exists"
    return replace(gone, reason=gone.reason.replace(plain, f"{contract.receiver} is {what}", 1))


def _of_hidden_module(
    contract: AttributeContract, old: Symbol, new: Symbol, pair: Comparison
) -> Iterator[Finding]:
    """Ask what is asked of a module of what its package has in its place now."""
    if not newly_hidden(contract.receiver, old, new, contract.place, pair):
        return
    if pair.old.attribute(old, contract.name) is None:
        return
    after = pair.new.attribute(new, contract.name)
    given = pair.new_tree.mentioning(pair.new_tree.modules, f"{new.qualname}.{contract.name} =")
    if given or (new.kind == "class" and after is not None):
        return
    what = f"no module any more where its package is asked for it, but the {new.kind} {new.name}"
    gone = _gone_since(contract, f"{what}, which has no {contract.name}", pair)
    decorated = any(node.decorators for node in new.functions)
    yield gone.doubted(Ground.DOUBTED, ", unless its decorator gives it one") if decorated else gone


def _gone(
    contract: AttributeContract, symbol: str, shown: str, member: Member | None, pair: Comparison
) -> Finding:
    renamed = pair.renamed_member(member) if member is not None and member.functions else None
    kind = ChangeKind.ATTRIBUTE_REMOVED if renamed is None else ChangeKind.ATTRIBUTE_RENAMED
    reason = f"{shown} no longer exists"
    if renamed is not None:
        reason += f"; the same body now stands in {renamed}"
    ground = Ground.MEMBER_GONE
    if contract.tolerant:
        ground = Ground.TESTED_FOR
        reason += ": the code here tests for it, and will silently take the other path"
    elif type_checking(contract.place.guards):
        ground = Ground.TESTED_FOR
        reason += ": only type checkers read what is written here"
    elif contract.use == "write":
        ground = Ground.WRITTEN_ONLY
        reason += ": what is written here is not read upstream any more"
    return Finding(
        contract, kind, symbol, ground, reason, subject=contract.name,
        details=MemberDetails(name=contract.name, new=renamed),
    )  # fmt: skip


def _elsewhere(gone: Finding, before: Symbol, moved: Relocation) -> Finding:
    """The same finding for a name of a module that stands elsewhere now."""
    kind = ChangeKind.MODULE_MOVED if before.kind == "module" else moved.kind
    details = NameDetails(old=gone.symbol, new=moved.name)
    return replace(gone, kind=kind, reason=f"{gone.reason}; it is now {moved.name}", details=details)
