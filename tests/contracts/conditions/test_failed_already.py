"""Code behind an import that fails with the old upstream already."""

from __future__ import annotations

from tests.contracts.world import findings

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
