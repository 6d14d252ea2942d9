from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.config import Config, load
from syncbot.configuration_file import configured_by
from syncbot.errors import ConfigurationError

UPSTREAM = '[upstreams.vllm]\npackages = ["vllm"]\nrelease = "vllm"\n'


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_of_its_own_has_the_same_tables(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[project]\nname = "plugin"\n')
    write(tmp_path / "syncbot.toml", f'sources = ["lib"]\n{UPSTREAM}')
    config = load(tmp_path)
    assert (config.sources, config.upstream, config.root) == (("lib",), "vllm", tmp_path)


def test_two_files_that_configure_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.syncbot]\nrefresh_hours = 2\n")
    write(tmp_path / "syncbot.toml", UPSTREAM)
    with pytest.raises(ConfigurationError, match=r"keep one of them, or choose with --config"):
        load(tmp_path)
    with configured_by(tmp_path / "pyproject.toml"):
        assert load(tmp_path).refresh_hours == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source = []\n", "the file has no key 'source'; the nearest known one is 'sources'"),
        (UPSTREAM + "brunch = 'main'\n", "[upstreams.vllm] has no key 'brunch'"),
        ("sources = 'src'\n", "toml: sources must be a list"),
        ("root = '/'\n", "the file has no key 'root'"),
        ("apart = '/'\n", "the file has no key 'apart'"),
        ("backend = '../nowhere'\n", "backend = '../nowhere' is no folder"),
        ("patches = '../patches'\n", "must be a path below the folder"),
        ("[tool.syncbot]\nsources = []\n", "the file has no key 'tool'"),
        ("x = ", "is not valid TOML"),
    ],
)
def test_mistakes_are_named_as_the_file_has_them(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path / "syncbot.toml", text)
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path)
    assert message in str(caught.value)


def places(config: Config) -> tuple[Path, Path]:
    return config.root, config.backend_path.resolve()


def test_a_chosen_file_may_stand_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin, other = tmp_path / "plugin", tmp_path / "other"
    file = write(tmp_path / "bot/plugin.toml", UPSTREAM)
    write(plugin / "pyproject.toml", "[tool.syncbot]\nrefresh_hours = 9\n")
    other.mkdir()
    monkeypatch.chdir(plugin)
    with configured_by(Path("../bot/plugin.toml")):
        # Somewhere else than the file: the folder that was asked for, or the current one.
        config = load(other)
        assert config.backend_path == other
        assert config.refresh_hours == 1
        assert places(load(Path()))[1] == plugin
        file.write_text('backend = "../other"\n', encoding="utf-8")
        root, backend = places(load(Path()))
        assert (root.resolve(), backend) == (tmp_path / "bot", other)
    assert load(Path()).refresh_hours == 9


def test_a_backend_below_a_file_of_its_own_is_named_relatively(tmp_path: Path) -> None:
    write(tmp_path / "syncbot.toml", 'backend = "plugin"\n')
    (tmp_path / "plugin").mkdir()
    config = load(tmp_path)
    assert (config.backend, config.apart) == ("plugin", None)


def test_a_chosen_file_that_is_missing_is_told(tmp_path: Path) -> None:
    with configured_by(tmp_path / "no.toml"), pytest.raises(ConfigurationError, match="is no file: --config"):
        load(tmp_path)
