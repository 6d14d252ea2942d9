"""Which patches the lanes of a matrix need: others are retired, needed ones become active again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from syncbot.errors import ConfigurationError
from syncbot.lanes.matrix import Matrix
from syncbot.patching import model
from syncbot.patching.model import Patch
from syncbot.patching.yaml_documents import to_yaml

# The keys that a written patch has after its lanes.
_LAST = ("lanes", "proven_by", "notes")


def users(patch: Patch, matrix: Matrix) -> tuple[str, ...]:
    """Return the tags of the lanes that stand on the other side of the patch's change than the baseline."""
    base = matrix.baseline_lane.version
    return tuple(
        lane.tag
        for lane in matrix
        if min(lane.version, base) < patch.upstream.version <= max(lane.version, base)
    )


def standing(patches: Iterable[Patch], matrix: Matrix) -> tuple[Patch, ...]:
    """The patches with the lanes that need each. One that only gone lanes needed is retired and keeps them,
    to come back with them; one retired by hand has none; one that no lane ever needed waits."""
    return tuple(_standing(patch, users(patch, matrix)) for patch in patches)


def _standing(patch: Patch, needed_by: tuple[str, ...]) -> Patch:
    if patch.status == "retired":
        if not (patch.lanes and needed_by):
            return patch
        status = "active" if patch.acts else "needs-author"
        return patch.model_copy(update={"status": status, "lanes": needed_by})
    if needed_by:
        return patch.model_copy(update={"lanes": needed_by})
    return patch.model_copy(update={"status": "retired"}) if patch.lanes else patch


def revised(text: str, patch: Patch) -> str:
    """Return the text of a patch file with the patch's status, lanes and proof; the rest stays as written."""
    status = {"status": patch.status} if patch.status != "active" else {}
    lanes = {"lanes": list(patch.lanes)} if patch.lanes else {}
    proof = {"proven_by": list(patch.proven_by)} if patch.proven_by else {}
    result = text if text.endswith("\n") else f"{text}\n"
    result = _put(result, "status", status, ("rewrites", "merges", "code", "sketch", *_LAST))
    result = _put(result, "lanes", lanes, _LAST)
    result = _put(result, "proven_by", proof, _LAST[2:])
    # Another way to write YAML than in blocks may not survive that: then the whole file is written anew.
    try:
        same = model.dump(model.parse(result)) == model.dump(patch)
    except ConfigurationError:
        same = False
    return result if same else model.dump(patch)


def _put(text: str, key: str, entry: Mapping[str, object], before: Sequence[str]) -> str:
    """The text with an entry of the top level replaced, or else put before the first of some others."""
    new = to_yaml(entry) if entry else ""
    if (old := _entry(text, key)) is not None:
        return text[: old.start()] + new + text[old.end() :]
    places = [found.start() for other in before if (found := _entry(text, other)) is not None]
    place = min(places, default=len(text))
    return text[:place] + new + text[place:]


def _entry(text: str, key: str) -> re.Match[str] | None:
    """Where a key of the top level stands, with its value in block style."""
    return re.search(rf"^{key}:.*\n(?:[ -].*\n|\n+(?= ))*", text, re.MULTILINE)
