"""Cases in Markdown: what they mean, and that one which is wrong fails with a line that says why."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.contracts.cases.form import Case, Told
from tests.contracts.cases.form import cases as leaves
from tests.contracts.cases.judging import blessed, differences
from tests.sections import FormError

ROOT = Path(__file__).parents[2]
GONE = """\
# Functions
```diff file=lib/a.py
 def kept(): ...
-def f(): ...
```

## Called
```py file=plugin/ours.py
from lib import a

a.f()  # breaks: attribute-removed lib.a.f
```

## Not called
```py file=plugin/ours.py
from lib import a

a.kept()
```
"""


def cases(text: str) -> list[Case]:
    return [leaf.value for leaf in leaves(text)]


def problems(text: str) -> list[str]:
    return [line for case in cases(text) for line in differences(case)]


def test_a_section_has_the_files_of_those_around_it() -> None:
    called, kept = cases(GONE)
    assert [leaf.title for leaf in leaves(GONE)] == ["Called", "Not called"]
    assert called.old == kept.old == {"lib/a.py": "def kept(): ...\ndef f(): ...\n"}
    assert called.new == kept.new == {"lib/a.py": "def kept(): ...\n"}
    assert called.plugin == {"plugin/ours.py": "from lib import a\n\na.f()\n"}
    assert called.told == {Told("plugin/ours.py", 3, "breaks", "attribute-removed", "lib.a.f")}
    assert kept.told == set()
    assert problems(GONE) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param("a.kept()", "a.f()", "plugin/ours.py:3: told: breaks: attribute-removed lib.a.f", id="silent"),
        pytest.param(
            "a.f()  #", "a.kept()  #", "plugin/ours.py:3: not told: breaks: attribute-removed lib.a.f", id="expected"
        ),
        pytest.param(
            "\na.f()  #", "\n\na.kept()  #", "plugin/ours.py:4: not told: breaks: attribute-removed lib.a.f",
            id="the line",
        ),
    ],
)  # fmt: skip
def test_a_case_that_must_fail_does(before: str, after: str, expected: str) -> None:
    assert problems(GONE.replace(before, after)) == [expected]


@pytest.mark.parametrize("word", ["at-risk", "drift"])
def test_the_verdict_is_held(word: str) -> None:
    assert len(problems(GONE.replace("breaks", word))) == 2


@pytest.mark.parametrize(
    ("blocks", "old", "new"),
    [
        pytest.param("```py file=old/lib/a.py\nx = 1\n```", {"lib/a.py": "x = 1\n"}, {"lib/a.py": "x = 1\n"}, id="stays"),
        pytest.param("```py file=old/lib/a.py removed\nx = 1\n```", {"lib/a.py": "x = 1\n"}, {}, id="is removed"),
        pytest.param("```py file=new/lib/a.py\nx = 1\n```", {}, {"lib/a.py": "x = 1\n"}, id="is added"),
        pytest.param(
            "```py file=old/lib/a.py\nx = 1\ny = 2\n```\n## B\n```diff file=lib/a.py\n-y = 2\n+y = 3\n```",
            {"lib/a.py": "x = 1\ny = 2\n"}, {"lib/a.py": "x = 1\ny = 3\n"}, id="changes what is around",
        ),
        pytest.param(
            "```py file=old/lib/a.py\na\nb\nc\nd\n```\n## B\n```diff file=lib/a.py\n-a\n@@\n c\n+x\n```",
            {"lib/a.py": "a\nb\nc\nd\n"}, {"lib/a.py": "b\nc\nx\nd\n"}, id="changes in two places",
        ),
        pytest.param(
            "```diff file=lib/a.py\n-x\n+y\n```\n## B\n```py file=old/lib/a.py\nz\n```",
            {"lib/a.py": "z\n"}, {"lib/a.py": "z\n"}, id="is given again",
        ),
    ],
)  # fmt: skip
def test_two_versions_of_a_file(blocks: str, old: dict[str, str], new: dict[str, str]) -> None:
    (case,) = cases(f"# A\n```py file=plugin/a.py\nx\n```\n{blocks}\n")
    assert (case.old, case.new) == (old, new)


def test_comments_above_a_line_are_of_it_and_of_no_file() -> None:
    (case,) = cases("# A\n```py file=p/a.py\nx\n# breaks: a b c d\n# at-risk: e f\ny  # why\n```\n")
    assert case.plugin == {"p/a.py": "x\ny  # why\n"}
    assert case.told == {Told("p/a.py", 2, "breaks", "a", "b", "c d"), Told("p/a.py", 2, "at-risk", "e", "f")}


def test_a_configuration() -> None:
    (case,) = cases('# A\n```toml\ngate = "is_({version})"\nloaded = ["p.a"]\n```\n```py file=p/a.py\n```\n')
    assert (case.knowledge.gate, case.loaded) == ("is_({version})", ("p.a",))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("# A\n", "line 1: 'A' has no file of the plugin", id="no plugin"),
        pytest.param("```py file=p.py\n```\n", "line 1: a block stands below no heading", id="no heading"),
        pytest.param("# A\n```py\n```\n", "line 2: the block names no file", id="no file"),
        pytest.param("# A\n```py flie=p.py\n```\n", "line 2: 'flie=p.py' is unknown", id="a word"),
        pytest.param("# A\n```py file=p.py removed\n```\n", "line 2: 'removed' is for a file below old/", id="removed"),
        pytest.param("# A\n```py file=p.py\nx  # breaks: a\n```\n", "line 3: what is told is '# breaks: KIND", id="told"),
        pytest.param("# A\n```py file=p.py\nx\n# breaks: a b\n```\n", "line 5: no line is below", id="no line"),
        pytest.param("# A\n```diff file=l/a.py\nx\n```\n", "line 3: a line of a diff begins", id="a diff"),
        pytest.param(
            "# A\n```py file=old/l/a.py\nx\nx\n```\n## B\n```diff file=l/a.py\n-x\n```\n", "line 8: 2 places", id="a place"
        ),
        pytest.param("# A\n```toml\nother = 1\n```\n", "line 3: no configuration has other", id="unknown settings"),
        pytest.param("# A\n```toml\ngate = \n```\n", "line 3: the configuration cannot be read", id="no toml"),
        pytest.param("# A\n## B\n```py file=p.py\n```\n## B\n```py file=p.py\n```\n", "line 5: 'B' is there twice", id="twice"),
    ],
)  # fmt: skip
def test_what_is_not_in_its_form_is_told_in_a_line(text: str, problem: str) -> None:
    with pytest.raises(FormError) as caught:
        [case.told for case in cases(text)]
    assert str(caught.value).startswith(problem)


def test_blessing_writes_what_is_told() -> None:
    bare = GONE.replace("  # breaks: attribute-removed lib.a.f", "")
    assert blessed(bare) == GONE
    assert blessed(GONE.replace("a.f()  #", "a.kept()  #")) == GONE.replace(
        "a.f()  # breaks: attribute-removed lib.a.f", "a.kept()"
    )
    assert blessed(GONE) == GONE


def test_a_file_of_two_cases_that_tell_otherwise_is_not_blessed() -> None:
    text = "# A\n```py file=plugin/a.py\nimport lib.a\n```\n## B\n```py file=old/lib/a.py removed\n```\n## C\n```py file=old/lib/a.py\n```\n"
    with pytest.raises(FormError, match=r"line 3: 'C' needs plugin/a.py of its own"):
        blessed(text)


@pytest.mark.long
def test_what_the_commands_say(tmp_path: Path) -> None:
    good, bad, broken = (tmp_path / f"{name}.md" for name in ("good", "bad", "broken"))
    good.write_text(GONE)
    bad.write_text(GONE.replace("a.kept()", "a.f()"))
    broken.write_text("# A\n")

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", *map(str, arguments)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )

    tests = (
        "pytest",
        "-p",
        "tests.contracts.cases.conftest",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        tmp_path,
    )
    assert "2 passed" in run(*tests, "-v", good).stdout
    failed = run(*tests, bad, broken, "--continue-on-collection-errors").stdout
    assert f"{bad}:14: Not called\nplugin/ours.py:3: told: breaks: attribute-removed lib.a.f\n" in failed
    assert "broken.md: line 1: 'A' has no file of the plugin" in failed
    assert "1 failed, 1 passed, 1 error" in failed
    assert run("tests.contracts.cases", "--bless", good, bad).stdout == f"{bad}\n"
    assert "2 passed" in run(*tests, "-v", bad).stdout
    assert run("tests.contracts.cases", "--bless", broken).stderr.startswith(
        f"{broken}: line 1: 'A' has no file"
    )
