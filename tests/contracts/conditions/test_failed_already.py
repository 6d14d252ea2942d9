"""Code behind an import that fails with the old upstream already."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare, findings

OLD = {
    "lib/__init__.py": "",
    "lib/a.py": "def f(a, b): ...\ndef g(): ...\n",
    "lib/b.py": "",
    "lib/late.py": "",
}
NEW = {
    "lib/__init__.py": "",
    "lib/a.py": "def f(a): ...\ndef g(): ...\n",
    "lib/b.py": "",
    "lib/late.py": "def came(): ...\n",
}
INSIDE = "from lib.a import f\n{top}\ndef use():\n    {before}\n    f(1, 2)\n    {behind}\n{below}\n"


def plugin(top: str = "", before: str = "pass", behind: str = "pass", below: str = "") -> str:
    return INSIDE.format(top=top, before=before, behind=behind, below=below)


def verdicts(text: str) -> list[str]:
    return [row.split()[2] for row in compare(OLD, NEW, text) if " lib.a.f " in row]


@pytest.mark.parametrize(
    "text",
    [
        plugin(top="from lib.b import never"),
        plugin(top="import lib.never"),
        plugin(below="from lib.b import never"),
        plugin(before="from lib.b import never"),
        "from lib.b import never\nfrom lib.a import f\nf(1, 2)\n",
        "from lib.a import f\nclass C:\n    from lib.b import never\n    def m(self):\n        f(1, 2)\n",
    ],
)
def test_it_never_ran(text: str) -> None:
    assert verdicts(text) == ["at-risk"]


@pytest.mark.parametrize(
    "text",
    [
        plugin(),
        plugin(top="from lib.a import g"),
        plugin(top="from lib.late import came"),
        plugin(top="import other.never"),
        plugin(top="from lib.a import *"),
        plugin(top="try:\n    from lib.b import never\nexcept ImportError: ..."),
        plugin(top="if never:\n    from lib.b import never"),
        plugin(behind="from lib.b import never"),
        plugin(before="if g:\n        from lib.b import never"),
        "from lib.a import f\nf(1, 2)\nfrom lib.b import never\n",
        "from lib.a import f\ndef g():\n    from lib.b import never\ndef h():\n    f(1, 2)\n",
    ],
)
def test_it_may_have_run(text: str) -> None:
    assert verdicts(text) == ["breaks"]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("from lib.a import gone\nfrom lib.b import never\n", "at-risk"),
        ("from lib.b import never\nfrom lib.a import gone\n", "at-risk"),
        ("from lib.a import gone\nfrom lib.late import came\n", "breaks"),
        ("from lib.a import gone\ntry:\n    from lib.b import never\nexcept ImportError: ...\n", "breaks"),
    ],
)
def test_an_import_is_lost_with_another_one_of_its_block(text: str, verdict: str) -> None:
    old = OLD | {"lib/a.py": "def gone(): ...\n"}
    assert [row.split()[2] for row in compare(old, NEW, text) if " lib.a.gone " in row] == [verdict]


def test_what_upstream_imports_may_come_from_a_build() -> None:
    needing = {"lib/c.py": "import lib.built\n"}
    text = plugin(top="from lib.built import made")
    rows = compare(OLD | needing, NEW | needing, text)
    assert [row.split()[2] for row in rows if " lib.a.f " in row] == ["breaks"]


def test_another_distribution_may_have_the_rest_of_a_namespace() -> None:
    part = {"lib/space/x.py": ""}
    rows = compare(OLD | part, NEW | part, plugin(top="import lib.space.never"))
    assert [row.split()[2] for row in rows if " lib.a.f " in row] == ["breaks"]


@pytest.mark.parametrize(("own", "verdict"), [("fast/guards.py", "breaks"), ("fast/gates.py", "at-risk")])
def test_a_folder_that_is_laid_into_upstream_has_what_is_imported_from_there(own: str, verdict: str) -> None:
    use = plugin(top="from lib.fast.guards import never")
    found = compare(OLD, NEW, {own: "def never(): ...\n", "fast/__init__.py": "", "fast/use.py": use})
    assert [row.split()[2] for row in found if " lib.a.f " in row] == [verdict]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("gone, never", "at-risk"),
        ("(never,\n    gone)", "at-risk"),
        ("gone, kept", "breaks"),
        ("gone, came", "breaks"),
    ],
)
def test_a_statement_that_failed_for_another_of_its_names(names: str, expected: str) -> None:
    found = compare("kept = gone = 1\n", "kept = came = 1\n", f"from lib.a import {names}\n")
    assert [row.split()[2] for row in found if " lib.a.gone " in row] == [expected]


USE = "from lib.a import f\n\n\ndef test():\n    f(1, 2)\n"
FAILS = "from lib.b import never\n"


def of_tests(files: dict[str, str]) -> list[str]:
    return [row.split()[2] for row in compare(OLD, NEW, files) if " lib.a.f " in row]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"tests/test_a.py": "from tests.helpers import x\n" + USE, "tests/helpers.py": FAILS}, id="named"),
        pytest.param(
            {"tests/sub/test_a.py": "from ..helpers import x\n" + USE, "tests/helpers.py": FAILS,
             "tests/__init__.py": "", "tests/sub/__init__.py": ""}, id="from above",
        ),
        pytest.param(
            {"tests/test_a.py": "import tests.one\n" + USE, "tests/one.py": "from tests import two\n",
             "tests/two.py": "import tests.one\n" + FAILS}, id="one after the other, in a circle",
        ),
        pytest.param({"tests/sub/test_a.py": USE, "tests/conftest.py": FAILS}, id="read by pytest"),
        pytest.param(
            {
                "tests/test_a.py": "import tests.two\n" + USE,
                "tests/conftest.py": "import tests.one\n",
                "tests/one.py": "import tests.two\nimport tests.three\n",
                "tests/two.py": "import tests.one\n",
                "tests/three.py": FAILS,
            },
            id="behind a circle",
        ),
    ],
)  # fmt: skip
def test_a_test_behind_another_module_of_the_tests_that_fails(files: dict[str, str]) -> None:
    assert of_tests(files) == ["at-risk"]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"tests/test_a.py": "from tests.helpers import x\n" + USE, "tests/helpers.py": "x = 1\n"}, id="works"),
        pytest.param(
            {"tests/test_a.py": "from tests.helpers import x\n" + USE,
             "tests/helpers.py": "def x():\n    " + FAILS}, id="in a function",
        ),
        pytest.param(
            {"tests/test_a.py": "from tests.helpers import x\n" + USE,
             "tests/helpers.py": f"try:\n    {FAILS}except ImportError:\n    x = 1\n"}, id="caught",
        ),
        pytest.param({"tests/test_a.py": USE, "tests/sub/conftest.py": FAILS}, id="read for others"),
        pytest.param({"tests/test_a.py": USE, "tests/test_b.py": FAILS}, id="another test"),
        pytest.param({"plugin/use.py": "from plugin.helpers import x\n" + USE, "plugin/helpers.py": FAILS}, id="no test"),
        pytest.param({"tests/test_a.py": "from plugin.helpers import x\n" + USE, "plugin/helpers.py": FAILS},
                     id="a module of the plugin"),
        pytest.param(
            {"tests/test_a.py": "import tests.one\n" + USE, "tests/one.py": "import tests.two\n",
             "tests/two.py": "import tests.one\n"}, id="a circle",
        ),
    ],
)  # fmt: skip
def test_a_test_that_may_have_run(files: dict[str, str]) -> None:
    assert of_tests(files) == ["breaks"]


def test_the_import_that_failed_is_named() -> None:
    said = [
        f.reason for f in findings(OLD, NEW, plugin(top="from lib.b import never")) if f.symbol == "lib.a.f"
    ]
    why = "; an import before it fails with the old version already (lib.b.never)"
    assert said
    assert all(reason.endswith(why) for reason in said)


def test_the_module_of_the_tests_with_that_import_is_named() -> None:
    files = {
        "plugin/__init__.py": "",
        "tests/conftest.py": "from tests.helpers import made\n",
        "tests/helpers.py": "from lib.b import never\n",
        "tests/test_a.py": "from lib.a import f\n\n\ndef test():\n    f(1, 2)\n",
    }
    said = [
        f.reason for f in findings(OLD, NEW, files) if f.contract.place.location.file == "tests/test_a.py"
    ]
    why = "; an import before it fails with the old version already (lib.b.never in tests.helpers)"
    assert said
    assert all(reason.endswith(why) for reason in said)
