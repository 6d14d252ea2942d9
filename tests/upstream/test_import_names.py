from __future__ import annotations

import pytest

from syncbot.upstream.import_names import import_names, is_distribution


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (("toy/__init__.py", "toy/a.py", "toy-1.dist-info/x.py", "PKG-INFO"), ("toy",)),
        (("src/toy/__init__.py", "tests/__init__.py", "setup.py", "docs/conf.py"), ("toy",)),
        (("python/toy/__init__.py", "csrc/gen.py"), ("toy",)),
        (("company/toy/a.py", "setup.py"), ("company",)),
        (("six.py", "setup.py", "conftest.py"), ("six",)),
        (("stub/__init__.pyi", "native.so"), ("stub",)),
        (("README.md", "setup.py", "a-b/x.py"), ()),
    ],
)
def test_import_names(paths: tuple[str, ...], names: tuple[str, ...]) -> None:
    assert import_names(paths) == names


def test_names_of_distributions() -> None:
    assert is_distribution("vllm")
    assert not is_distribution("../vllm")
    assert not is_distribution("ext::sh -c true")
