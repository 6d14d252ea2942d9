"""Messages ask to install the versions that syncbot requires, and never syncbot by its own name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from syncbot.project_metadata.own_extras import install_line

ROOT = Path(__file__).parents[2]
# A bare name that an index is asked for: whoever registers it would be installed.
BARE = re.compile(
    r"(?:install|uvx|pipx run|--spec|tool run)(?: -\S+)* [\"'`]?syncbot(?![\w/.-]*\.whl)\b(?! @)"
)


@pytest.mark.parametrize(
    ("extra", "line"),
    [
        ("mcp", "pip install 'mcp>=2.3'"),
        ("typecheck", "pip install pyrefly==1.4.1 ty==0.0.104"),
        ("no-such", "pip install no-such"),
    ],
)
def test_what_an_extra_asks_for(extra: str, line: str) -> None:
    assert install_line(extra) == line


def test_nothing_says_to_install_syncbot_by_its_bare_name() -> None:
    assert BARE.search("pip install --quiet syncbot")
    assert BARE.search("uvx syncbot check")
    assert BARE.search("pip install 'syncbot[ray]'")
    assert not BARE.search("pip install 'syncbot @ git+https://h/o/syncbot@c'; uvx --from X syncbot check")
    places = (
        "README.md",
        "CONTRIBUTING.md",
        "action.yml",
        ".pre-commit-hooks.yaml",
        "docs",
        "syncbot",
        ".github",
        "benchmarks",
    )
    files = [
        f
        for place in places
        for f in ([ROOT / place] if (ROOT / place).is_file() else (ROOT / place).rglob("*"))
    ]
    texts = {
        f: f.read_text(encoding="utf-8", errors="replace")
        for f in files
        if f.suffix in (".md", ".py", ".yml", ".yaml")
    }
    assert len(texts) > 500
    assert [(f.name, found[0]) for f, text in texts.items() if (found := BARE.search(text))] == []
