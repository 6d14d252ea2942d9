"""Kept judgements: with them a comparison finds what it finds without, whatever changed in the backend."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from syncbot.contracts.calls.targets import CallContract
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.model import Contract, Finding
from syncbot.impact.accelerator import Accelerator, Judgements, Range
from syncbot.impact.caching.kept_judgements import KeptJudgements, circumstances
from syncbot.impact.contract_findings import attributed_findings, findings
from syncbot.impact.trees import Trees
from syncbot.upstream.git_repository import GitRepository

from .conftest import Engine, TreesOf, begun, trees_followed_in
from .test_contract_cache import VERSIONS as UPSTREAM
from .test_contracts_of_changed_backends import VERSIONS as BACKEND

Files = Mapping[str, str]


class OnlyJudgements(Accelerator):
    """Keeps judgements in a folder, and nothing else; ``anew`` are the contracts that were judged."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.anew: list[Contract] = []

    def judgements(self, contracts: Sequence[Contract], pair: Comparison, ends: Range, /) -> Judgements:
        name = hashlib.sha256(repr((ends.old, ends.new, *circumstances(pair))).encode()).hexdigest()
        blobs = {module: blob for module, (_, blob) in pair.own_tree.modules.items()}
        kept = KeptJudgements(self._folder / "judgements" / f"{name}.msgpack", contracts, blobs)
        self.anew += [each for place, each in enumerate(contracts) if not kept.is_kept(place)]
        return kept


def _named(text: str) -> str:
    return text.replace("lib", "engine")


def _upstream(number: int) -> dict[str, str]:
    """Each module in one of its versions; one that has fewer in the last one that it has."""
    chosen = {path: texts[min(number, len(texts) - 1)] for path, texts in UPSTREAM.items()}
    return {_named(path): _named(text) for path, text in chosen.items() if text is not None}


def _state(path: str, text: str | None) -> Files:
    texts = {**{each: versions[0] for each, versions in BACKEND.items()}, path: text}
    return {each: _named(text) for each, text in texts.items() if text is not None}


Told = Callable[[Files, Accelerator | None], list[Finding]]
Asked = Callable[[Trees, str, str], list[tuple[Finding, str | None]]]


@pytest.fixture(scope="module", params=[2, 6])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """Return a function that finds what a backend loses from the first to the last state of an upstream.

    Without an accelerator the same backend is looked at once."""
    engine = begun(tmp_path_factory.mktemp("told") / "engine")
    engine.files = _upstream(0)
    engine.commit({})
    engine.files = _upstream(request.param)
    engine.commit({})
    plain: dict[tuple[tuple[str, str], ...], list[Finding]] = {}
    with GitRepository(engine.path / ".git") as repository:
        commits = repository.commits(engine.shas[0], engine.shas[-1])[::-1]

    with trees_followed_in(engine) as trees_of:

        def findings(files: Files, accelerator: Accelerator | None) -> list[Finding]:
            state = tuple(sorted(files.items()))
            if accelerator is None and state in plain:
                return plain[state]
            trees = trees_of(files)
            trees.accelerator = accelerator or Accelerator()
            found = attributed_findings(trees, engine.shas[0], engine.shas[-1], commits)
            result = [each.finding for each in found]
            if accelerator is None:
                plain[state] = result
            trees.repository.close()
            return result

        yield findings


@pytest.mark.long
@pytest.mark.parametrize("path", list(BACKEND))
def test_findings_are_the_same_where_one_file_changes(told: Told, tmp_path: Path, path: str) -> None:
    states = [_state(path, text) for text in BACKEND[path]]
    for state in (*states, states[0]):
        assert told(state, OnlyJudgements(tmp_path)) == told(state, None)


BASE = "def pair(a, b=1): ...\n\n\ndef other(a): ...\n\n\nclass Base:\n    def run(self, a): ...\n"
FILES = {
    "src/plugin/first.py": "from engine.base import pair\n\npair(1)\n",
    "src/plugin/second.py": "from engine.base import Base, other\n\nother(1)\n\n\nclass Own(Base): ...\n",
    "src/plugin/third.py": "from engine.base import pair\nfrom plugin.second import Own\n\nOwn().run(3)\npair(1)\n",
}


def _attributed(trees: Trees, old: str, new: str) -> list[tuple[Finding, str | None]]:
    commits = trees.repository.commits(old, new)[::-1]
    return [
        (each.finding, each.commit and each.commit.sha)
        for each in attributed_findings(trees, old, new, commits)
    ]


def _alone(trees: Trees, old: str, new: str) -> list[tuple[Finding, str | None]]:
    return [(finding, None) for finding in findings(trees, old, new)]


@pytest.mark.parametrize(("asked", "guilty"), [(_attributed, True), (_alone, False)])
@pytest.mark.parametrize(
    ("path", "text", "anew"),
    [
        ("src/plugin/first.py", FILES["src/plugin/first.py"], []),
        ("src/plugin/first.py", "from engine.base import pair\n\npair(2, 3)\n", ["src/plugin/first.py:3"]),
        (
            "src/plugin/second.py",
            f"{FILES['src/plugin/second.py']}\n\ndef more(): ...\n",
            ["src/plugin/third.py:4"],
        ),
    ],
)
def test_only_what_was_told_from_a_file_is_judged_again(
    engine: Engine,
    trees_of: TreesOf,
    tmp_path: Path,
    path: str,
    text: str,
    anew: list[str],
    asked: Asked,
    guilty: bool,
) -> None:
    engine.commit({"engine/base.py": BASE})
    engine.commit({"engine/base.py": BASE.replace("other(a)", "other(a, b)")})
    for files in (FILES, {**FILES, path: text}):
        trees = trees_of(files)
        trees.accelerator = accelerator = OnlyJudgements(tmp_path)
        found = asked(trees, *engine.shas)
        blamed = engine.shas[-1] if guilty else None
        assert [(finding.subject, commit) for finding, commit in found] == [("b", blamed)]
    broken = found[0][0].contract
    calls = {c for c in accelerator.anew if isinstance(c, CallContract)} - {broken}
    places = (call.place.location for call in calls)
    assert sorted(f"{place.file}:{place.line}" for place in places) == anew


def test_what_is_damaged_is_judged_again(told: Told, tmp_path: Path) -> None:
    state = _state("plugin/alone.py", BACKEND["plugin/alone.py"][0])
    first, again = OnlyJudgements(tmp_path), OnlyJudgements(tmp_path)
    found = told(state, first)
    for file in tmp_path.rglob("*.msgpack"):
        file.write_bytes(file.read_bytes()[:-3])
    assert told(state, again) == found
    assert again.anew == first.anew
