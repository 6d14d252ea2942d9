from __future__ import annotations

import pytest

from syncbot.contracts.changes import ChangeKind, ParameterDetails
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import ApiChange
from syncbot.patching.rewrites.override_parameter_added import OverrideParameterAdded
from syncbot.patching.source import Source

from .cases import both_ways, forward_only, never, text

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    OverrideParameterAdded(base="up.mod.Thing", method="run", parameter="extra", default="None"),
    OverrideParameterAdded(
        base="up.mod.Thing", method="run", parameter="extra", default="0", kind="key", pass_to_super=True
    ),
    OverrideParameterAdded(
        base="up.m.Thing", method="run", parameter="extra", default="0", annotation="int", after="self"
    ),
]

SIZES = OverrideParameterAdded(base="up.attention.Base", method="sizes", parameter="spec", default="None")
RUN = OverrideParameterAdded(
    base="up.attention.Base", method="run", parameter="scale", default="1.0", kind="key", pass_to_super=True
)


def test_a_static_method_takes_it() -> None:
    both_ways(
        SIZES,
        """
        from up.attention import Base as UpstreamBase, Size


        class Mine(UpstreamBase):
            @staticmethod
            def sizes() -> list[int | Size]:  # all
                return [16]
        """,
        """
        from up.attention import Base as UpstreamBase, Size


        class Mine(UpstreamBase):
            @staticmethod
            def sizes(spec=None) -> list[int | Size]:  # all
                return [16]
        """,
    )


def test_a_keyword_is_handed_to_the_base() -> None:
    both_ways(
        RUN,
        """
        import up.attention


        class Mine(up.attention.Base):
            def run(
                self,
                query,  # [tokens, heads, size]
                *,
                out=None,
            ):
                return super().run(
                    query,
                    out=out,
                )
        """,
        """
        import up.attention


        class Mine(up.attention.Base):
            def run(
                self,
                query,  # [tokens, heads, size]
                *,
                out=None,
                scale=1.0,
            ):
                return super().run(
                    query,
                    out=out,
                    scale=scale,
                )
        """,
    )


def test_a_bare_star_comes_and_goes_with_it() -> None:
    both_ways(
        RUN,
        """
        from up.attention import Base
        class Mine(Base):
            def run(self, query): return Base.run(self, query)
        """,
        """
        from up.attention import Base
        class Mine(Base):
            def run(self, query, *, scale=1.0): return Base.run(self, query, scale=scale)
        """,
    )


def test_it_stands_behind_its_neighbour_with_its_annotation() -> None:
    rule = OverrideParameterAdded(
        base="up.attention.Base", method="run", parameter="mask", annotation="int", after="self"
    )
    both_ways(
        rule,
        "from up.attention import Base\nclass Mine(Base):\n    def run(self, x, y=1, **kw): ...\n".replace(
            ", **kw", ""
        ),
        "from up.attention import Base\nclass Mine(Base):\n    def run(self, mask: int, x, y=1): ...\n",
    )


def test_it_finds_classes_through_each_other() -> None:
    both_ways(
        SIZES,
        """
        from up.attention import Base
        class Mine(Base): ...
        class Deeper(Mine):
            @classmethod
            def sizes(cls): ...
        def factory():
            class Local(Deeper):
                def sizes(self, other): ...
            return Local
        """,
        """
        from up.attention import Base
        class Mine(Base): ...
        class Deeper(Mine):
            @classmethod
            def sizes(cls, spec=None): ...
        def factory():
            class Local(Deeper):
                def sizes(self, other, spec=None): ...
            return Local
        """,
    )


def test_it_finds_classes_through_the_backends_own() -> None:
    rule = SIZES.model_copy(update={"classes": ("mine.base.Mine",)})
    before = "from mine.base import Mine\nclass Deeper(Mine):\n    def sizes(self): ...\n"
    both_ways(rule, before, before.replace("(self)", "(self, spec=None)"))
    never(SIZES, before)


@pytest.mark.parametrize(
    ("path", "listed"),
    [("src/mine/v2/run.py", True), ("mine/v2/run.py", True), ("v2/run.py", True), ("lib/mine/v2/run.py", True),
     ("mine/run.py", False), ("mine/v1/run.py", False)],
)  # fmt: skip
def test_a_listed_class_is_the_one_of_its_module(path: str, listed: bool) -> None:
    rule = SIZES.model_copy(update={"classes": ("mine.v2.run.Mine",)})
    code = "from up.other import Runner\nclass Mine(Runner):\n    def sizes(self): ...\n"
    if listed:
        assert rule.forward(Source(code, path)) == code.replace("(self)", "(self, spec=None)")
    else:
        with pytest.raises(NoMatch):
            rule.forward(Source(code, path))


def test_only_files_that_name_one_of_the_classes_are_parsed() -> None:
    rule = SIZES.model_copy(update={"classes": ("mine.v2.run.Mine",)})
    for name in ("Base", "Mine"):
        assert rule.may_change("a.py", f"class X({name}):\n    def sizes(self): ...\n", forward=True)
    assert not rule.may_change("a.py", "class X(Other):\n    def sizes(self): ...\n", forward=True)


def test_an_override_that_uses_it_keeps_its_default_as_a_name() -> None:
    both_ways(
        SIZES,
        '''
        from up.attention import Base
        class Mine(Base):
            def sizes(self):
                """Sizes."""
                spec = None
                return [] if spec is None else [spec.size]
        ''',
        '''
        from up.attention import Base
        class Mine(Base):
            def sizes(self, spec=None):
                """Sizes."""
                return [] if spec is None else [spec.size]
        ''',
    )


def test_a_required_parameter_that_is_used_needs_an_author() -> None:
    rule = SIZES.model_copy(update={"default": None})
    code = "from up.attention import Base\nclass Mine(Base):\n    def sizes(self, spec): return spec\n"
    with pytest.raises(CannotRewrite, match="no default"):
        rule.backward(Source(code))


def test_a_parameter_without_default_goes_before_those_with_one() -> None:
    rule = SIZES.model_copy(update={"default": None})
    forward_only(
        rule,
        "from up.attention import Base\nclass Mine(Base):\n    def sizes(self, a=1): ...\n",
        "from up.attention import Base\nclass Mine(Base):\n    def sizes(self, spec, a=1): ...\n",
    )


@pytest.mark.parametrize(
    "code",
    [
        "class Base: ...\nclass Mine(Base):\n    def sizes(self): ...\n",
        "from down.attention import Base\nclass Mine(Base):\n    def sizes(self): ...\n",
        "from up.attention import Base\nclass Mine(Base):\n    def size(self): ...\n    def all(self):\n"
        "        def sizes(): ...\n",
        "from up.attention import Base\nclass Mine(Base):\n    def sizes(self, *a, **kw): ...\n",
        "from up.attention import Base\nclass M(Other):\n    class In(Base): ...\n    def sizes(self): ...\n",
        "def sizes(): ...\n",
    ],
)
def test_what_is_no_override_stays(code: str) -> None:
    never(SIZES, code)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def sizes(self, size):", "def sizes(self, spec, size):"),
        ("def sizes(this, size, more=1):", "def sizes(this, spec, size, more=1):"),
        ("@staticmethod\n    def sizes(size):", "@staticmethod\n    def sizes(spec, size):"),
        ("@classmethod\n    def sizes(kind, /, size):", "@classmethod\n    def sizes(kind, /, spec, size):"),
        ("def sizes(self):", "def sizes(self, spec):"),
    ],
)
def test_the_first_parameter_is_first(before: str, after: str) -> None:
    """Upstream passes it by place."""
    first = SIZES.model_copy(update={"default": None, "after": "self"})
    frame = "from up.attention import Base\n\nclass Mine(Base):\n    {}\n        return []\n"
    both_ways(first, frame.format(before), frame.format(after))


def test_it_answers_overrides_only() -> None:
    details = ParameterDetails(parameter="spec", method="sizes", base="up.attention.Base", default="None")
    change = ApiChange(ChangeKind.PARAMETER_ADDED, "up.attention.Base.sizes", details, "override")
    assert OverrideParameterAdded.answer(change) == SIZES.model_copy(update={"after": "self"})
    call = ApiChange(ChangeKind.PARAMETER_ADDED, "up.attention.Base.sizes", details, "call")
    assert OverrideParameterAdded.answer(call) is None


def test_a_file_that_is_no_python_is_named() -> None:
    with pytest.raises(CannotRewrite, match=r"odd\.py:1: not valid Python"):
        SIZES.forward(Source(text("def sizes(:\n"), "odd.py"))
