from __future__ import annotations

import string
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.config import Config, UpstreamConfig, load
from syncbot.errors import ConfigurationError

VLLM = '[tool.syncbot.upstreams.vllm]\npackages = ["vllm"]\nrelease = "vllm"\n'


def write(folder: Path, text: str) -> Path:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return folder


def test_everything_set(tmp_path: Path) -> None:
    config = load(
        write(
            tmp_path,
            """
            [project]
            name = "someone-elses-table"
            [tool.syncbot]
            backend = "backend"
            sources = ["src", "plugins/*"]
            tests = ["tests", "checks"]
            timezone = "Asia/Shanghai"
            upstream = "torch-npu"
            index = "https://index.example/simple"
            refresh_hours = 0
            project = { distribution = "ascend-backend", package = "ascend_backend" }
            [tool.syncbot.upstreams.vllm]
            packages = ["vllm"]
            release = "vllm"
            versions = ">=0.28,<0.33"
            [tool.syncbot.upstreams.torch-npu]
            packages = ["torch_npu"]
            git = "https://git.example/torch_npu.git"
            branch = "main"
            [[tool.syncbot.siblings]]
            base = "vllm.custom_op.CustomOp"
            method = "forward_oot"
            follows = ["forward_native", "forward_cuda"]
            """,
        )
    )
    assert config.backend_path == tmp_path / "backend"
    assert config.sources == ("src", "plugins/*")
    assert config.upstream == "torch-npu"
    assert config.upstreams["vllm"] == UpstreamConfig(
        packages=("vllm",), release="vllm", versions=">=0.28,<0.33"
    )
    assert config.siblings[0].follows == ("forward_native", "forward_cuda")
    assert config.project.package == "ascend_backend"
    assert config.refresh_hours == 0


@pytest.mark.parametrize("text", [None, "", "[tool.other]\nx = 1\n"])
def test_defaults(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        write(tmp_path, text)
    assert load(tmp_path) == Config(root=tmp_path)


def test_the_first_upstream_is_the_default(tmp_path: Path) -> None:
    second = '[tool.syncbot.upstreams.aaa]\npackages = ["aaa"]\ngit = "."\n'
    assert load(write(tmp_path, VLLM + second)).upstream == "vllm"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[tool.syncbot]\nsource = []\n",
            "[tool.syncbot] has no key 'source'; the nearest known one is 'sources'",
        ),
        ("[tool.syncbot]\nroot = '/'\n", "has no key 'root'"),
        (
            VLLM + "brunch = 'main'\n",
            "[tool.syncbot.upstreams.vllm] has no key 'brunch'; the nearest known one is 'branch'",
        ),
        (
            "[tool.syncbot.project]\npakage = 'x'\n",
            "[tool.syncbot.project] has no key 'pakage'; the nearest known one is 'package'",
        ),
        (
            "[[tool.syncbot.siblings]]\nbase = 'a.B'\nmethod = 'f'\nfollow = ['g']\n",
            "the nearest known one is 'follows'",
        ),
        (
            "[[tool.syncbot.siblings]]\nbase = 'a.B'\nfollows = ['g']\n",
            "tool.syncbot.siblings.0.method is missing",
        ),
        ("[tool.syncbot]\ntimezone = 'Asia/Shangai'\n", "the nearest is 'Asia/Shanghai'"),
        ("[tool.syncbot]\nbackend = '../other'\n", "must be a path below the folder"),
        ("[tool.syncbot]\npatches = '/etc'\n", "must be a path below the folder"),
        ("[tool.syncbot]\nsources = 'src'\n", "tool.syncbot.sources must be a list"),
        ("[tool.syncbot]\nupstream = 'vlm'\n" + VLLM, "'vlm' is not one of the upstreams (vllm)"),
        (VLLM + "git = 'https://git.example/x'\n", "set one of 'release' and 'git', or neither"),
        (
            "[tool.syncbot.upstreams.vllm]\npackages = ['my-vllm']\nrelease = 'v'\n",
            "not a dotted Python name",
        ),
        (VLLM + "versions = 'newest'\n", "not a version specifier"),
        ("tool = 3\n", "must be a table"),
        ("[tool]\nsyncbot = 3\n", "must be a table"),
        ("[tool.syncbot\n", "is not valid TOML"),
        (f"a = {'[' * 20_000}{']' * 20_000}\n", "is not valid TOML: it is nested too deeply"),
        ("[tool.syncbot]\ntimezone = 1979-05-27\n", "tool.syncbot.timezone: Input should be a valid string"),
        ("[tool.syncbot]\nbackend = 3\n", "tool.syncbot.backend: Input should be a valid string"),
        ("[tool.syncbot]\nkernel_decorators = [3]\n", "Input should be a valid string"),
        (VLLM + "versions = 3\n", "versions: Input should be a valid string"),
        (f"a = {'9' * 10_000}\n", "is not valid TOML: Exceeds the limit"),
        ("[tool.syncbot]\nbackend = 'a\\u0000b'\n".replace("'", '"'), "must be a path below the folder"),
        (VLLM + "web = 'http://[::1'\n", "web: Invalid IPv6 URL"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(write(tmp_path, text))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_root_that_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is not a folder"):
        load(tmp_path / "missing")


@pytest.mark.parametrize("target", ["/dev/zero", "/dev", "long"])
def test_what_is_no_file_of_text_is_not_read(tmp_path: Path, target: str) -> None:
    with (tmp_path / "long").open("wb") as file:
        file.truncate(1 << 30)
    (tmp_path / "pyproject.toml").symlink_to(target)
    with pytest.raises(ConfigurationError, match="cannot be read: it is no file of at most 16,000,000 bytes"):
        load(tmp_path)


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match="is not valid TOML"):
        load(tmp_path)


@given(st.text(string.ascii_lowercase + "_", min_size=1).filter(lambda key: key not in Config.model_fields))
def test_any_unknown_key_is_an_error_that_names_a_known_one(key: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), f"[tool.syncbot]\n{key} = 1\n")
        with pytest.raises(ConfigurationError, match=f"has no key '{key}'"):
            load(root)


def test_a_package_of_a_namespace_is_followed_by_its_first_name() -> None:
    followed = UpstreamConfig(packages=("opentelemetry.sdk", "vllm"), release="opentelemetry-sdk")
    assert followed.packages == ("opentelemetry", "vllm")
