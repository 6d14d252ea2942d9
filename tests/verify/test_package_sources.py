from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.verify.package_sources import (
    package_sources,
    parse_pip_configuration,
    pip,
    pip_configuration,
    uv_variables,
)

LISTING = """\
global.find-links='/wheels'
global.extra-index-url='https://one.example/simple https://two.example/simple'
global.index-url='https://mirror.example/simple'
install.index-url='https://install.example/simple'
freeze.index-url='https://elsewhere.example/simple'
global.trusted-host='one.example'
"""


def test_options_are_weighed_as_pip_weighs_them() -> None:
    options = parse_pip_configuration(LISTING)
    assert options["find-links"] == "/wheels"
    assert options["index-url"] == "https://install.example/simple"  # a command's section outweighs global
    assert options["trusted-host"] == "one.example"


def test_lines_that_are_no_options_are_left_out() -> None:
    assert parse_pip_configuration("WARNING: something=odd\nglobal.x\nglobal.y=not quoted\n\n") == {}


def test_every_index_is_asked_as_pip_asks_them() -> None:
    variables = uv_variables(parse_pip_configuration(LISTING), {})
    assert variables["UV_DEFAULT_INDEX"] == "https://install.example/simple"
    assert variables["UV_EXTRA_INDEX_URL"] == "https://one.example/simple https://two.example/simple"
    assert variables["UV_FIND_LINKS"] == "/wheels"
    # The first index that knows a name is the only one that gives it.
    assert "UV_INDEX_STRATEGY" not in variables


def test_one_index_leaves_the_strategy_alone() -> None:
    assert uv_variables({"index-url": "https://mirror.example/simple"}, {}) == {
        "UV_DEFAULT_INDEX": "https://mirror.example/simple"
    }


@pytest.mark.parametrize("name", ["UV_DEFAULT_INDEX", "UV_INDEX_URL"])
def test_what_the_user_told_uv_itself_stands(name: str) -> None:
    chosen = {name: "https://mine.example/simple"}
    assert uv_variables({"index-url": "https://mirror.example/simple"}, chosen) == {}


def test_multiline_options_of_a_configuration_file_become_a_list() -> None:
    variables = uv_variables({"find-links": "\n/one\n/two", "extra-index-url": "\nfile:///a\nfile:///b"}, {})
    assert variables["UV_FIND_LINKS"] == "/one,/two"
    assert variables["UV_EXTRA_INDEX_URL"] == "file:///a file:///b"


def test_passwords_do_not_tell_environments_apart() -> None:
    with_login = package_sources(
        {"UV_DEFAULT_INDEX": "https://me:secret@mirror.example/simple", "HOME": "/x"}
    )
    assert with_login == (("UV_DEFAULT_INDEX", "https://mirror.example/simple"),)


def test_the_kind_of_torch_tells_environments_apart() -> None:
    assert package_sources({"UV_TORCH_BACKEND": "cpu"}) != package_sources({})


def test_this_machine_s_configuration_is_what_pip_itself_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "pip.conf"
    file.write_text(
        "[global]\nindex-url = https://from-a-file.example\ntimeout = 7\n[install]\nno-index = 1\n"
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(file))
    monkeypatch.setenv("PIP_INDEX_URL", "https://from-the-environment.example/simple")
    found = pip_configuration()
    # Variables outweigh files.
    assert found["index-url"] == "https://from-the-environment.example/simple"
    assert (found["timeout"], found["no-index"]) == ("7", "1")
    monkeypatch.delenv("PIP_INDEX_URL")
    assert pip_configuration()["index-url"] == "https://from-a-file.example"


def test_variables_have_the_names_that_pip_gives_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://one.example https://two.example")
    listed = pip("config", "list").stdout.splitlines()
    of_variables = [line.removeprefix(":env:.") for line in listed if line.startswith(":env:.")]
    found = pip_configuration()
    assert "extra-index-url='https://one.example https://two.example'" in of_variables
    assert {f"{name}={value!r}" for name, value in found.items()} >= set(of_variables)


@given(st.dictionaries(st.sampled_from(["index-url", "cert", "proxy"]), st.text(), max_size=3))
def test_any_value_survives_pip_s_quoting(options: dict[str, str]) -> None:
    listing = "\n".join(f"global.{name}={value!r}" for name, value in options.items())
    assert parse_pip_configuration(listing) == options
