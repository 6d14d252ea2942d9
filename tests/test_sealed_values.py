"""Values of a cache: only what this user kept under this name in this cache is believed."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot import sealed_values
from syncbot.sealed_values import KEY, keep, opened, recall, sealed

FILE = "kind/one.bin"


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    """Each test is a process of its own to what is remembered in one."""
    _forget()
    yield
    _forget()


def _forget() -> None:
    sealed_values._key.cache_clear()
    sealed_values.tell_of_damage.cache_clear()


def test_what_was_kept_comes_back_also_to_another_process(tmp_path: Path) -> None:
    keep(tmp_path, tmp_path / FILE, b"value")
    assert recall(tmp_path, tmp_path / FILE) == b"value"
    code = (
        "import sys; from pathlib import Path; from syncbot.sealed_values import recall; "
        "sys.stdout.buffer.write(recall(Path(sys.argv[1]), Path(sys.argv[2])))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), str(tmp_path / FILE)], capture_output=True, check=True
    )
    assert told.stdout == b"value"
    assert told.stderr == b""


@given(value=st.binary(max_size=200), at=st.integers(0), bit=st.integers(0, 7))
def test_one_other_bit_is_not_believed(
    tmp_path_factory: pytest.TempPathFactory, value: bytes, at: int, bit: int
) -> None:
    folder = tmp_path_factory.getbasetemp()
    content = bytearray(sealed(folder, "name", value))
    assert opened(folder, "name", bytes(content)) == value
    content[at % len(content)] ^= 1 << bit
    assert opened(folder, "name", bytes(content)) is None


@pytest.mark.parametrize("content", [b"", b"short", b"\0" * 16, None, 7, "text"])
def test_what_has_no_checksum_is_not_believed(tmp_path: Path, content: object) -> None:
    assert opened(tmp_path, "name", content) is None


def test_a_value_of_another_name_or_cache_is_not_believed(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    keep(ours, ours / FILE, b"value")
    keep(theirs, theirs / FILE, b"forged")
    other = ours / "kind/two.bin"
    other.write_bytes((ours / FILE).read_bytes())
    assert recall(ours, other) is None
    (ours / FILE).write_bytes((theirs / FILE).read_bytes())
    assert recall(ours, ours / FILE) is None


def test_damage_is_told_once_and_thrown_away(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("a", "b"):
        keep(tmp_path, tmp_path / "kind" / name, b"value")
        (tmp_path / "kind" / name).write_bytes(b"forged")
        assert recall(tmp_path, tmp_path / "kind" / name) is None
        assert not (tmp_path / "kind" / name).exists()
    assert [record.getMessage() for record in caplog.records] == [
        f"a value in the cache {tmp_path} is damaged or was not made there: it is made again"
    ]


def test_nothing_kept_is_no_damage(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert recall(tmp_path, tmp_path / FILE) is None
    assert caplog.records == []


def test_the_key_is_for_its_owner_alone(tmp_path: Path) -> None:
    keep(tmp_path, tmp_path / FILE, b"value")
    assert stat.S_IMODE((tmp_path / KEY).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [KEY]


def _readable(key: Path) -> None:
    key.chmod(0o644)


def _short(key: Path) -> None:
    key.write_bytes(b"short")


def _linked(key: Path) -> None:
    key.rename(key.with_name("elsewhere"))
    key.symlink_to("elsewhere")


def _pipe(key: Path) -> None:
    key.unlink()
    os.mkfifo(key)


def _gone(key: Path) -> None:
    key.unlink()


@pytest.mark.parametrize("spoil", [_readable, _short, _linked, _pipe, _gone])
def test_a_key_that_others_may_know_is_replaced(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    keep(tmp_path, tmp_path / FILE, b"value")
    spoil(tmp_path / KEY)
    _forget()
    assert recall(tmp_path, tmp_path / FILE) is None
    keep(tmp_path, tmp_path / FILE, b"again")
    _forget()
    assert recall(tmp_path, tmp_path / FILE) == b"again"
    assert stat.S_IMODE((tmp_path / KEY).lstat().st_mode) == 0o600


def test_a_key_of_another_user_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(tmp_path, tmp_path / FILE, b"value")
    _forget()
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    assert recall(tmp_path, tmp_path / FILE) is None


def test_where_no_key_can_be_kept_nothing_is_believed_later(tmp_path: Path) -> None:
    (tmp_path / KEY).mkdir()
    (tmp_path / KEY / "something").touch()
    keep(tmp_path, tmp_path / FILE, b"value")
    assert recall(tmp_path, tmp_path / FILE) == b"value"
    _forget()
    assert recall(tmp_path, tmp_path / FILE) is None


def test_processes_that_begin_together_have_one_key(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from syncbot.sealed_values import keep; "
        "folder = Path(sys.argv[1]); keep(folder, folder / 'kind' / sys.argv[2], b'value')"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(number)]) for number in range(4)
    ]
    assert [process.wait() for process in running] == [0] * 4
    assert [recall(tmp_path, tmp_path / "kind" / str(number)) for number in range(4)] == [b"value"] * 4
