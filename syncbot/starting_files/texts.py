"""The texts of the files that a project begins with."""

from __future__ import annotations

import json
from string import Template

from syncbot.config import Config
from syncbot.lanes import matrix as matrices
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.starting_files.model import Findings

_WORKFLOW = Template("""\
# Every morning: what is new upstream and what it breaks, as an issue; all that is broken, as annotations.
# Written by `syncbot init`; it is yours to change.
name: syncbot
on:
  schedule:
    - cron: "17 5 * * *"
  workflow_dispatch:
permissions:
  contents: read
  issues: write
concurrency:
  group: syncbot
jobs:
  report:
    runs-on: ubuntu-latest
    timeout-minutes: 60
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
      - uses: actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065 # v5.6.0
        with:
          python-version: "3.11"
      - uses: actions/cache@5a3ec84eff668545956fd18022155c47e93e2684 # v4.2.3
        with:
          # What costs time to make again; the key is what the rest is believed by.
          path: |
            ~/.cache/pip
            ~/.cache/syncbot/checksums.key
            ~/.cache/syncbot/analyses
            ~/.cache/syncbot/contracts
            ~/.cache/syncbot/downloads
            ~/.cache/syncbot/mirrors
            ~/.cache/syncbot/plans
            ~/.cache/syncbot/releases
            ~/.cache/syncbot/tables
          key: syncbot-$${{ runner.os }}-$${{ github.run_id }}
          restore-keys: syncbot-$${{ runner.os }}-
      - run: |
          if [ -z "$$SYNCBOT" ]; then
            echo "::error::Set the repository's variable SYNCBOT to what pip installs: $asked"
            exit 1
          fi
          pip install "$$SYNCBOT"
        env:
          # One commit: nobody can put anything else in its place. The repository's variable outweighs it.
          SYNCBOT: $${{ vars.SYNCBOT || $source }}
      - run: |
          $check --fail-on never --format github
          syncbot check --since last-report --skip-empty --fail-on never --format markdown --output report.md
          if [ -f report.md ]; then
            cat report.md >> "$$GITHUB_STEP_SUMMARY"
            syncbot publish report --close-after 14 report.md
          fi
        env:
          GITHUB_TOKEN: $${{ github.token }}
      # An address of an upstream may hold a token: the cache keeps none.
      - if: always()
        run: find ~/.cache/syncbot -path "*/mirrors/*.git/config" -delete
""")

#: What pip installs as syncbot, where nothing shows from where.
ASKED = "git+https://HOST/OWNER/syncbot@COMMIT"


def configuration(found: Findings) -> str:
    """Return the text of ``syncbot.toml``."""
    lines = [
        "# Written by `syncbot init`. `syncbot config` shows what is in force and where it comes from.",
        f"upstream = {_quoted(found.upstream)}",
    ]
    if not set(found.tests) <= set(Config.model_fields["tests"].default):
        lines.append(f"tests = {_listed(found.tests)}")
    lines += ["", f"[upstreams.{_key(found.upstream)}]", f"packages = {_listed(found.upstream_packages)}"]
    if found.repository is not None:
        lines.append("# Its commits are followed where this can be reached, else its releases. To decide it,")
        lines.append(f"# add release = {_quoted(found.upstream)}, or git = with an address.")
        lines.append(f"web = {_quoted(found.repository)}")
    else:
        lines.append(f"release = {_quoted(found.upstream)}")
    lines += ["", "[project]"]
    if found.distribution is not None:
        lines.append(f"distribution = {_quoted(found.distribution)}")
    lines.append(f"package = {_quoted(found.package)}")
    return "\n".join(lines) + "\n"


def matrix(found: Findings) -> str | None:
    """Return the text of the matrix, a lane for each release; None without a baseline."""
    if found.baseline is None or found.baseline not in [release.version for release in found.releases]:
        return None
    lanes = tuple(
        Lane(tag=f"v{each.version}", wheel=str(each.version), python=each.python, stack=dict(each.pinned))
        for each in found.releases
    )
    return matrices.dump(Matrix(upstream=found.upstream, baseline=f"v{found.baseline}", lanes=lanes))


def workflow(found: Findings, source: str | None) -> str:
    """Return the text of a workflow of GitHub's; ``source`` is what pip installs as syncbot. Without one, the
    workflow asks for it."""
    # With a baseline, a check looks from there to what is newest.
    line = "syncbot check" if found.baseline is not None else "syncbot check --from latest~1 --to latest"
    quoted = "'" + (source or "").replace("'", "''") + "'"
    return _WORKFLOW.substitute(check=line, source=quoted, asked=ASKED)


def _quoted(text: str) -> str:
    return json.dumps(text)


def _listed(texts: object) -> str:
    return json.dumps(list(texts) if isinstance(texts, (list, tuple)) else [])


def _key(name: str) -> str:
    return name if name.replace("-", "").replace("_", "").isalnum() else _quoted(name)
