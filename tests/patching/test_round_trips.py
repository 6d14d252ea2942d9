"""Properties of every rewrite, on generated sources: nothing is lost, nothing else is touched."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import Rule, rules
from syncbot.patching.registry import rule as registered
from syncbot.patching.rewrites.abstract_method_added import AbstractMethodAdded
from syncbot.patching.rewrites.add_method import AddMethod
from syncbot.patching.rewrites.add_statement import AddStatement
from syncbot.patching.rewrites.attribute_renamed import AttributeRenamed
from syncbot.patching.rewrites.attribute_replaced import AttributeReplaced
from syncbot.patching.rewrites.base_changed import BaseChanged
from syncbot.patching.rewrites.call_argument_added import CallArgumentAdded
from syncbot.patching.rewrites.call_argument_renamed import CallArgumentRenamed
from syncbot.patching.rewrites.call_arguments_by_keyword import CallArgumentsByKeyword
from syncbot.patching.rewrites.call_changed import CallChanged
from syncbot.patching.rewrites.call_replaced import CallReplaced
from syncbot.patching.rewrites.decorator_changed import DecoratorChanged
from syncbot.patching.rewrites.function_parameter_added import FunctionParameterAdded
from syncbot.patching.rewrites.import_moved import ImportMoved
from syncbot.patching.rewrites.member_moved import MemberMoved
from syncbot.patching.rewrites.monkey_patch_moved import MonkeyPatchMoved
from syncbot.patching.rewrites.override_default_changed import OverrideDefaultChanged
from syncbot.patching.rewrites.override_parameter_added import OverrideParameterAdded
from syncbot.patching.rewrites.override_parameter_renamed import OverrideParameterRenamed
from syncbot.patching.rewrites.override_parameters_reordered import OverrideParametersReordered
from syncbot.patching.rewrites.override_result_reshaped import OverrideResultReshaped
from syncbot.patching.rewrites.property_to_method import PropertyToMethod
from syncbot.patching.rewrites.replace_statement import ReplaceStatement
from syncbot.patching.rewrites.result_reshaped import ResultReshaped
from syncbot.patching.rewrites.statement_guarded import StatementGuarded
from syncbot.patching.rewrites.string_renamed import StringRenamed
from syncbot.patching.rewrites.symbol_renamed import SymbolRenamed
from syncbot.patching.source import Source

UNTOUCHED = [
    "",
    "# a comment",
    "x  =  [1,2 , 3]   # spaced oddly",
    "text = '''\n  from up.mod import Thing\n'''",
    "@decorated\ndef helper( a,b = 2 ) :\n\treturn a",
    "if x: y = 1; z = 2",
    "from up.other import Other as O",
    "from .up.mod import Thing",
    "import sys, os",
    "class Unrelated:\n    def run(self, size): return self.uva",
]
NOISE = st.sampled_from(UNTOUCHED)
NOISE_LINES = {line for block in UNTOUCHED for line in block.splitlines() if line}
USES = st.sampled_from(
    [
        "from up.mod import Thing",
        "from up.mod import (\n    Another,\n    Thing,\n    thing,\n)",
        "from up.mod import Another, Thing",
        "import up.mod.deep",
        "def f():\n    from up.mod import Thing as T\n    return T(size=1)",
        "try:\n    from up.mod import Thing\nexcept ImportError:\n    Thing = None",
    ]
)
EXAMPLES = [
    "class Mine(Thing):\n    def run(self):\n        return super().run()",
    "class Mine(Thing):\n\n    def run(self, size, *, flag=None): # odd\n        return size + self.uva",
    "class Mine(Thing):\n    @staticmethod\n    def run(\n        size: int,\n    ) -> None: ...",
    "class Mine(Thing):\n    def run(self, size,  flag):\n        a , b = Thing(1,size=2)\n        return 1 , 2",
    "def g(t: Thing):\n    x = 1\n\n    return t.uva",
    "@Thing( 1 )  # marked\ndef made(limit = Thing.LIMIT): ...",
    "Thing.hook  =  print\nsetattr(Thing, 'hook', len)",
    "def g(t: Thing):\n    return t.uva, Thing(size=2, **{}), 'up.mod.Thing'",
]
CLASSES = st.sampled_from(EXAMPLES)
BLOCKS = st.tuples(st.lists(NOISE, max_size=3), USES, st.lists(NOISE | CLASSES, max_size=5))
PROGRAMS = BLOCKS.map(lambda b: "\n".join([*b[0], b[1], *b[2]]) + "\n")

RULES: list[Rule] = [
    CallChanged(file="<source>", within="g", before="Thing(size=2, **{})", after="Thing(size=2, at=1, **{})"),
    FunctionParameterAdded(file="<source>", function="Mine.run", parameter="spec", default="None"),
    ImportMoved(old="up.mod.Thing", new="up.elsewhere.Thing"),
    ImportMoved(old="up.mod", new="up.elsewhere"),
    SymbolRenamed(symbol="up.mod.Thing", new_name="Renamed"),
    OverrideParameterAdded(base="up.mod.Thing", method="run", parameter="extra", default="None"),
    OverrideParameterAdded(
        base="up.mod.Thing", method="run", parameter="extra", default="0", kind="key", pass_to_super=True
    ),
    OverrideParameterRenamed(base="up.mod.Thing", method="run", old="size", new="extra"),
    CallArgumentAdded(callee="up.mod.Thing", argument="extra", value="None"),
    CallArgumentRenamed(callee="up.mod.Thing", old="size", new="extra"),
    AttributeRenamed(base="up.mod.Thing", old="uva", new="extra"),
    PropertyToMethod(base="up.mod.Thing", attribute="uva"),
    StringRenamed(old="up.mod.Thing", new="up.elsewhere.Thing"),
    AbstractMethodAdded(base="up.mod.Thing", method="absent", message="up #1: absent is abstract"),
    AttributeReplaced(base="up.mod.Thing", before="uva", after="spec.uva"),
    AttributeReplaced(base="up.mod.Thing", before="uva", after="get_uva()"),
    BaseChanged(old="up.mod.Thing", new="up.elsewhere.Base"),
    CallArgumentsByKeyword(callee="up.mod.Thing", position=0, arguments=("count",)),
    CallReplaced(
        old="up.mod.Thing", new="up.elsewhere.make", renamed=(("size", "length"),), added=(("extra", "0"),)
    ),
    OverrideDefaultChanged(base="up.mod.Thing", method="run", parameter="flag", old="None", new="(1, 2)"),
    OverrideParametersReordered(
        base="up.mod.Thing", method="run", old=("size", "flag"), new=("flag", "size")
    ),
    OverrideResultReshaped(base="up.mod.Thing", method="run", old=("a", "b"), new=("a", "b", "c")),
    ResultReshaped(callee="up.mod.Thing", old=("a", "b"), new=("a", "b", "c")),
    StatementGuarded(file="<source>", within="g", code="return t.uva", condition="t.spec"),
    AddMethod(file="<source>", within="Mine", code="def late(self):\n    return 1", after="run"),
    AddMethod(file="<source>", code="def late():\n    return 1", after="g"),
    AddStatement(file="<source>", within="g", code="y = 2\nz = 3", position="before", anchor="return t.uva"),
    AddStatement(file="<source>", within="g", code="y = 2", position="start"),
    ReplaceStatement(file="<source>", within="g", before="x = 1", after="x = 2\ny = 3"),
    DecoratorChanged(old="up.mod.Thing", new="up.elsewhere.mark"),
    MemberMoved(old="up.mod.Thing", new="up.elsewhere.Part", members=("LIMIT",)),
    MonkeyPatchMoved(old="up.mod.Thing.hook", new="up.mod.Thing.renamed"),
]


def forward(rule: Rule, text: str) -> str:
    try:
        return rule.forward(Source(text))
    except (NoMatch, CannotRewrite):
        return text


def backward(rule: Rule, text: str) -> str:
    try:
        return rule.backward(Source(text))
    except (NoMatch, CannotRewrite):
        return text


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


@settings(max_examples=150, deadline=None)
@given(PROGRAMS.filter(parses), st.sampled_from(RULES))
def test_forward_and_back_is_where_one_was(program: str, rule: Rule) -> None:
    there = forward(rule, program)
    assert parses(there)
    assert backward(rule, there) == program


@settings(max_examples=100, deadline=None)
@given(PROGRAMS.filter(parses), st.sampled_from(RULES))
def test_twice_is_once_and_the_mirror_undoes(program: str, rule: Rule) -> None:
    there = forward(rule, program)
    assert forward(rule, there) == there
    assert forward(rule.mirror(), there) == backward(rule, there)


@settings(max_examples=100, deadline=None)
@given(PROGRAMS.filter(parses), st.sampled_from(RULES))
def test_the_mirror_goes_the_other_way_and_back(program: str, rule: Rule) -> None:
    there, mirror = forward(rule, program), rule.mirror()
    assert forward(mirror, there) == program
    assert backward(mirror, program) == there


@settings(max_examples=150, deadline=None)
@given(PROGRAMS.filter(parses), st.sampled_from(RULES))
def test_lines_without_the_names_stay_byte_for_byte(program: str, rule: Rule) -> None:
    """What is left of every noise line is that line, in the same order."""
    kept = [line for line in program.splitlines() if line in NOISE_LINES]
    assert [line for line in forward(rule, program).splitlines() if line in NOISE_LINES] == kept


def test_every_rule_is_tested_and_changes_a_program() -> None:
    """Here, or its mirror, or a rule that came later in a test of its own."""
    tried = {rule.name for rule in [*RULES, *(rule.mirror() for rule in RULES)]}
    own = Path(__file__).parent / "rewrites"
    assert [name for name in set(rules()) - tried if not (own / f"test_{name}.py").exists()] == []
    program = "from up.mod import Thing\n" + "\n".join(EXAMPLES) + "\n"
    for rule in RULES:
        texts = [program, *(f"from up.mod import Thing\n{example}\n" for example in EXAMPLES)]
        assert any(forward(rule, text) != text for text in texts), rule


@settings(max_examples=60, deadline=None)
@given(st.lists(NOISE, max_size=6).map("\n".join).filter(parses), st.sampled_from(RULES))
def test_a_symbol_that_is_not_there_changes_no_byte(program: str, rule: Rule) -> None:
    program = program.replace("up.", "down.")
    assert forward(rule, program) == program
    assert backward(rule, program) == program


def test_every_rule_says_what_upstream_did_and_has_a_name_of_its_file() -> None:
    for name, rule in rules().items():
        file = rule.__module__.rpartition(".")[2]
        assert file == name or rules()[file].twin is rule
        assert rule.__doc__
        assert rule.__doc__.strip()
        assert rule.reason.startswith("Upstream ")


def test_a_rule_without_a_mirror_is_refused() -> None:
    class Lone(Rule):
        """It does something."""

        def forward(self, source: Source) -> str:
            return source.text

        backward = forward

    with pytest.raises(TypeError, match=r"rule lone has no mirror: name one in @rule, or define mirror\(\)"):
        registered("lone")(Lone)
    assert "lone" not in rules()


def test_a_mirror_is_made_of_its_rule() -> None:
    there, back = rules()["add_method"], rules()["remove_method"]
    assert (there.twin, back.twin) == (back, there)
    assert back.__name__ == "RemoveMethod"
    assert back.reason == "Upstream no longer asks for a method or function of the backend."
    assert list(back.model_fields) == list(there.model_fields)
    assert rules()["import_moved"].twin is None
