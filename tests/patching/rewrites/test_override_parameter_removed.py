from __future__ import annotations

from syncbot.patching.registry import ApiChange, find

from .cases import both_ways, never

OverrideParameterRemoved = find("override_parameter_removed")
RULE = OverrideParameterRemoved(
    base="up.mm.Encoder", method="__init__", parameter="config", default="None", pass_to_super=True
)


def test_it_is_no_longer_taken_nor_handed_on() -> None:
    both_ways(
        RULE,
        """
        from up.mm import Encoder

        class Mine(Encoder):
            def __init__(self, heads: int, config=None) -> None:
                super().__init__(heads, config=config)
        """,
        """
        from up.mm import Encoder

        class Mine(Encoder):
            def __init__(self, heads: int) -> None:
                super().__init__(heads)
        """,
    )


def test_other_classes_stay() -> None:
    never(RULE, "class Mine:\n    def __init__(self, config=None): ...\n")


def test_it_answers_overrides_only() -> None:
    details = {"contract": "override", "parameter": "config", "default": "None", "pass_to_super": "true"}
    assert (
        OverrideParameterRemoved.propose(ApiChange("parameter-removed", "up.mm.Encoder.__init__", details))
        == RULE
    )
    assert OverrideParameterRemoved.propose(ApiChange("parameter-added", "up.mm.Encoder.f", details)) is None
