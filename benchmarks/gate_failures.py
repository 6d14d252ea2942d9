"""Hold ``syncbot gate check`` against code that really failed on one of two upstream trees.

usage: python benchmarks/gate_failures.py --upstream REPO --releases REPO --backend-repository REPO
                                          --work DIR [--only MEND]... [--mended]

Each line of gate_failures.tsv is a failure that the plugin's maintainers mended by a test of upstream's
version: the commit that mended it (its parent has the failure), upstream's main and release that the plugin
supported then, whether an import or a call failed, its symbol, the files, and the word by which a violation
names it. Checks each parent, or with --mended what mended it, where both trees had passed all tests. RELEASES
is the folder releases/NAME.git of syncbot's cache. Prints what is found and missed. Results stay in DIR.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from truth import check_out

from syncbot.upstream.git_repository import GitRepository
from syncbot.workflows.gate_check import GateCheckOptions, check_gates

Told = Sequence[Mapping[str, Any]]

CASES = Path(__file__).with_suffix(".tsv")
# The plugin's test of versions.
SETTINGS = "gate = 'vllm_version_is(\"{version}\")'\n"


@dataclass(frozen=True, slots=True)
class Case:
    """One failure: who mended it, the two upstream trees, and what a violation has to name."""

    mend: str
    main: str
    release: str
    kind: str
    symbol: str
    files: str
    says: str

    def found_in(self, told: Told) -> bool:
        """Whether each of its files has a violation that names it and that only one tree has."""
        named = {v["file"] for v in told if v["alone"] and self.says in v["message"]}
        return named >= set(self.files.split())


def read_cases(path: Path = CASES) -> list[Case]:
    """The failures, those of one mend side by side."""
    with path.open(encoding="utf-8", newline="") as file:
        return [Case(**row) for row in csv.DictReader(file, delimiter="\t")]


def joined(upstream: Path, releases: Path, folder: Path) -> Path:
    """A repository that has the commits of upstream's main and the tags of its releases."""
    if not folder.exists():
        subprocess.run(["git", "init", "-q", "--bare", folder], check=True)
        objects = [f"{_objects(each)}\n" for each in (upstream, releases)]
        (folder / "objects/info/alternates").write_text("".join(objects), encoding="utf-8")
        tags = subprocess.run(
            ["git", "-C", releases, "for-each-ref", "--format=create %(refname) %(objectname)", "refs/tags"],
            check=True, capture_output=True,
        ).stdout  # fmt: skip
        subprocess.run(["git", "-C", folder, "update-ref", "--stdin"], check=True, input=tags)
        head = subprocess.run(
            ["git", "-C", upstream, "rev-parse", "main"], check=True, capture_output=True, text=True
        ).stdout.strip()
        subprocess.run(["git", "-C", folder, "update-ref", "HEAD", head], check=True)
    return folder


def _objects(repository: Path) -> str:
    asked = ["rev-parse", "--path-format=absolute", "--git-path", "objects"]
    done = subprocess.run(["git", "-C", repository, *asked], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def checked(repository: GitRepository, case: Case, commit: str, upstream: Path, work: Path) -> Told:
    """Return the violations of a commit of the plugin on the two trees of a case."""
    sha = repository.resolve(commit)
    kept = work / f"{commit}.json"
    if not kept.exists():
        folder = work / sha[:10]
        folder.mkdir(parents=True, exist_ok=True)
        check_out(repository, sha, folder)
        (folder / "syncbot.toml").write_text(SETTINGS, encoding="utf-8")
        begun = time.process_time()
        trees = {"main": case.main, "release": f"v{case.release}"}
        found = check_gates(GateCheckOptions(trees=trees, backend=folder, upstream=str(upstream)))
        told = [
            {
                "tree": tree.name,
                "file": v.file,
                "line": v.line,
                "message": v.message,
                "alone": v in tree.alone,
            }
            for tree in found
            for v in tree.violations
        ]
        kept.write_text(json.dumps(told), encoding="utf-8")
        alone = sum(bool(each["alone"]) for each in told)
        seconds = time.process_time() - begun
        print(f"{commit}: {len(told)} violations, {alone} not on both, {seconds:.0f} s", flush=True)
    answer: Told = json.loads(kept.read_text(encoding="utf-8"))
    return answer


def main() -> None:
    """Check, mend by mend."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--upstream", type=Path, required=True)
    parser.add_argument("--releases", type=Path, required=True)
    parser.add_argument("--backend-repository", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--mended", action="store_true")
    asked = parser.parse_args()
    repository = GitRepository(asked.backend_repository)
    asked.work.mkdir(parents=True, exist_ok=True)
    upstream = joined(asked.upstream, asked.releases, asked.work / "upstream.git")
    counts: dict[str, list[bool]] = {}
    for mend, cases in groupby(read_cases(), key=lambda case: case.mend):
        if asked.only and mend not in asked.only:
            continue
        for case in cases:
            commit = mend if asked.mended else f"{mend}^"
            told = checked(repository, case, commit, upstream, asked.work)
            if asked.mended:
                break
            counts.setdefault(case.kind, []).append(found := case.found_in(told))
            if not found:
                print(f"  missed {case.kind} {mend} {case.symbol} in {case.files}", flush=True)
    for kind, each in counts.items():
        print(f"{kind}: {sum(each)} of {len(each)} found")


if __name__ == "__main__":
    main()
