"""A list with sources says what devices take against the documentation; everything else is refused."""

from __future__ import annotations

import ast
import re
import zipfile
from functools import cache
from pathlib import Path

import pytest
from torch_npu_sim.schemas import wheel
from torch_npu_sim.settings import variable
from torch_npu_sim.strictness import Exceptional, exceptions, tolerated
from torch_npu_sim.strictness import __main__ as command
from torch_npu_sim.strictness.document import DOCUMENTS
from torch_npu_sim.strictness.documented import OPERATORS, rows_of
from torch_npu_sim.strictness.excepted import EXCEPTED
from torch_npu_sim.strictness.left_out import left_out

from . import releases

REFERENCES = Path(__file__).parents[2] / "simulator/src/torch_npu_sim/references"
#: It stands among the references, and is none: it puts the rows of documents before the operators of strict runs.
HOLDS_TO_ROWS = "held_to_documents.py"
SOURCE = re.compile(r"torch_npu ([0-9.a-z]+), (torch_npu/\S+\.py)")


def test_what_is_tolerated_is_refused_where_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(variable("strict"), raising=False)
    assert tolerated("npu_scatter_pa_kv_cache", "strided caches")
    monkeypatch.setenv(variable("strict"), "1")
    assert not tolerated("npu_scatter_pa_kv_cache", "strided caches")
    monkeypatch.setenv(variable("strict"), "0")
    assert tolerated("npu_scatter_pa_kv_cache", "strided caches")


@pytest.mark.parametrize(
    ("operator", "what"),
    [("npu_rms_norm", "strided caches"), ("npu_scatter_pa_kv_cache", "strided keys"), ("", "")],
)
def test_what_no_entry_names_is_never_tolerated(
    operator: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable("strict"), raising=False)
    assert not tolerated(operator, what)


def test_every_entry_is_asked_for_by_a_reference() -> None:
    asked = {
        node.args[1].value
        for path in REFERENCES.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "tolerated"
        and isinstance(node.args[1], ast.Constant)
    }
    assert {entry.what for entry in exceptions()} <= asked


def asked_about() -> dict[str, list[ast.expr]]:
    """Return what each reference looks up in the file of exceptions: the second argument of its calls."""
    return {
        path.name: [
            node.args[1]
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "tolerated"
        ]
        for path in REFERENCES.glob("*.py")
        if path.name != HOLDS_TO_ROWS
    }


def test_no_reference_is_strict_by_itself() -> None:
    """The file says what strictness changes: references look up an entry by its name, and read no setting."""
    named = {entry.what for entry in exceptions()}
    for file, asked in asked_about().items():
        assert all(isinstance(what, ast.Constant) and what.value in named for what in asked), file
        text = (REFERENCES / file).read_text(encoding="utf-8")
        assert not re.search(r"environ|getenv|read_settings|\bstrictness\b|\.strict\b", _code(text)), file


def _code(text: str) -> str:
    """The text without docstrings and comments, which name the file."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(value=None)
    return ast.unparse(tree)


def test_no_two_entries_are_of_the_same() -> None:
    named = [(operator, entry.what) for entry in exceptions() for operator in entry.operators]
    assert len(named) == len(set(named))


@cache
def documentation(version: str, file: str) -> dict[str, str]:
    """Return the text that the wheel's documentation has for each operator."""
    with zipfile.ZipFile(releases.wheel(version)) as archive:
        tree = ast.parse(archive.read(file))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) == 2]
    return {
        ast.literal_eval(call.args[0]): ast.literal_eval(call.args[1])
        for call in calls
        if all(isinstance(argument, ast.Constant) for argument in call.args)
    }


# The wheel's file has backslashes that newer Pythons warn of.
@pytest.mark.filterwarnings("ignore:invalid escape sequence")
@pytest.mark.machine
@pytest.mark.parametrize("entry", exceptions(), ids=lambda entry: f"{entry.operators[0]}-{entry.what}")
def test_the_demand_stands_in_the_wheels_documentation(entry: Exceptional) -> None:
    found = SOURCE.fullmatch(entry.source)
    assert found is not None
    texts = documentation(*found.groups())
    for operator in entry.operators:
        assert entry.quote in texts[operator], operator


# The wheel's file has backslashes that newer Pythons warn of.
@pytest.mark.filterwarnings("ignore:invalid escape sequence")
@pytest.mark.machine
@pytest.mark.parametrize("operator", sorted(OPERATORS))
def test_every_row_stands_in_the_wheels_documentation(operator: str) -> None:
    documented = operator.partition(".")[0]
    for row in rows_of(operator):
        found = SOURCE.fullmatch(row.source)
        assert found is not None, row
        assert row.quote in documentation(*found.groups())[documented], row.name


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
@pytest.mark.machine
def test_every_sentence_that_may_demand_something_has_a_row_or_a_reason_for_none() -> None:
    source = wheel.from_wheel(releases.wheel("2.14.0"))
    whole = {operator.partition(".")[0]: 1 for operator in OPERATORS}
    counted = command._counted(whole, source, wheel.read(source))
    assert [(each.name, each.unread) for each in counted if each.unread] == []
    assert sum(each.sentences for each in counted) > 900


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
@pytest.mark.machine
def test_what_is_left_out_stands_in_the_documents() -> None:
    texts = documentation("2.14.0", DOCUMENTS)
    everything = {name: "".join(text.split()) for name, text in texts.items()}
    for entry in left_out():
        for quote in entry.quotes:
            of = entry.operators or everything
            assert any("".join(quote.split()) in everything[name] for name in of), (entry.operators, quote)


def test_every_exception_to_rows_says_who_does_it_and_why_it_is_believed() -> None:
    for entry in EXCEPTED:
        assert re.search(r"vllm-ascend \S+.*\(\S+\.py\)", entry.done_by), entry.what
        assert {row.name for row in rows_of(entry.operator)} >= set(entry.rows)
        assert entry.believed


@pytest.mark.machine
def test_operators_and_arguments_are_those_of_the_schemas() -> None:
    schemas = wheel.read(wheel.from_wheel(releases.wheel("2.13.0")))
    for entry in exceptions():
        for operator in entry.operators:
            names = set(re.findall(r"\w+(?==|,|\))", schemas[operator]))
            alike = {"actual_seq_lengths": "actual_seq_qlen", "actual_seq_lengths_kv": "actual_seq_kvlen"}
            assert all(a in names or alike.get(a) in names for a in entry.arguments), (operator, names)


@pytest.mark.machine
def test_plugins_that_are_named_do_it_in_that_file(tmp_path: Path) -> None:
    """The file is there."""
    named = set()
    for entry in exceptions():
        done = re.search(r"vllm-ascend(?:'s| (\S+))\b.*?\((\S+\.py)\)", entry.done_by)
        assert done is not None, entry.done_by
        named.add(done[2])
    root = releases.unpacked("0.30.0rc2", tmp_path, *named)
    assert [file for file in named if not (root / file).is_file()] == []
