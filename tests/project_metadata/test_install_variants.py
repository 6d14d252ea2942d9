"""Requirements of a project that only some of its installs have."""

from __future__ import annotations

import pytest

from syncbot.project_metadata.install_variants import names_requirements, partly_required

COMMON = {"requirements/common.txt": "numpy\nOther>=1  # for all\n"}


@pytest.mark.parametrize(
    ("files", "partly"),
    [
        ({"requirements/cuda.txt": "-r common.txt\nSound_Lib==1.0\nnumpy<3\n", **COMMON}, {"sound-lib"}),
        (
            {
                "requirements/cuda.txt": "-r common.txt\nsound\n",
                "requirements/cpu.txt": "-r common.txt\n",
                "requirements/dev.txt": "-r test.txt\nlint\n",
                "requirements/test.txt": "sound\npytest\n",
                **COMMON,
            },
            {"sound"},
        ),
        ({"requirements-cuda.txt": "-r requirements.txt\nsound\n", "requirements.txt": "a\n"}, {"sound"}),
        ({"requirements/tests.txt": "pytest\n", **COMMON}, set()),
        ({"requirements/common.txt": "sound\n", "requirements/cuda.txt": "-r common.txt\nsound<2\n"}, set()),
        ({"pyproject.toml": "[project]\noptional-dependencies = {audio = ['sound>1']}\n"}, {"sound"}),
        (
            {"pyproject.toml": "[project]\ndependencies=['sound']\noptional-dependencies={a=['sound>1']}\n"},
            set(),
        ),
        ({"PKG-INFO": 'Requires-Dist: a\nRequires-Dist: sound; extra == "audio"\n'}, {"sound"}),
        ({"PKG-INFO": "Requires-Dist: sound\n", "requirements/cuda.txt": "-r common.txt\nsound\n"}, set()),
        ({"pyproject.toml": "][", "requirements/cuda.txt": "-r ../../x\n--index-url y\n://\n"}, set()),
    ],
)
def test_what_only_some_installs_have(files: dict[str, str], partly: set[str]) -> None:
    assert partly_required(files) == partly


def test_the_files_that_say_it() -> None:
    said = ("PKG-INFO", "pyproject.toml", "requirements.txt", "requirements/cuda.txt", "requirements-dev.in")
    assert all(map(names_requirements, said))
    assert not any(map(names_requirements, ("docs/requirements.txt", "lib/requirements.py", "setup.py")))
