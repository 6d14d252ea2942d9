"""The Python files of one commit of upstream, as a folder that can be imported from."""

from __future__ import annotations

import hashlib
from pathlib import Path

from syncbot.impact.trees import Trees
from syncbot.upstream.model import Meter, no_meter
from syncbot.verify.once_made_folders import made_once


def exported(trees: Trees, commit: str, cache: Path, meter: Meter = no_meter) -> Path:
    """The folder with all modules of the packages at a commit, made once. Raises EnvironmentFailure."""
    packages = hashlib.sha256(" ".join(sorted(trees.packages)).encode()).hexdigest()[:8]
    folder = cache / "witness" / f"{commit}-{packages}"

    def make(scratch: Path) -> Path:
        made = scratch / "tree"
        modules = trees.tree(commit).modules
        texts = dict(trees.repository.blobs({blob for _, blob in modules.values()}))
        for module, (path, blob) in modules.items():
            target = made.joinpath(*module.split("."))
            target = target / "__init__.py" if path.endswith("/__init__.py") else target.with_suffix(".py")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(texts[blob])
        return made

    return made_once(folder, lambda: folder if folder.is_dir() else None, make, meter)
