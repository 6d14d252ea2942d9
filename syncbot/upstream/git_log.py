"""The output of ``git log --raw -z`` and what it says of each commit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

from syncbot.upstream.model import Commit, FileChange

FORMAT = "%H%x00%P%x00%cd%x00%an%x00%s%x00%b%x00"
_PR = re.compile(r"\(#(\d{1,9})\)\s*$")
_DATE = re.compile(r"(-?\d{1,20})(?: ([+-])(\d\d)(\d\d))?\d*", re.ASCII)
# So many characters of a message are read: nobody writes more.
_NAME, _LINE, _TEXT = 200, 2_000, 100_000
_LAST_EPOCH = 253402214400  # 9999-12-31, the last whole day that datetime can hold

OPTIONS = (
    *("--raw", "-z", "--no-abbrev", "--root", "--date=raw", "--diff-merges=first-parent"),
    *("--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color", "--no-decorate"),
)


def pull_request(subject: str) -> int | None:
    """The number that a squash merge leaves at the end of its subject, as in ``Fix it (#12345)``."""
    found = _PR.search(subject)
    return int(found[1]) if found else None


def parse(output: bytes) -> Iterator[Commit]:
    """The commits in the output of ``git log`` with `OPTIONS` and `FORMAT`, in its order."""
    tokens = iter(output.split(b"\0"))
    token = next(tokens, b"").strip()
    while True:
        while not token:
            following = next(tokens, None)
            if following is None:
                return
            token = following.strip()
        sha = token.decode()
        parents, date, author, subject, body = (next(tokens) for _ in range(5))
        files: list[FileChange] = []
        while True:
            following = next(tokens, None)
            token = b"" if following is None else following.lstrip(b"\n")
            if token.startswith(b":"):
                files.append(_file_change(token.decode(), tokens))
            elif token or following is None:
                break
        yield Commit(
            sha=sha,
            parents=tuple(decoded(parents).split()),
            date=raw_date(decoded(date)),
            author=decoded(author[:_NAME]),
            subject=decoded(subject[:_LINE]),
            body=decoded(body.strip(b"\n")[:_TEXT]),
            pr=pull_request(decoded(subject[-_NAME:])),
            files=tuple(files),
        )


def _file_change(meta: str, tokens: Iterator[bytes]) -> FileChange:
    """One raw entry: ``:old-mode new-mode old-oid new-oid status`` and then one or two paths."""
    old_mode, new_mode, old_oid, new_oid, letter = meta.removeprefix(":").split()
    status = letter[0]
    path = decoded(next(tokens))
    new_path = decoded(next(tokens)) if status in "RC" else path
    return FileChange(
        status=status,
        old_path=None if status == "A" else path,
        new_path=None if status == "D" else new_path,
        old_blob=old_oid if old_mode.startswith("100") else None,
        new_blob=new_oid if new_mode.startswith("100") else None,
    )


def decoded(raw: bytes) -> str:
    """The bytes as text; what is not UTF-8 is escaped (``caf\\xe9.py``), so that it can be printed."""
    return raw.decode("utf-8", "backslashreplace")


def raw_date(raw: str) -> datetime:
    """git's raw date, ``epoch +hhmm``; what no datetime can hold is moved to the nearest that one can, and a
    commit without a date is as old as can be (git allows both)."""
    found = _DATE.fullmatch(raw)
    epoch, sign, hours, minutes = found.groups() if found is not None else ("0", None, None, None)
    moment = datetime.fromtimestamp(min(max(int(epoch), 86400), _LAST_EPOCH), UTC)
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    if offset >= timedelta(hours=24):
        offset = timedelta()
    return moment.astimezone(timezone(-offset if sign == "-" else offset))
