"""A group of differences beside both ends, and what a rule shows of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from syncbot.patching.registry import Rule
from syncbot.suites.differences import Group
from syncbot.suites.lane_sources import LaneSources
from syncbot.verify.suite.outcomes import Cause, Frame

#: ``lane``: the lane is wrong; ``pins``: what the test made or expects is of the old upstream;
#: ``environment``: what is installed, or where it ran; ``undecided``: nobody knows yet.
Class = Literal["lane", "pins", "environment", "undecided"]


@dataclass(frozen=True, slots=True)
class Shown:
    """The result of a rule: the class, the reason in one line, and the ``rewrites`` of a test that follow.
    Groups with equal results have one cause."""

    class_: Class
    reason: str
    rewrites: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A group, the sources of the release and of the lane, and the ``folders`` of tests."""

    group: Group
    release: LaneSources
    lane: LaneSources
    folders: Collection[str]

    @property
    def cause(self) -> Cause:
        """The cause that stopped the first of the tests."""
        return self.group.cause

    @property
    def kind(self) -> str:
        """The class of the exception, without its module."""
        return self.cause.type.rpartition(".")[2]

    @property
    def frame(self) -> Frame | None:
        """The innermost frame."""
        return self.group.frame

    @property
    def ours(self) -> Frame | None:
        """The innermost frame that is of a test, of the plugin or of upstream."""
        frames = reversed(self.cause.frames)
        return next((each for each in frames if self.is_of_test(each) or self.is_known(each)), None)

    def is_of_test(self, frame: Frame | None) -> bool:
        """Whether a frame is of a test, or of what lies beside tests."""
        tops = {folder.partition("/")[0] for folder in self.folders}
        return frame is not None and frame.file.partition("/")[0] in tops

    def is_of_plugin(self, frame: Frame | None) -> bool:
        """Whether a frame is of the plugin."""
        return frame is not None and frame.file.partition("/")[0] in self.lane.packages

    def is_known(self, frame: Frame) -> bool:
        """Whether a frame is of the plugin or of upstream."""
        return frame.file.partition("/")[0] in {*self.lane.packages, *self.lane.upstream}

    @property
    def texts_of_tests(self) -> list[bytes]:
        """The texts of the files that the tests stand in."""
        files = sorted({each.node.partition("::")[0] for each in self.group.differences})
        return [self.lane.text(file) or b"" for file in files]
