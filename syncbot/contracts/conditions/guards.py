"""The meaning of the conditions around a contract."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from packaging.version import Version

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted, expression
from syncbot.contracts.conditions.evaluation import MAKERS, Evaluation
from syncbot.contracts.conditions.version_helpers import VersionHelpers, by_name, filled, names_order
from syncbot.contracts.conditions.version_order import compared, required

_ALONE = (ast.Eq, ast.In, ast.NotEq, ast.NotIn)
_VERSION = re.compile(r"v?\d+(\.\d+)+([.\-+]?[a-z0-9]+)*$")


@dataclass(frozen=True, slots=True)
class VersionTests:
    """Tests of the upstream's version: any call that is given versions alone, and what is named the version
    (of one of ``packages``) compared with some, both ``otherwise``; and the project's own test as configured
    (``gate``, with ``{version}``), which is true on ``version``. What is before or after another one is told
    by ``version``; what a function of the project's ``helpers`` says, by its definition, also where another
    one asks it; ``aliases`` are names for a package's ``__version__`` in the module at hand, ``constants``
    the texts of what names there are given once."""

    gate: str | None = None
    version: Version | None = None
    otherwise: bool = False
    packages: tuple[str, ...] = ()
    helpers: VersionHelpers = ()
    aliases: tuple[str, ...] = ()
    constants: tuple[tuple[str, str], ...] = ()

    def own(self, text: str) -> bool | None:
        """Return what the project's own test says, as syntax has it; None for another expression."""
        asked = _own_test(self.gate).match(text) if self.gate is not None else None
        if asked is None:
            return None
        return _is_version(asked[1]) and Version(asked[1]) == self.version

    def answer(self, node: ast.expr) -> bool | None:
        """Return what a test says, None for another expression."""
        if self.aliases and any(isinstance(n, ast.Name) and n.id in self.aliases for n in every_node(node)):
            whole = ast.Attribute(ast.Name(self.packages[0], ast.Load()), "__version__", ast.Load())
            node = filled(node, dict.fromkeys(self.aliases, whole))
        told = self.own(ast.unparse(node)) if self.gate is not None and self.version is not None else None
        if told is not None:
            return told
        known = compared(node, self.version, self.packages) if self.version is not None else None
        if known is not None:
            return known
        match node:
            case ast.Compare(left=asked, ops=[order], comparators=[versions]) if (
                isinstance(order, _ALONE) and self.names_version(asked) and _are_versions(versions)
            ):
                return self.otherwise is isinstance(order, ast.Eq | ast.In)
            case ast.Call(func=function):
                told = self._asked(node, function)
                return self._followed(node) if told is None else told
            case ast.Compare():
                return self._followed(node)
        return None

    def _followed(self, node: ast.expr) -> bool | None:
        """Return what a condition comes to by the constants and functions that it names, where these ask for
        the version."""
        if self.version is None or not self.packages:
            return None
        run = Evaluation(self.version, self.packages, self.helpers, self.constants)
        told = run.truth(node)
        return told if run.spoke else None

    def _asked(self, call: ast.Call, function: ast.expr) -> bool | None:
        """Return what a function says of the version: as the project defines it, or as the call spells it."""
        name = (dotted(function) or "").rpartition(".")[2]
        helper = by_name(self.helpers).get(name)
        if helper is not None and self.version is not None:
            plain = replace(self, helpers=())
            run = Evaluation(
                self.version, self.packages, self.helpers, self.constants, lambda asked: plain.answer(asked)
            )
            told = run.truth_of_call(name, helper, call)
            if told is not None:
                return told
        told = required(call, self.version, self.packages) if self.version is not None else None
        alone = call.args and not call.keywords and all(map(_are_versions, call.args))
        if told is not None or not alone:
            return told
        orders = helper.orders if helper is not None else names_order(function)
        return None if orders else self.otherwise

    def names_version(self, node: ast.expr) -> bool:
        """Whether an expression is named as the version, or as that of one of the packages."""
        called = isinstance(node, ast.Call) and not node.args and not node.keywords
        written = dotted(node.func if called and isinstance(node, ast.Call) else node)
        if written is None or not self.packages:
            return False
        owner, _, last = written.rpartition(".")
        name = last.strip("_").lower()
        if owner and not called:
            return name == "version" and owner in self.packages
        plain = name == "version" and not called
        return plain or ("version" in name and any(package.lower() in name for package in self.packages))


@dataclass(frozen=True)
class Truth:
    """The results of conditions where the ``tests`` have their answers and some dotted names are ``known``,
    or whether they are None (``x is None``)."""

    tests: VersionTests
    known: Mapping[str, bool] = field(default_factory=dict)

    def of(self, node: ast.expr) -> bool | None:
        """True, False, or None where that is left to others."""
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                told = self.of(operand)
                return None if told is None else not told
            case ast.BoolOp(op=op, values=values):
                deciding = isinstance(op, ast.Or)
                answers = {self.of(value) for value in values}
                return deciding if deciding in answers else None if None in answers else not deciding
            case ast.Name() | ast.Attribute():
                return self.known.get(dotted(node) or "")
            case ast.Call(func=called, args=[], keywords=[]) if f"{dotted(called)}()" in self.known:
                return self.known[f"{dotted(called)}()"]
            case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as sign], comparators=[right]):
                empty = self.known.get(f"{dotted(left)} is {ast.unparse(right)}")
                if empty is not None:
                    return empty is isinstance(sign, ast.Is)
        return self.tests.answer(node)

    def without(self, names: Collection[str]) -> Truth:
        """Where these names mean something else."""
        kept = {
            n: told
            for n, told in self.known.items()
            if n.removesuffix("()").removesuffix(" is None").partition(".")[0] not in names
        }
        return self if len(kept) == len(self.known) else replace(self, known=kept)

    def knowing(self, more: Mapping[str, bool]) -> Truth:
        """Where these names are known, too."""
        return replace(self, known={**self.known, **more}) if more else self


_UNNAMED = Truth(VersionTests())


def other_version(guards: Sequence[str]) -> bool:
    """Whether code runs on one named upstream version only, and so relies on none that is compared: ``if
    is_version("1.2.3")``, also beside other conditions, or the else branch of its negation."""
    for guard in guards:
        kind, _, test = guard.partition(" ")
        node = expression(test) if kind in ("if", "else") else None
        if node is not None and _UNNAMED.of(node) is (kind == "else"):
            return True
    return False


def tolerates_import(guards: Sequence[str]) -> bool:
    """Whether a failing import is caught."""
    wide = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
    return any(guard.startswith("try ") and wide & set(re.findall(r"\w+", guard[4:])) for guard in guards)


def only_missing_modules(guards: Sequence[str]) -> bool:
    """Whether what is caught around an import is that a module is missing, and not that it lacks a name."""
    caught = {word for guard in guards if guard.startswith("try ") for word in re.findall(r"\w+", guard[4:])}
    return not caught & {"ImportError", "Exception", "BaseException"}


def compares_version(guards: Sequence[str], package: str) -> bool:
    """Whether code stands under a comparison of what is named a version of a package, such as
    ``lib_version >= "2"``, under a name for one, or under a call that is given one, such as
    ``older(lib.__version__)``: nobody has said which branch runs."""
    for guard in guards:
        kind, _, test = guard.partition(" ")
        words = test.lower()
        if kind in ("if", "else") and "version" in words and package.lower() in words:
            node = expression(test)
            answer = node.operand if isinstance(node, ast.UnaryOp) else node
            if isinstance(answer, ast.Name) and words.removeprefix("not ") not in _plain_names(
                package.lower()
            ):
                return True
            if any(
                isinstance(inner, ast.Compare) or _is_given_version(inner, package)
                for inner in every_node(node or ast.Pass())
            ):
                return True
    return False


def _is_given_version(node: ast.AST, package: str) -> bool:
    """Whether a call is given the version of a package, and is none of what makes a version of it."""
    if not isinstance(node, ast.Call) or (dotted(node.func) or "").rpartition(".")[2] in MAKERS:
        return False
    return any(dotted(argument) == f"{package}.__version__" for argument in node.args)


def may_run(
    guards: Sequence[str], version: Version, package: str, helpers: VersionHelpers = ()
) -> bool | None:
    """Whether code under these conditions may run on a version, as far as they ask for that of a package, by
    what the project's ``helpers`` say; None where one of these questions cannot be read."""
    truth = Truth(VersionTests(version=version, packages=(package,), helpers=helpers))
    told = [_may_hold(guard, truth) for guard in guards if compares_version((guard,), package)]
    return False if False in told else None if None in told else True


def _may_hold(guard: str, truth: Truth) -> bool | None:
    """Whether a condition that compares a version may be met."""
    kind, _, test = guard.partition(" ")
    node = expression(test)
    packages = truth.tests.packages
    speaking = [
        n
        for n in every_node(node or ast.Pass())
        if isinstance(n, ast.Compare | ast.Call)
        and (
            any(_is_given_version(n, p) for p in packages)
            or (isinstance(n, ast.Compare) and _speaks_of(n, packages))
        )
    ]
    if node is None or not speaking or any(truth.of(n) is None for n in speaking):
        return None
    told = truth.of(node)
    return told is None or told is (kind == "if")


def _speaks_of(node: ast.expr, packages: Collection[str]) -> bool:
    words = ast.unparse(node).lower()
    return "version" in words and any(package.lower() in words for package in packages)


def _plain_names(package: str) -> tuple[str, str]:
    """Return what the version itself is called: to ask for it is no comparison."""
    return f"{package}_version", f"version_{package}"


def is_postponed(module: ast.Module) -> bool:
    """Whether the module has its annotations kept as texts (PEP 563)."""
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
        for node in module.body
    )


def tests_for(guards: Sequence[str], name: str) -> bool:
    """Whether the code runs only where an attribute of that name is present."""
    quoted = (f"'{name}'", f'"{name}"')
    return any(
        ("hasattr(" in guard or "getattr(" in guard) and any(q in guard for q in quoted) for guard in guards
    )


def asks_for_key(guards: Sequence[str], key: str) -> bool:
    """Whether the code stands under a condition that speaks of a key, as the text of it is written."""
    inner = key.strip("'\"")
    return any(f"'{inner}'" in guard or f'"{inner}"' in guard for guard in guards)


@cache
def _own_test(gate: str) -> re.Pattern[str]:
    """The configured test as syntax has it, also where its function is reached through a module."""
    some = "9.87.65"
    text = ast.unparse(ast.parse(gate.replace("{version}", some), mode="eval"))
    return re.compile(rf"(?:\w+\.)*{re.escape(text).replace(re.escape(some), '(.+?)')}$")


def _are_versions(node: ast.expr) -> bool:
    """Whether an expression is a version, or several, written out."""
    match node:
        case ast.Tuple(elts=[_, *_] as several) | ast.List(elts=[_, *_] as several) | ast.Set(elts=several):
            return all(map(_are_versions, several))
        case ast.Constant(value=value):
            return _is_version(value)
    return False


def versions_alone(pattern: ast.pattern) -> bool:
    """Whether a ``case`` is for versions that are written out."""
    match pattern:
        case ast.MatchOr(patterns=several):
            return all(map(versions_alone, several))
        case ast.MatchValue(value=value):
            return _are_versions(value)
    return False


def _is_version(value: object) -> bool:
    return isinstance(value, str) and _VERSION.match(value) is not None
