"""A merge as a patch file has it: it is made anew from upstream's texts, and never guesses."""

from __future__ import annotations

import json

import pytest
from packaging.version import Version

from syncbot.errors import ConfigurationError, SyncbotError
from syncbot.patching import model
from syncbot.patching.apply import apply_steps, steps
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.model import Patch
from syncbot.patching.three_way.recorded_merge import Imported, OriginalText

OLD = """\
    def run(self, batch):
        first = self.first(batch)
        self.prepare(first)
        self.count()
        self.finish(batch)
        return self.done
"""
NEW = OLD.replace("self.finish(batch)", "self.finish(deque(batch))").replace(
    "prepare(first)", "prepare(first, 1)"
)
COPY = (
    "import os\r\nfrom up.base import Base\r\n\r\n\r\nclass Mine(Base):\r\n"
    '    """Ours."""\r\n\r\n'
    + OLD.replace("self.prepare(first)", "self.prepare(first.fast())").replace("\n", "\r\n")
    + "\r\n    def other(self):\r\n        return os.sep\r\n"
)
DEQUE = {"deque": Imported("from collections import deque", False)}
FILE = "src/mine/base.py"


class Texts:
    """Stands for the releases of an upstream."""

    def __init__(self, new: str = NEW, imports: dict[str, Imported] = DEQUE) -> None:
        self._new, self._imports = new, imports

    def original(self, symbol: str, version: str) -> OriginalText:
        if symbol != "up.base.Base.run":
            raise NoMatch(f"no {symbol}")
        return OriginalText(OLD if version == "1.0" else self._new, self._imports)


def patch(resolutions: str = "", **others: str) -> Patch:
    entry = {"base": "1.0", "end": "2.0", "original": "up.base.Base.run", **others}
    lines = "\n".join(f"    {key}: '{value}'" for key, value in entry.items())
    return model.parse(
        f"id: 2.0-run\nupstream: {{name: up, first_version: '2.0'}}\nsymbol: up.base.Base.run\nreason: It changed.\n"
        f"merges:\n  - file: {FILE}\n    within: Mine.run\n{lines}\n{resolutions}"
    )


def applied(
    wanted: Patch, copy: str = COPY, texts: Texts | None = None, way: tuple[str, str] = ("1.0", "2.0")
) -> str:
    todo = steps([wanted.with_originals(texts or Texts())], *map(Version, way))
    return apply_steps({FILE: copy}, todo)[FILE]


CHANGED = "@@ -1 +1 @@\n-    self.prepare(first.fast())\n+    self.prepare(first.fast(), 1)\n"
CLEAN = NEW.replace("prepare(first, 1)", "prepare(first)")


def test_the_copy_follows_and_imports_what_it_needs() -> None:
    got = applied(patch(), texts=Texts(CLEAN))
    wanted = COPY.replace("finish(batch)", "finish(deque(batch))")
    assert got == wanted.replace("import Base\r\n", "import Base\r\nfrom collections import deque\r\n")


def test_a_conflict_stops_the_lane_until_it_is_resolved() -> None:
    with pytest.raises(
        CannotRewrite, match=r"has 1 conflicts with 2\.0 that nobody resolved: the first is "
    ) as told:
        applied(patch())
    identity = str(told.value).rpartition(" ")[2]
    for resolution, wanted in (
        ("take: ours", "prepare(first.fast())"),
        ("take: theirs", "prepare(first, 1)"),
        ("take: base", "prepare(first)"),
        ("lines: '    self.prepare(first.fast(), 1)'", "prepare(first.fast(), 1)"),
        (f"take: ours\n        diff: {json.dumps(CHANGED)}", "prepare(first.fast(), 1)"),
    ):
        text = f"    resolutions:\n      - conflict: {identity}\n        {resolution}\n"
        got = applied(patch(text))
        assert (
            f"        self.{wanted}\r\n        self.count()\r\n        self.finish(deque(batch))\r\n" in got
        )
    with pytest.raises(CannotRewrite, match=f"Mine.run has no conflict {identity}"):
        applied(patch(text), texts=Texts(CLEAN))
    with pytest.raises(NoMatch, match=f"conflict {identity}: hunk 1 does not fit"):
        applied(patch(text.replace("take: ours", "take: theirs")))


def test_a_resolution_of_another_conflict_does_not_count() -> None:
    """Upstream's text, or ours, changed after it was written."""
    text = "    resolutions:\n      - {conflict: '12345678', take: ours}\n"
    with pytest.raises(CannotRewrite, match="1 conflicts"):
        applied(patch(text))


@pytest.mark.parametrize(
    ("wanted", "copy", "texts", "said"),
    [
        (patch(), COPY.replace("def run", "def walk"), Texts(), "matches nothing"),
        (patch(original="up.base.Base.walk"), COPY, Texts(), "no up.base.Base.walk"),
        (patch(), COPY, Texts(OLD), "matches nothing"),
        (patch(), COPY, Texts(CLEAN, {}), "would read deque, which nothing gives"),
        (
            patch(), COPY, Texts(CLEAN, {"deque": Imported("from collections import deque", True)}),
            "deque is imported for type checkers alone",
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_an_error(wanted: Patch, copy: str, texts: Texts, said: str) -> None:
    with pytest.raises(SyncbotError, match=said):
        applied(wanted, copy, texts)


def test_a_merge_leads_one_way() -> None:
    with pytest.raises(CannotRewrite, match=r"from 1.0 to 2.0, and this lane is older than the baseline"):
        applied(patch(), way=("2.0", "1.0"))
    back = patch(base="2.0", end="1.0")
    ours = COPY.replace("finish(batch)", "finish(batch, 3)")
    with pytest.raises(CannotRewrite, match="this lane is newer"):
        applied(back, ours)
    newer = COPY.replace("finish(batch)", "finish(deque(batch))")
    assert applied(back, newer, Texts(CLEAN), ("2.0", "1.0")) == COPY


def test_without_upstream_nothing_is_merged() -> None:
    with pytest.raises(CannotRewrite, match="needs upstream's own texts"):
        apply_steps({FILE: COPY}, steps([patch()], Version("1.0"), Version("2.0")))


@pytest.mark.parametrize(
    ("resolution", "said"),
    [
        ("{conflict: a}", "takes one side, or has lines"),
        ("{conflict: a, take: ours, lines: x}", "takes one side, or has lines"),
        ("{conflict: a, take: mine}", "take"),
        ("{conflict: a, lines: x, diff: x}", "a diff changes a side: take one"),
    ],
)
def test_bad_resolutions(resolution: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        patch(f"    resolutions:\n      - {resolution}\n")


def test_it_is_written_as_it_was_read() -> None:
    text = "    resolutions:\n      - {conflict: '12345678', take: ours}\n"
    assert model.parse(model.dump(patch(text))) == patch(text)
