from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from syncbot.contracts.changes import NameDetails
from syncbot.contracts.source_files import read_backend
from syncbot.errors import ConfigurationError, EnvironmentFailure
from syncbot.impact.model import Ended, EngineState, Verdict
from syncbot.typecheck.checked_range import run
from syncbot.typecheck.model import Diagnostic, Finding, Job, TypecheckResult
from syncbot.typecheck.registry import _known, register
from syncbot.upstream.commit_range import between
from syncbot.upstream.git_command import Access
from syncbot.upstream.git_repository import GitRepository

from .conftest import Upstream

pytestmark = pytest.mark.long

WORKER = """
from up.worker import Worker


class Mine(Worker):
    def start(self) -> None:
        print(self.block_size)

    def execute(self, batch: list[int]) -> int:
        return 0
"""


def test_a_moved_module_is_one_impact_on_the_line_that_imports_it(upstream: Upstream) -> None:
    upstream.noise(2)
    upstream.files["up/strings.py"] = upstream.files.pop("up/tools/text.py")
    guilty = upstream.commit("Move text")
    upstream.noise(2)
    [impact] = upstream.impacts("from up.tools.text import clean\n\nclean('x')\n")
    assert (impact.commit, impact.kind, impact.symbol) == (guilty, "module-moved", "up.tools.text")
    assert impact.verdict is Verdict.BREAKS
    assert impact.engines == ("pyrefly", "ty")
    assert [(place.file, place.line) for place in impact.locations] == [("plugin/main.py", 1)]
    assert impact.details == NameDetails(old=impact.symbol, new="up.strings")


def test_a_removed_function_names_where_it_went(upstream: Upstream) -> None:
    upstream.noise()
    text = upstream.files["up/tools/text.py"]
    upstream.files["up/tools/text.py"] = text.replace("LIMIT = 3\n", "")
    upstream.files["up/config.py"] += "\nLIMIT = 3\n"
    guilty = upstream.commit("Move LIMIT")
    [impact] = upstream.impacts("from up.tools.text import LIMIT\n\nprint(LIMIT)\n")
    assert (impact.commit, impact.kind, impact.symbol) == (guilty, "symbol-moved", "up.tools.text.LIMIT")
    assert impact.details == NameDetails(old=impact.symbol, new="up.config.LIMIT")
    assert "-LIMIT = 3" in impact.upstream_hunk


def test_an_attribute_removed_from_a_base_class(upstream: Upstream) -> None:
    upstream.noise()
    guilty = upstream.change("up/worker.py", "        self.block_size = config.size\n", "")
    [impact] = upstream.impacts(WORKER)
    assert (impact.commit, impact.kind) == (guilty, "attribute-removed")
    assert impact.symbol == "up.worker.Worker.block_size"
    assert impact.verdict is Verdict.BREAKS


def test_an_attribute_hidden_by_a_base_outside_the_trees(upstream: Upstream) -> None:
    guilty = upstream.change("up/worker.py", "def reshape(", "def view(")
    source = (
        "from up.worker import Layer\n\n\nclass Mine(Layer):\n    def run(self):\n        self.reshape(1)\n"
    )
    [impact] = upstream.impacts(source)
    assert (impact.commit, impact.symbol) == (guilty, "up.worker.Layer.reshape")


def test_an_override_that_did_not_fit_before_is_not_told_for_a_parameter_that_moved(
    upstream: Upstream,
) -> None:
    old = "def execute(self, batch: list[int]"
    assert old in upstream.files["up/worker.py"]
    upstream.change("up/worker.py", old, f"{old}, fast: bool, mode: int")
    upstream.shas[:] = upstream.shas[-1:]
    upstream.change("up/worker.py", "fast: bool, mode: int", "mode: int")
    assert upstream.impacts(WORKER) == []


def test_a_removed_and_a_new_required_parameter(upstream: Upstream) -> None:
    removed = upstream.change("up/tools/text.py", "text: str, strict: bool = False", "text: str")
    added = upstream.change("up/tools/text.py", "def split(text: str)", "def split(text: str, sep: str)")
    impacts = upstream.impacts(
        "from up.tools.text import clean, split\n\nclean('x', strict=True)\nsplit('y')\n"
    )
    assert {(i.commit, i.kind, i.symbol, i.details.subject) for i in impacts} == {
        (removed, "parameter-removed", "up.tools.text.clean", "strict"),
        (added, "parameter-required", "up.tools.text.split", "sep"),
    }
    assert all(impact.verdict is Verdict.BREAKS for impact in impacts)


def test_a_parameter_inserted_before_others(upstream: Upstream) -> None:
    guilty = upstream.change(
        "up/tools/text.py", "def clean(text: str,", "def clean(language: int, text: str,"
    )
    impacts = upstream.impacts("from up.tools.text import clean\n\nclean('x')\n")
    assert {impact.commit for impact in impacts} == {guilty}
    required = next(impact for impact in impacts if impact.kind == "parameter-required")
    assert "language" in required.message


def test_an_override_breaks_once_callers_pass_the_new_parameter(upstream: Upstream) -> None:
    added = upstream.change("up/worker.py", "batch: list[int])", "batch: list[int], dry: bool = False)")
    before = upstream.impacts(WORKER)
    assert [(i.commit, i.kind, i.verdict) for i in before] == [(added, "parameter-added", Verdict.AT_RISK)]
    upstream.change("up/worker.py", "worker.execute([1])", "worker.execute([1], dry=True)")
    [after] = upstream.impacts(WORKER)
    assert (after.commit, after.verdict) == (added, Verdict.BREAKS)
    assert "up.worker passes dry to up.worker.Worker.execute" in after.message


FITTING = WORKER.replace("batch: list[int]) -> int", "batch: list[int], size: int) -> int")
WIDE = "def execute(self, batch: list[int], size: int) -> int"


def test_what_an_override_requires_is_held_against_the_calls_that_are_made(upstream: Upstream) -> None:
    text = upstream.files["up/worker.py"].replace("execute([1])", "execute([1], 2)")
    upstream.files["up/worker.py"] = text.replace("def execute(self, batch: list[int]) -> int", WIDE)
    upstream.commit("Pass a size")
    upstream.shas[:] = upstream.shas[-1:]
    upstream.change("up/worker.py", "size: int)", "count: int, fast: bool = False)")
    assert [i for i in upstream.impacts(FITTING) if i.verdict is Verdict.BREAKS] == []
    guilty = upstream.change("up/worker.py", "execute([1], 2)", "execute([1], count=2)")
    assert [(i.verdict, i.kind) for i in upstream.impacts(FITTING)] == [(Verdict.BREAKS, "parameter-renamed")]
    assert guilty in upstream.shas
    open_ended = FITTING.replace("size: int) -> int", "size: int = 0, **more: object) -> int")
    assert [i for i in upstream.impacts(open_ended) if i.verdict is Verdict.BREAKS] == []


def test_a_parameter_that_only_an_overridden_caller_leaves_out(upstream: Upstream) -> None:
    text = upstream.files["up/worker.py"].replace("execute([1])", "execute([1], 2)")
    text = text.replace("def execute(self, batch: list[int]) -> int", WIDE)
    caller = "\n    def cycle(self) -> None:\n        self.execute([1], 2)\n\n\nclass Layer"
    upstream.files["up/worker.py"] = text.replace("\n\nclass Layer", caller).replace(
        "    worker.execute([1], 2)\n", ""
    )
    upstream.commit("Pass a size")
    upstream.shas[:] = upstream.shas[-1:]
    text = upstream.files["up/worker.py"]
    upstream.files["up/worker.py"] = text.replace(", size: int)", ")").replace("([1], 2)", "([1])")
    upstream.commit("Lose the size")
    [told] = upstream.impacts(FITTING)
    assert (told.kind, told.verdict) == ("parameter-removed", Verdict.BREAKS)
    own_cycle = FITTING + "\n    def cycle(self) -> None:\n        self.execute([1], 2)\n"
    [doubted] = upstream.impacts(own_cycle)
    assert (doubted.kind, doubted.verdict) == ("parameter-removed", Verdict.AT_RISK)


def test_a_call_that_reaches_what_the_backend_put_in_place(upstream: Upstream) -> None:
    source = (
        "from up.worker import Worker\n\n\ndef own(self, batch: list[int]) -> int:\n    return 0\n\n\n"
        "{}\n\n\ndef go(worker: Worker) -> None:\n    worker.execute(\n        [1]\n    )\n"
    )
    upstream.change("up/worker.py", "batch: list[int])", "batch: list[int], dry: bool)")
    called = [i for i in upstream.impacts(source.format("own")) if i.kind == "parameter-required"]
    assert [place.line for impact in called for place in impact.locations] == [12]
    replaced = upstream.impacts(source.format("Worker.execute = own"))
    assert [i for i in replaced if any(place.line > 9 for place in i.locations)] == []


@pytest.mark.parametrize(("passed", "kinds"), [("count", set()), ("names", {"parameter-reordered"})])
def test_an_argument_that_was_written_for_the_new_order(
    upstream: Upstream, passed: str, kinds: set[str]
) -> None:
    upstream.files["up/tools/text.py"] += "\n\ndef cut(text: str, names: list[str], count: int = 0): ...\n"
    upstream.commit("Add cut")
    upstream.shas[:] = upstream.shas[-1:]
    upstream.change("up/tools/text.py", "names: list[str], count: int = 0", "count: int, names: int = 0")
    source = f"from up.tools.text import cut\n\n\ndef go({passed}: str):\n    cut('a', {passed})\n"
    assert {i.kind for i in upstream.impacts(source) if i.verdict is Verdict.BREAKS} == kinds


@pytest.mark.parametrize(
    ("made", "verdict"),
    [("Mine(Config())", Verdict.AT_RISK), ("Worker", Verdict.BREAKS), ("", Verdict.BREAKS)],
)
def test_an_attribute_that_the_backend_makes_an_object_of_its_own(
    upstream: Upstream, made: str, verdict: Verdict
) -> None:
    upstream.files["up/worker.py"] += (
        "\n\nclass Runner:\n    def __init__(self, worker: Worker):\n        self.worker = worker\n"
    )
    upstream.commit("Add a runner")
    upstream.shas[:] = upstream.shas[-1:]
    upstream.change("up/worker.py", "def execute(", "def run_batch(")
    setting = f"        self.worker = {made}  # type: ignore\n" if made else "        pass\n"
    source = (
        "from up.config import Config\nfrom up.worker import Runner, Worker\n\n\n"
        "class Mine:\n    def __init__(self, config: Config): ...\n\n    def execute(self, batch): ...\n\n\n"
        f"class Own(Runner):\n    def set(self):\n{setting}\n\n"
        "def go(runner: Runner):\n    runner.worker.execute([1])\n"
    )
    assert {i.verdict for i in upstream.impacts(source) if "execute" in i.symbol} == {verdict}


def test_a_method_that_is_not_there_to_be_called(upstream: Upstream) -> None:
    stub = WORKER.replace("return 0", "raise NotImplementedError")
    upstream.change("up/worker.py", "batch: list[int])", "batch: list[int], dry: bool = False)")
    upstream.change("up/worker.py", "worker.execute([1])", "worker.execute([1], dry=True)")
    assert upstream.impacts(stub) == []


def test_what_came_through_a_lost_base_is_told_at_its_import(upstream: Upstream) -> None:
    upstream.files["up/worker.py"] += "\n\nclass Fast(Worker):\n    pass\n"
    upstream.commit("Add a class")
    upstream.shas[:] = upstream.shas[-1:]
    upstream.change("up/worker.py", "class Fast(Worker):\n    pass\n", "")
    source = WORKER.replace("import Worker", "import Fast").replace("(Worker)", "(Fast)")
    assert [(i.kind, i.symbol) for i in upstream.impacts(source)] == [("symbol-removed", "up.worker.Fast")]


def test_an_override_that_was_wrong_before_is_reported_for_what_is_new_only(upstream: Upstream) -> None:
    source = WORKER.replace("batch: list[int]) -> int", "batch: list[int], extra: int) -> int")
    guilty = upstream.change("up/worker.py", "batch: list[int])", "batch: list[int], dry: bool = False)")
    [impact] = upstream.impacts(source)
    assert impact.commit == guilty
    assert "dry" in impact.message
    assert "extra" not in impact.message


def test_a_new_abstract_method(upstream: Upstream) -> None:
    upstream.noise()
    guilty = upstream.change(
        "up/worker.py",
        "    def execute",
        "    @abstractmethod\n    def stop(self) -> None: ...\n\n    def execute",
    )
    [impact] = upstream.impacts(WORKER)
    assert (impact.commit, impact.kind) == (guilty, "abstract-method-added")
    assert impact.symbol == "up.worker.Worker.stop"


def test_a_tuple_of_another_size(upstream: Upstream) -> None:
    upstream.noise(3)
    upstream.files["up/tools/text.py"] = upstream.files["up/tools/text.py"].replace(
        "tuple[str, str]:\n    return text, text", "tuple[str, str, int]:\n    return text, text, 1"
    )
    guilty = upstream.commit("Return more")
    upstream.noise(3)
    [impact] = upstream.impacts("from up.tools.text import split\n\nhead, tail = split('a')\n")
    assert (impact.commit, impact.kind) == (guilty, "return-shape-changed")
    assert impact.symbol == "up.tools.text.split"


NOTHING = WORKER.replace("-> int:\n        return 0", "-> None:\n        print(batch)")


def test_an_override_that_returns_nothing_where_something_is_asked_for_now(upstream: Upstream) -> None:
    upstream.change("up/worker.py", "-> int:\n        return len(batch)", "-> None:\n        print(batch)")
    upstream.shas[:] = upstream.shas[-1:]
    upstream.noise()
    guilty = upstream.change("up/worker.py", "-> None:\n        print(batch)", "-> int:\n        return 1")
    [impact] = upstream.impacts(NOTHING)
    assert (impact.commit, impact.kind) == (guilty, "return-shape-changed")
    assert impact.verdict is Verdict.BREAKS


def test_an_override_that_returned_nothing_where_something_was_asked_for_before(upstream: Upstream) -> None:
    upstream.change(
        "up/worker.py", "-> int:\n        return len(batch)", "-> list[int]:\n        return batch"
    )
    assert upstream.impacts(NOTHING) == []


def test_a_replaced_function_that_upstream_no_longer_has(upstream: Upstream) -> None:
    guilty = upstream.change("up/tools/text.py", "def clean(", "def tidy(")
    source = "from up.tools import text\n\n\ndef mine(text, strict=False): ...\n\n\ntext.clean = mine\n"
    [impact] = upstream.impacts(source)
    assert (impact.commit, impact.kind) == (guilty, "patch-target-removed")


def test_decorators_of_packages_that_are_not_installed_hide_nothing(upstream: Upstream) -> None:
    upstream.change("up/worker.py", "    def execute", "    @absent.mode()\n    def execute")
    upstream.shas[:] = upstream.shas[-1:]
    guilty = upstream.change("up/worker.py", "batch: list[int])", "batch: list[int], *, dry: bool)")
    source = "from up.worker import Worker\n\n\ndef go(worker: Worker) -> None:\n    worker.execute([1])\n"
    [impact] = upstream.impacts(source)
    assert (impact.commit, impact.kind) == (guilty, "parameter-required")


def test_what_was_broken_and_healed_within_the_range_is_not_reported(upstream: Upstream) -> None:
    upstream.change("up/tools/text.py", "def clean(", "def tidy(")
    upstream.change("up/tools/text.py", "def tidy(", "def clean(")
    assert upstream.impacts("from up.tools.text import clean\n\nclean('x')\n") == []


def test_the_last_of_two_breaks_of_one_line_is_guilty(upstream: Upstream) -> None:
    upstream.change("up/tools/text.py", "def clean(", "def tidy(")
    upstream.change("up/tools/text.py", "def tidy(", "def clean(")
    guilty = upstream.change("up/tools/text.py", "def clean(", "def scrub(")
    [impact] = upstream.impacts("from up.tools.text import clean\n\nclean('x')\n")
    assert impact.commit == guilty


@pytest.mark.parametrize(
    "source",
    [
        "from up.tools.text import split\n\nhead, tail = split('a')\n",
        "import third_party\n\nthird_party.anything(1)\n",
        "def is_version(text): ...\n\n\nif is_version('1.2.0'):\n    from up.tools.text import clean\n",
    ],
    ids=["unrelated", "third party", "older version only"],
)
def test_what_does_not_concern_the_backend_is_not_reported(upstream: Upstream, source: str) -> None:
    upstream.change("up/tools/text.py", "def clean(", "def tidy(")
    assert upstream.impacts(source) == []


def test_a_caught_import_is_at_risk(upstream: Upstream) -> None:
    upstream.change("up/tools/text.py", "def clean(", "def tidy(")
    source = "try:\n    from up.tools.text import clean\nexcept ImportError:\n    clean = None\n"
    [impact] = upstream.impacts(source)
    assert impact.verdict is Verdict.AT_RISK
    assert "caught" in impact.message


def test_suppressions_and_settings_of_the_backend_change_nothing(upstream: Upstream) -> None:
    upstream.change("up/tools/text.py", "def clean(", "def tidy(")
    upstream.write_backend(
        {
            "pyproject.toml": "[tool.pyrefly]\nproject-excludes = ['**']\n[tool.ty.src]\nexclude = ['**']\n",
            "pyrefly.toml": "[errors]\nmissing-module-attribute = false\n",
            ".gitignore": "*\n",
        }
    )
    source = (
        "# pyrefly: ignore-errors\nfrom up.tools.text import clean  # type: ignore  # noqa\n\nclean('x')\n"
    )
    [impact] = upstream.impacts(source)
    assert impact.symbol == "up.tools.text.clean"


def test_tests_are_reported_apart(upstream: Upstream) -> None:
    upstream.change("up/tools/text.py", "def clean(", "def tidy(")
    source = "from up.tools.text import clean\n\nclean('x')\n"
    upstream.write_backend({"tests/test_it.py": source})
    impacts = upstream.impacts(source)
    assert {(i.tests_only, i.locations[0].file) for i in impacts} == {
        (False, "plugin/main.py"),
        (True, "tests/test_it.py"),
    }


def test_the_same_check_again_gives_the_same_from_the_cache(upstream: Upstream) -> None:
    upstream.change("up/tools/text.py", "def clean(", "def tidy(")
    first = upstream.impacts("from up.tools.text import clean\n\nclean('x')\n")
    again = upstream.check()
    assert list(again.impacts) == first


def test_an_upstream_that_is_one_file_broken_by_syntax_is_no_failure(upstream: Upstream) -> None:
    upstream.change("up/tools/text.py", "def clean(", "def clean((")
    result = upstream.impacts("from up.config import Config\n\nConfig(size=2)\n")
    assert result == []


class Absent:
    """An engine whose program nobody has."""

    name = "absent-checker"
    memory = 1

    def version(self) -> str | None:
        return None

    def diagnostics(self, job: Job) -> frozenset[Diagnostic]:
        raise AssertionError(job)

    def read(self, diagnostic: Diagnostic) -> Finding | None:
        raise AssertionError(diagnostic)


def test_an_engine_that_is_not_installed_is_listed_and_the_others_work(upstream: Upstream) -> None:
    upstream.change("up/tools/text.py", "def clean(", "def tidy(")
    upstream.write_backend({"plugin/__init__.py": "from up.tools.text import clean\n"})
    register(Absent())
    try:
        alone = upstream.check(("absent-checker",))
        result = upstream.check(("absent-checker", "ty"))
    finally:
        del _known["absent-checker"]
    assert alone.impacts == ()
    assert [(e.name, e.state) for e in alone.engines] == [("absent-checker", Ended.NOT_INSTALLED)]
    assert [i.engines for i in result.impacts] == [("ty",)]
    assert result.engines == (*alone.engines, EngineState("ty", Ended.FINISHED))


class Unsteady:
    """An engine that says what ty says, and gives up after so many runs."""

    name = "unsteady-checker"
    memory = 1

    def __init__(self, most: int) -> None:
        self._most = self._left = most

    def version(self) -> str | None:
        return f"1.{self._most}"

    def diagnostics(self, job: Job) -> frozenset[Diagnostic]:
        self._left -= 1
        if self._left < 0:
            raise EnvironmentFailure("unsteady-checker did not end")
        return _known["ty"].diagnostics(job)

    def read(self, diagnostic: Diagnostic) -> Finding | None:
        found = _known["ty"].read(diagnostic)
        return replace(found, engine=self.name) if found is not None else None


def unsteady(upstream: Upstream, most: int) -> TypecheckResult:
    register(Unsteady(most))
    try:
        return upstream.check(("unsteady-checker", "ty"))
    finally:
        del _known["unsteady-checker"]


@pytest.mark.parametrize("most", [0, 1, 2])
def test_an_engine_that_cannot_finish_has_no_part_in_the_answer_and_is_told(
    upstream: Upstream, most: int
) -> None:
    """Whether it gives up at an end of the range or when it is asked for the guilty commit."""
    upstream.noise(2)
    upstream.change("up/tools/text.py", "strict: bool", "*, strict: bool")
    upstream.noise(3)
    source = "from up.tools.text import clean\n\nclean('x', True)\n"
    upstream.write_backend({"plugin/__init__.py": "", "plugin/main.py": source})
    alone = upstream.check(("ty",))
    assert alone.impacts
    result = unsteady(upstream, most)
    assert result.engines == (
        EngineState("unsteady-checker", Ended.INCOMPLETE, "unsteady-checker did not end"),
        EngineState("ty", Ended.FINISHED),
    )
    assert result.impacts == alone.impacts
    # It is asked again, since nothing of a part is kept as the answer.
    whole = unsteady(upstream, 99)
    assert {engine.state for engine in whole.engines} == {Ended.FINISHED}
    assert {impact.engines for impact in whole.impacts} == {("ty", "unsteady-checker")}


def test_releases_without_parents_are_a_line_of_commits(upstream: Upstream) -> None:
    """Releases of an index are commits without parents, put into a line by replacements (git-replace)."""
    upstream.noise(1)
    upstream.change("up/tools/text.py", "def clean(", "def tidy(")
    upstream.noise(2)
    upstream.write_backend({"plugin/__init__.py": "", "plugin/main.py": "from up.tools.text import clean\n"})
    (expected,) = upstream.check().impacts
    trees = [upstream.git("rev-parse", f"{sha}^{{tree}}") for sha in upstream.shas]
    orphans = [upstream.git("commit-tree", tree, "-m", f"up {n}") for n, tree in enumerate(trees)]
    for parent, child in pairwise(orphans):
        upstream.git("replace", "--graft", child, parent)
    upstream.shas[:] = orphans
    with GitRepository(upstream.path / ".git", Access.OWN) as repository:
        span = between(repository, orphans[0], orphans[-1])
        own = read_backend(upstream.backend, ("plugin",), ("tests",))
        result = run(own, repository, span, upstream.cache)
    assert len(span.commits) == 4
    assert (result.unattributed, result.unfinished) == ((), ())
    (impact,) = result.impacts
    assert (impact.commit, impact.symbol, impact.engines) == (orphans[2], expected.symbol, expected.engines)


def test_an_unknown_engine_is_a_configuration_error(upstream: Upstream) -> None:
    upstream.write_backend({"plugin/__init__.py": ""})
    with pytest.raises(ConfigurationError, match="pyrefly, ty"):
        upstream.check(("pyrefyl",))
