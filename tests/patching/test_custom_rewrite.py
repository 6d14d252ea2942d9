from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.errors import ConfigurationError
from syncbot.patching.custom_rewrite import load
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.source import Source

BOTH = "def forward(module):\n    {forward}\n\n\ndef backward(module):\n    return module\n"
SOURCE = Source("x = 1\n", "a.py")


def written(folder: Path, text: str) -> Path:
    file = folder / "p.py"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{}['absent']", "a.py: p.py: forward raises KeyError('absent')"),
        ("raise SystemExit(3)", "a.py: p.py: forward raises SystemExit(3)"),
        ("return module.code", "p.py: forward has to return a libcst.Module"),
    ],
)
def test_a_function_that_fails_is_named(tmp_path: Path, line: str, says: str) -> None:
    rule = load(written(tmp_path, BOTH.format(forward=line)))
    with pytest.raises(CannotRewrite) as caught:
        rule.forward(SOURCE)
    assert str(caught.value) == says
    with pytest.raises(CannotRewrite) as caught:
        rule.mirror().backward(SOURCE)
    assert str(caught.value) == says
    with pytest.raises(NoMatch, match="finds nothing to change"):
        rule.backward(SOURCE)


def test_what_it_says_of_its_own_is_said(tmp_path: Path) -> None:
    text = "from syncbot.patching.errors import NoMatch\n" + BOTH.format(forward="raise NoMatch('not here')")
    with pytest.raises(NoMatch, match=r"^not here$"):
        load(written(tmp_path, text)).forward(SOURCE)


def test_interrupted_it_stops(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        load(written(tmp_path, BOTH.format(forward="raise KeyboardInterrupt"))).forward(SOURCE)


@pytest.mark.parametrize(
    ("head", "says"),
    [
        ("NEEDLES = 3", "NEEDLES has to be a tuple of texts"),
        ("NEEDLES = 'import up'", "NEEDLES has to be a tuple of texts"),
        ("NEEDLES = ('up', 3)", "NEEDLES has to be a tuple of texts"),
        ("raise SystemExit(3)", "cannot be loaded: SystemExit(3)"),
        ("import no_such_module", "cannot be loaded: ModuleNotFoundError"),
        ("x = (", "cannot be loaded: SyntaxError"),
        ("del forward", "cannot be loaded: NameError"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_named(tmp_path: Path, head: str, says: str) -> None:
    file = written(tmp_path, f"{head}\n" + BOTH.format(forward="return module"))
    with pytest.raises(ConfigurationError) as caught:
        load(file)
    assert str(caught.value).startswith(f"{file}: {says}")


def test_a_file_that_is_no_text_or_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin.py").write_bytes(b"# \xe9\n")
    for name in ("latin.py", "absent.py"):
        with pytest.raises(ConfigurationError, match=f"{name}: cannot be read: "):
            load(tmp_path / name)


def test_what_it_needs_is_what_it_says(tmp_path: Path) -> None:
    assert load(written(tmp_path, "NEEDLES = ('up',)\n" + BOTH.format(forward="pass"))).needles(True) == (
        "up",
    )
    assert load(written(tmp_path, BOTH.format(forward="pass"))).needles(True) == ()
