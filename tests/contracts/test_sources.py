"""Which files belong to a backend, and as which modules."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from syncbot.contracts.source_files import read_backend
from syncbot.contracts.sources import Backend, SourceFile, in_memory, module_name
from syncbot.errors import UsageError


def make(root: Path, *paths: str) -> None:
    for path in paths:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"# {path}\n", encoding="utf-8")


def shown(backend: Backend) -> list[tuple[str, str, bool]]:
    return [(f.path, f.module, f.is_test) for f in backend.files]


def test_src_layout_with_tests(tmp_path: Path) -> None:
    make(tmp_path, "src/plugin/__init__.py", "src/plugin/a/b.py", "tests/test_a.py", "tests/ut/conftest.py",
         "setup.py", "docs/conf.py")  # fmt: skip
    assert shown(read_backend(tmp_path, ["src"], ["tests"])) == [
        ("src/plugin/__init__.py", "plugin", False),
        ("src/plugin/a/b.py", "plugin.a.b", False),
        ("tests/test_a.py", "tests.test_a", True),
        ("tests/ut/conftest.py", "tests.ut.conftest", True),
    ]


def test_folders_of_tests_that_are_sources_are_sources(tmp_path: Path) -> None:
    make(tmp_path, "examples/run.py", "tests/test_a.py", "setup.py")
    assert shown(read_backend(tmp_path, ["examples"], ["tests", "examples"])) == [
        ("examples/run.py", "run", False),
        ("tests/test_a.py", "tests.test_a", True),
    ]
    make(tmp_path, "examples/plugin/__init__.py")
    (tmp_path / "setup.py").write_text(
        "setup(packages=['plugin'], package_dir={'': 'examples'})\n", encoding="utf-8"
    )
    assert ("examples/plugin/__init__.py", "plugin", False) in shown(read_backend(tmp_path, [], ["examples"]))


def test_a_package_at_the_top_with_tests_beside_and_inside(tmp_path: Path) -> None:
    make(tmp_path, "plugin/__init__.py", "plugin/a.py", "plugin/tests/test_a.py", "tests/__init__.py")
    assert shown(read_backend(tmp_path, ["src"], ["tests", "plugin/tests"])) == [
        ("plugin/__init__.py", "plugin", False),
        ("plugin/a.py", "plugin.a", False),
        ("plugin/tests/test_a.py", "plugin.tests.test_a", True),
        ("tests/__init__.py", "tests", True),
    ]


def test_a_package_inside_others_keeps_its_whole_name(tmp_path: Path) -> None:
    make(tmp_path, "py/company/__init__.py", "py/company/llm/__init__.py", "py/company/llm/sub/a.py")
    here = tmp_path / "py/company/llm"
    assert [f.module for f in read_backend(here, [], []).files] == ["llm", "llm.sub.a"]
    (here / "sub/a.py").write_text("from company.llm import b\n", encoding="utf-8")
    named = [("__init__.py", "company.llm", False), ("sub/a.py", "company.llm.sub.a", False)]
    assert shown(read_backend(here, [], [])) == named
    assert shown(read_backend(tmp_path, ["py/company/llm"], [])) == [
        (f"py/company/llm/{path}", module, test) for path, module, test in named
    ]


def test_a_folder_that_is_a_package_is_read_as_a_whole(tmp_path: Path) -> None:
    make(tmp_path, "llm/__init__.py", "llm/patch.py", "llm/engine/__init__.py", "llm/serve/api/run.py")
    make(tmp_path, "llm/tests/test_a.py")
    assert shown(read_backend(tmp_path / "llm", [], ["tests"])) == [
        ("__init__.py", "llm", False),
        ("engine/__init__.py", "llm.engine", False),
        ("patch.py", "llm.patch", False),
        ("serve/api/run.py", "llm.serve.api.run", False),
        ("tests/test_a.py", "llm.tests.test_a", True),
    ]


def test_modules_beside_packages_count_where_nothing_is_built(tmp_path: Path) -> None:
    make(
        tmp_path, "model.py", "run_model.py", "conftest.py", "process/__init__.py", "tools/a.py", "test_a.py"
    )
    both = [("model.py", "model", False), ("process/__init__.py", "process", False)]
    assert shown(read_backend(tmp_path, [], [])) == [
        *both,
        ("run_model.py", "run_model", False),
        ("test_a.py", "test_a", True),
    ]
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    assert shown(read_backend(tmp_path, [], [])) == both[1:]
    (tmp_path / "pyproject.toml").unlink()
    assert shown(read_backend(tmp_path, ["process"], [])) == both[1:]


def test_modules_beside_packages_further_down(tmp_path: Path) -> None:
    make(tmp_path, "more/serving/model.py", "more/serving/process/__init__.py", "more/notes/a.py")
    assert shown(read_backend(tmp_path, [], [])) == [
        ("more/serving/model.py", "model", False),
        ("more/serving/process/__init__.py", "process", False),
    ]


def test_what_is_not_read_where_only_looks_tell(tmp_path: Path) -> None:
    make(tmp_path, "plugin/__init__.py", "examples/run.py", "docs/conf.py", "setup.py")
    for path in ("serve/run.py", "patch.py"):
        make(tmp_path, path)
        (tmp_path / path).write_text("import os\nif x:\n    from engine.a import b\n", encoding="utf-8")
    (tmp_path / "setup.py").write_text("", encoding="utf-8")
    names = frozenset({"os", "engine"})
    assert read_backend(tmp_path, [], []).apart == (("patch.py", names), ("serve/run.py", names))
    assert read_backend(tmp_path, ["plugin"], []).apart == ()
    (tmp_path / "pyproject.toml").write_text("[tool.setuptools]\npackages = ['plugin']\n", encoding="utf-8")
    assert read_backend(tmp_path, [], []).apart == ()


def test_modules_above_projects_do_not_count(tmp_path: Path) -> None:
    make(tmp_path, "script.py", "sub/plugin/__init__.py")
    (tmp_path / "sub/setup.py").write_text("", encoding="utf-8")
    assert shown(read_backend(tmp_path, [], [])) == [("sub/plugin/__init__.py", "plugin", False)]


def test_folders_of_modules_beside_projects_count_where_nothing_is_built(tmp_path: Path) -> None:
    make(
        tmp_path,
        "libs/client/client/__init__.py",
        "libs/client/test.py",
        "api/server.py",
        "api/engine/run.py",
    )
    make(tmp_path, "api/tests/a.py", "examples/b.py", "api/more/plugin/__init__.py", "web")
    for project in ("libs/client", "api/more"):
        (tmp_path / project / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    built = [
        ("api/more/plugin/__init__.py", "plugin", False),
        ("libs/client/client/__init__.py", "client", False),
    ]
    beside = [("api/engine/run.py", "api.engine.run", False), ("api/server.py", "api.server", False)]
    assert shown(read_backend(tmp_path, [], [])) == sorted(beside + built)
    assert read_backend(tmp_path, [], []).apart == (("libs/client/test.py", frozenset()),)
    (tmp_path / "pyproject.toml").write_text("[tool.syncbot]\nsources = ['libs']\n", encoding="utf-8")
    assert shown(read_backend(tmp_path, ["api/engine"], [])) == [("api/engine/run.py", "run", False)]


def test_folders_of_modules_beside_packages_count_where_nothing_is_built(tmp_path: Path) -> None:
    make(
        tmp_path, "plugin/__init__.py", "plugin/more/run.py", "serve/run.py", "serve/a_test.py", "docs/a/b.py"
    )
    make(tmp_path, "ci/one/run.py", "deep/folder/run.py", "serve/tests/c.py")
    package = [("plugin/__init__.py", "plugin", False), ("plugin/more/run.py", "plugin.more.run", False)]
    assert shown(read_backend(tmp_path, [], [])) == [
        ("ci/one/run.py", "one.run", False),
        ("deep/folder/run.py", "folder.run", False),
        *package,
        ("serve/a_test.py", "serve.a_test", True),
        ("serve/run.py", "serve.run", False),
    ]
    (tmp_path / "setup.py").write_text("", encoding="utf-8")
    assert shown(read_backend(tmp_path, [], [])) == package


def test_a_project_may_have_such_a_file_at_its_top(tmp_path: Path) -> None:
    make(tmp_path, "__init__.py", "plugin/__init__.py", "docs/conf.py")
    (tmp_path / "setup.py").write_text("", encoding="utf-8")
    assert shown(read_backend(tmp_path, [], [])) == [("plugin/__init__.py", "plugin", False)]


def test_sources_may_be_the_package_itself(tmp_path: Path) -> None:
    make(tmp_path, "py/plugin/__init__.py", "py/plugin/a.py", "other/__init__.py")
    assert shown(read_backend(tmp_path, ["py/plugin"], [])) == [
        ("py/plugin/__init__.py", "plugin", False),
        ("py/plugin/a.py", "plugin.a", False),
    ]


def test_a_source_folder_without_python_hides_no_package(tmp_path: Path) -> None:
    make(tmp_path, "src/lib.rs", "src/native/a.cpp", "plugin/__init__.py", "tests/test_a.py")
    assert shown(read_backend(tmp_path, ["src"], ["tests"])) == [
        ("plugin/__init__.py", "plugin", False),
        ("tests/test_a.py", "tests.test_a", True),
    ]
    make(tmp_path, "src/native/gen.py")
    paths = [f.path for f in read_backend(tmp_path, ["src"], []).files]
    assert paths == ["src/native/gen.py"]


def test_packages_below_other_folders(tmp_path: Path) -> None:
    make(tmp_path, "setup.py", "rust/lib.rs", "python/plugin/__init__.py", "python/plugin/sub/__init__.py",
         "docs/x/__init__.py", "build/lib/plugin/__init__.py", "ut/plugin/__init__.py")  # fmt: skip
    assert shown(read_backend(tmp_path, ["src"], ["ut"])) == [
        ("python/plugin/__init__.py", "plugin", False),
        ("python/plugin/sub/__init__.py", "plugin.sub", False),
        ("ut/plugin/__init__.py", "ut.plugin", True),
    ]


def test_projects_below_a_root_that_is_none(tmp_path: Path) -> None:
    make(tmp_path, "pyproject.toml", "scripts.py", "utils/__init__.py", "my-plugin/setup.py", "docs/x/setup.py",
         "my-plugin/plugin/__init__.py", "deep/er/pyproject.toml", "deep/er/src/inner/a.py")  # fmt: skip
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\n")
    (tmp_path / "deep/er/pyproject.toml").write_text("[project]\nname = 'inner'\n")
    assert shown(read_backend(tmp_path, [], [])) == [
        ("deep/er/src/inner/a.py", "inner.a", False),
        ("my-plugin/plugin/__init__.py", "plugin", False),
        ("utils/__init__.py", "utils", False),
    ]
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'whole'\n")
    assert shown(read_backend(tmp_path, [], [])) == [("utils/__init__.py", "utils", False)]


def test_a_copy_of_upstream_is_no_part_of_the_plugin(tmp_path: Path) -> None:
    make(tmp_path, "vllm/__init__.py", "vllm/core.py", "plugin/__init__.py", "tests/test_a.py")
    whole = read_backend(tmp_path, [], ["tests"])
    kept = whole.without_copies(["vllm"])
    assert [f.path for f in kept.files] == ["plugin/__init__.py", "tests/test_a.py"]
    assert kept.skipped == (("vllm/__init__.py", "upstream's own package vllm is no part of the plugin"),)
    assert whole.without_copies(["other"]) is whole
    with pytest.raises(UsageError, match=r"holds plugin, vllm itself and no plugin: name its folder"):
        whole.without_copies(["vllm", "plugin"])


def test_what_stands_in_a_namespace_of_upstreams_is_no_copy(tmp_path: Path) -> None:
    make(tmp_path, "src/engine/exporter/__init__.py")
    whole = read_backend(tmp_path, [], [])
    assert [f.module for f in whole.files] == ["engine.exporter"]
    assert whole.without_copies(["engine"]) is whole


@pytest.mark.parametrize(
    "text",
    [
        "from pkgutil import extend_path\n\n__path__ = extend_path(__path__, __name__)\n",
        "__import__('pkg_resources').declare_namespace(__name__)\n",
    ],
)
def test_a_package_that_says_that_others_share_its_name_is_no_copy(tmp_path: Path, text: str) -> None:
    make(tmp_path, "engine/__init__.py", "engine/extra.py", "engine/adapters/mine/__init__.py")
    (tmp_path / "engine/__init__.py").write_text(text)
    whole = read_backend(tmp_path, [], [])
    assert whole.without_copies(["engine"]) is whole


def test_modules_in_a_plain_folder_called_as_upstream_are_none_of_its(tmp_path: Path) -> None:
    make(tmp_path, "use.py", "engine/runner.py")
    whole = read_backend(tmp_path, [], [])
    assert [f.module for f in whole.files] == ["engine.runner", "use"]
    assert [f.module for f in whole.without_copies(["engine"]).files] == ["runner", "use"]
    assert whole.without_copies(["other"]) is whole


def test_what_sources_import_beside_them_counts_whatever_is_built(tmp_path: Path) -> None:
    make(
        tmp_path, "plugin/__init__.py", "models/deep/__init__.py", "shim.py", "other.py", "unused/__init__.py"
    )
    (tmp_path / "pyproject.toml").write_text(
        "[project]\nname = 'p'\n[tool.setuptools]\npackages = ['plugin']\n"
    )
    assert shown(read_backend(tmp_path, [], [])) == [("plugin/__init__.py", "plugin", False)]
    (tmp_path / "plugin/__init__.py").write_text("import os\nimport shim\n")
    (tmp_path / "shim.py").write_text("from models.deep import x\n")
    assert shown(read_backend(tmp_path, [], [])) == [
        ("models/deep/__init__.py", "models.deep", False),
        ("plugin/__init__.py", "plugin", False),
        ("shim.py", "shim", False),
    ]
    # Who names the sources means these.
    assert shown(read_backend(tmp_path, ["plugin"], [])) == [("plugin/__init__.py", "plugin", False)]


def test_packages_without_an_init_are_found_where_there_is_no_other(tmp_path: Path) -> None:
    make(tmp_path, "py/plugin/a.py", "docs/conf.py", "tests/test_a.py", "setup.py")
    assert shown(read_backend(tmp_path, [], [])) == [("py/plugin/a.py", "plugin.a", False)]
    make(tmp_path, "lib/other/__init__.py")
    assert shown(read_backend(tmp_path, [], [])) == [("lib/other/__init__.py", "other", False)]


def test_the_root_may_be_the_package(tmp_path: Path) -> None:
    root = tmp_path / "plugin"
    make(root, "__init__.py", "a.py")
    assert shown(read_backend(root, ["src"], [])) == [
        ("__init__.py", "plugin", False),
        ("a.py", "plugin.a", False),
    ]


def test_built_hidden_and_foreign_files_are_left_out(tmp_path: Path) -> None:
    make(tmp_path, "src/plugin/a.py", "src/build/lib/plugin/a.py", "src/.venv/x.py", "src/venv/y.py",
         "src/plugin/__pycache__/a.py", "src/plugin/notes.ipynb", "src/plugin/a.pyc", "src/plugin/py")  # fmt: skip
    assert [f.path for f in read_backend(tmp_path, ["src"], []).files] == ["src/plugin/a.py"]


def test_links_that_lead_in_a_circle_or_nowhere(tmp_path: Path) -> None:
    make(tmp_path, "src/plugin/a.py")
    folder = tmp_path / "src/plugin"
    (folder / "again").symlink_to(folder, target_is_directory=True)
    (folder / "loop.py").symlink_to(folder / "loop.py")
    (folder / "nowhere.py").symlink_to(folder / "missing")
    (folder / "same.py").symlink_to(folder / "a.py")
    os.mkfifo(folder / "pipe.py")
    assert [f.path for f in read_backend(tmp_path, ["src"], []).files] == [
        "src/plugin/a.py",
        "src/plugin/same.py",
    ]


def test_texts_are_bytes_and_known_by_gits_ids(tmp_path: Path) -> None:
    make(tmp_path, "src/plugin/a.py")
    text = b"\xef\xbb\xbfx = '\xff'\r\n"
    (tmp_path / "src/plugin/a.py").write_bytes(text)
    (file,) = read_backend(tmp_path, ["src"], []).files
    assert file.text == text
    by_git = subprocess.run(
        ["git", "hash-object", "--no-filters", "--stdin"], input=text, capture_output=True, check=True
    )
    assert file.blob == by_git.stdout.decode().strip()


def test_the_digest_is_that_of_paths_and_texts() -> None:
    one = in_memory({"plugin/a.py": "x = 1\n", "plugin/b.py": ""})
    assert one.digest == in_memory({"plugin/b.py": "", "plugin/a.py": "x = 1\n"}).digest
    assert one.digest != in_memory({"plugin/a.py": "x = 2\n", "plugin/b.py": ""}).digest
    assert one.digest != in_memory({"plugin/c.py": "x = 1\n", "plugin/b.py": ""}).digest
    assert one.packages == ("plugin",)


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("plugin/__init__.py", "plugin"),
        ("plugin/a/b.py", "plugin.a.b"),
        ("src/plugin/a.py", "plugin.a"),
        ("plugin/src/a.py", "plugin.src.a"),
        ("plugin/__init__/a.py", "plugin.__init__.a"),
        ("single.py", "single"),
    ],
)
def test_module_names(path: str, module: str) -> None:
    assert module_name(path) == module
    assert in_memory({path: ""}).files == (SourceFile(path, module, b"", False),)


def test_a_folder_without_python(tmp_path: Path) -> None:
    make(tmp_path, "README.md")
    with pytest.raises(UsageError, match="holds no Python package: name the backend's folder with --backend"):
        read_backend(tmp_path, ["src"], ["tests"])


def test_a_namespace_is_read_whole(tmp_path: Path) -> None:
    """Its own modules, and folders of it without ``__init__.py``, count beside the packages below."""
    for name in ("space/inner/__init__.py", "space/base.py", "space/more/a.py", "space/tests/b.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("from space.inner import x\n", encoding="utf-8")
    (tmp_path / "space/inner/__init__.py").write_text("import space.inner\n", encoding="utf-8")
    read = {f.path: f.module for f in read_backend(tmp_path, [], []).files}
    assert read == {
        "space/inner/__init__.py": "space.inner",
        "space/base.py": "space.base",
        "space/more/a.py": "space.more.a",
    }


def test_a_folder_that_no_module_names_is_no_namespace(tmp_path: Path) -> None:
    for name in ("python/plugin/__init__.py", "python/setup_helper.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("import plugin\n", encoding="utf-8")
    assert [f.module for f in read_backend(tmp_path, [], []).files] == ["plugin", "setup_helper"]


@pytest.mark.parametrize(
    ("text", "module"),
    [
        ("from engine.core import Base\n", "ext.engine.use"),
        ("    import engine.core.more\n", "ext.engine.use"),
        ("from engine.use import Base\n", "engine.use"),
        ("from .use import Base\n", "engine.use"),
        ("from engines.core import Base\n", "engine.use"),
    ],
)
def test_a_package_that_means_another_one_by_its_name_stands_in_a_namespace(
    tmp_path: Path, text: str, module: str
) -> None:
    make(tmp_path, "ext/engine/__init__.py", "ext/engine/use.py")
    (tmp_path / "ext/engine/use.py").write_text(text, encoding="utf-8")
    assert [f.module for f in read_backend(tmp_path, [], []).files if f.path.endswith("use.py")] == [module]
