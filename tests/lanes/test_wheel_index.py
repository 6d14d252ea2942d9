"""``syncbot build``: a folder of wheels that a real pip takes as an index, beside each installed upstream."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

import pip
import pytest
from click.testing import CliRunner
from hatchling.builders.wheel import WheelBuilder

from syncbot.cli import main
from syncbot.errors import EnvironmentFailure
from syncbot.lanes.wheel_index import write_index
from tests.project_texts import hatchling, settings, write

from .conftest import Project

pytestmark = pytest.mark.machine

CONFIG = settings("vllm", 'release = "vllm"', "ascend_backend")
BACKEND = hatchling("ascend-backend", "0")
MATRIX = """\
upstream: vllm
baseline: v0.32.0
lanes:
  - {tag: v0.32.0, wheel: 0.32.0, python: ">=3.11,<4"}
  - {tag: v0.28.0, wheel: 0.28.0.post1, python: ">=3.10,<4"}
"""


def built(folder: Path, name: str, version: str, destination: Path) -> Path:
    """The wheel of an empty distribution, built by hatchling."""
    module = name.replace("-", "_")
    write(
        folder,
        {
            "pyproject.toml": f'[project]\nname = "{name}"\nversion = "{version}"\n',
            f"src/{module}/__init__.py": "",
        },
    )
    (made,) = WheelBuilder(str(folder)).build(directory=str(destination), versions=["standard"])
    return Path(made)


@dataclass(frozen=True)
class Site:
    """An upstream's index, our index, and an environment with one upstream in it."""

    root: Path
    python: Path

    @property
    def dist(self) -> Path:
        return self.root / "dist"

    def pip(self, *arguments: str) -> None:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PIP_")}
        environment |= {"PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        # As ``pip --python`` starts it there, which takes as long again to come so far.
        line = [self.python, Path(pip.__file__).with_name("__pip-runner__.py"), *arguments]
        done = subprocess.run(line, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr

    def install(self, *arguments: str) -> dict[str, str]:
        """``pip install``, with nothing but the two indexes; what is installed then."""
        indexes = ["--index-url", (self.root / "index/simple").as_uri()]
        self.pip("install", *indexes, *arguments)
        return self.installed()

    def installed(self) -> dict[str, str]:
        (packages,) = self.python.parents[1].glob("lib/*/site-packages")
        return {each.metadata["Name"]: each.version for each in distributions(path=[str(packages)])}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built once: ``dist`` by syncbot, and ``index`` with the two upstreams that anyone could install."""
    root = tmp_path_factory.mktemp("shelf")
    write(root, {"pyproject.toml": CONFIG, "compat_matrix.yaml": MATRIX})
    write(root / "backend", {"pyproject.toml": BACKEND, "src/ascend_backend/__init__.py": ""})
    result = build(root, root / "dist")
    assert result[0] == 0, result
    for version in ("0.28.0", "0.32.0"):
        built(root / f"vllm-{version}", "vllm", version, root / "index")
    write_index(root / "index")
    return root


def build(root: Path, output: Path, *arguments: str) -> tuple[int, str]:
    chosen = arguments or ("--all",)
    done = CliRunner().invoke(main, ["build", *chosen, "--backend", str(root), "--output", str(output)])
    return done.exit_code, done.output


@pytest.fixture(scope="module", params=["0.28.0", "0.32.0", "0.28.0+empty"])
def environment(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with that upstream, to be copied; one was built from sources and has a local version."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder / "venv", with_pip=False)
    wheel = built(folder / "upstream", "vllm", request.param, folder / "wheels")
    # By uv, which needs a tenth of pip's time: how it came there does not matter.
    uv = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-config", "--no-index"]
    subprocess.run([*uv, "--python", folder / "venv/bin/python", wheel], check=True)
    assert Site(folder, folder / "venv/bin/python").installed() == {"vllm": request.param}
    return folder / "venv"


@pytest.fixture
def site(environment: Path, shelf: Path, tmp_path: Path) -> Site:
    shutil.copytree(environment, tmp_path / "venv", symlinks=True)
    return Site(shelf, tmp_path / "venv/bin/python")


WHEELS = {"0.28.0": "0.28.0.post1", "0.32.0": "0.32.0"}


def expected(upstream: str) -> dict[str, str]:
    return {"vllm": upstream, "ascend-backend": WHEELS[upstream.partition("+")[0]]}


def test_pip_takes_the_wheel_for_the_upstream_that_it_is_told_to_keep(site: Site) -> None:
    before = site.installed()["vllm"]
    index = ("--extra-index-url", (site.dist / "simple").as_uri())
    assert site.install("ascend-backend", f"vllm=={before}", *index) == expected(before)


def test_pip_takes_the_wheel_of_a_version_pattern(site: Site) -> None:
    before = site.installed()["vllm"]
    public = before.partition("+")[0]
    found = ("--find-links", str(site.dist))
    assert site.install(f"ascend-backend=={public}.*", *found) == expected(before)


def test_pip_takes_the_wheel_for_what_a_constraints_file_holds(site: Site, tmp_path: Path) -> None:
    before = site.installed()["vllm"]
    (tmp_path / "constraints.txt").write_text(f"vllm=={before}\n")
    index = ("--extra-index-url", (site.dist / "simple").as_uri())
    chosen = site.install("ascend-backend", "-c", str(tmp_path / "constraints.txt"), *index)
    assert chosen == expected(before)


def test_without_being_told_pip_moves_upstream_to_the_newest_lane(site: Site) -> None:
    """Why docs/wheels.md does not name the short command."""
    index = ("--extra-index-url", (site.dist / "simple").as_uri())
    for strategy in ("only-if-needed", "eager"):
        after = site.install("ascend-backend", "--upgrade-strategy", strategy, *index)
        assert after == expected("0.32.0")


def test_where_no_other_upstream_can_be_had_pip_goes_back_to_the_wheel_that_fits(site: Site) -> None:
    before = site.installed()["vllm"]
    site.pip("install", "--no-index", "--find-links", str(site.dist), "ascend-backend")
    assert site.installed() == expected(before)


def test_the_same_bytes_when_built_again(shelf: Path, tmp_path: Path) -> None:
    first = {
        p.relative_to(shelf / "dist"): p.read_bytes() for p in (shelf / "dist").rglob("*") if p.is_file()
    }
    assert build(shelf, tmp_path)[0] == 0
    again = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    assert again == first
    assert sorted(map(str, first)) == [
        "ascend_backend-0.28.0.post1-py3-none-any.whl",
        "ascend_backend-0.28.0.post1-py3-none-any.whl.intoto.json",
        "ascend_backend-0.28.0.post1-py3-none-any.whl.metadata",
        "ascend_backend-0.32.0-py3-none-any.whl",
        "ascend_backend-0.32.0-py3-none-any.whl.intoto.json",
        "ascend_backend-0.32.0-py3-none-any.whl.metadata",
        "simple/ascend-backend/index.html",
        "simple/ascend-backend/index.json",
        "simple/index.html",
        "simple/index.json",
    ]


def test_the_page_gives_digest_python_range_and_metadata(shelf: Path) -> None:
    page = (shelf / "dist/simple/ascend-backend/index.html").read_text()
    links = re.findall(r'<a href="\.\./\.\./([^#"]*)#sha256=(\w+)" (.*?)>(.*?)</a>', page)
    assert [file for file, *_ in links] == [
        "ascend_backend-0.28.0.post1-py3-none-any.whl",
        "ascend_backend-0.32.0-py3-none-any.whl",
    ]
    for (file, digest, rest, text), python in zip(links, ("10", "11"), strict=True):
        wheel = shelf / "dist" / file
        assert text == file
        assert digest == hashlib.sha256(wheel.read_bytes()).hexdigest()
        metadata = (shelf / "dist" / f"{file}.metadata").read_bytes()
        with zipfile.ZipFile(wheel) as archive:
            assert metadata in [archive.read(n) for n in archive.namelist() if n.endswith("/METADATA")]
        known = hashlib.sha256(metadata).hexdigest()
        assert f'data-requires-python="&lt;4,&gt;=3.{python}"' in rest
        assert f'data-core-metadata="sha256={known}"' in rest


def test_an_earlier_correction_stays_in_the_index(shelf: Path, tmp_path: Path) -> None:
    assert build(shelf, tmp_path, "--lane", "v0.28.0")[0] == 0
    matrix = shelf / "compat_matrix.yaml"
    matrix.write_text(MATRIX.replace("0.28.0.post1", "0.28.0.post2"))
    try:
        code, output = build(shelf, tmp_path, "--lane", "v0.28.0")
    finally:
        matrix.write_text(MATRIX)
    assert code == 0, output
    page = (tmp_path / "simple/ascend-backend/index.html").read_text()
    assert re.findall(r">(ascend_backend.*?)-py3", page) == [
        "ascend_backend-0.28.0.post1",
        "ascend_backend-0.28.0.post2",
    ]


def test_either_lanes_or_all(project: Project) -> None:
    for wrong in (("build",), ("build", "--all", "--lane", "v1.0.0")):
        code, output = project.run(*wrong)
        assert code == 2
        assert "Give either --lane TAG or --all" in output
    assert not (project.root / "dist").exists()


@pytest.mark.parametrize("name", ["mine-1.0-py3-none-any.whl", "no-wheel.whl"])
def test_what_is_no_wheel_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"text")
    with pytest.raises(EnvironmentFailure, match="is no readable wheel"):
        write_index(tmp_path)
