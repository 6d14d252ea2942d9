"""The settings of a project's files for the layout of its sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.project_metadata.formatter_settings import FormatterSettings, formatter_settings


@pytest.mark.parametrize(
    ("files", "settings"),
    [
        ({}, FormatterSettings()),
        ({"pyproject.toml": "[project]\nname = 'x'\n"}, FormatterSettings()),
        ({"pyproject.toml": "[tool.ruff]\nline-length = 100\n"}, FormatterSettings(100)),
        ({"ruff.toml": "line-length = 120\n[format]\n"}, FormatterSettings(120, "double")),
        ({".ruff.toml": "[format]\nquote-style = 'single'\n"}, FormatterSettings(88, "single")),
        (
            {"pyproject.toml": "[tool.ruff.format]\nskip-magic-trailing-comma = true\n"},
            FormatterSettings(88, "double", magic_comma=False),
        ),
        ({"pyproject.toml": "[tool.black]\nline_length = 79\n"}, FormatterSettings(79, "double")),
        (
            {"pyproject.toml": "[tool.black]\nskip-string-normalization = true\n"},
            FormatterSettings(88, "preserve"),
        ),
        (
            {"setup.cfg": "[flake8]\nmax-line-length = 120\n", "pyproject.toml": "[tool.ruff]\n"},
            FormatterSettings(120),
        ),
        ({"pyproject.toml": "[tool.ruff\n", "setup.cfg": "max = %(x)\n"}, FormatterSettings()),
        ({"pyproject.toml": "[tool.ruff]\nline-length = 'wide'\n"}, FormatterSettings(88)),
    ],
)
def test_what_the_files_of_a_project_say(
    tmp_path: Path, files: dict[str, str], settings: FormatterSettings
) -> None:
    (tmp_path / ".git").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert formatter_settings(tmp_path) == settings


def test_the_nearest_folder_within_the_repository_decides(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("line-length = 70\n")
    (tmp_path / "project/src/plugin").mkdir(parents=True)
    (tmp_path / "project/.git").mkdir()
    assert formatter_settings(tmp_path / "project/src/plugin") == FormatterSettings()
    (tmp_path / "project/ruff.toml").write_text("line-length = 100\n")
    assert formatter_settings(tmp_path / "project/src/plugin") == FormatterSettings(100)
    (tmp_path / "project/src/ruff.toml").write_text("line-length = 110\n")
    assert formatter_settings(tmp_path / "project/src/plugin") == FormatterSettings(110)
