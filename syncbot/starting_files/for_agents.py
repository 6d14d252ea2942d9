"""Texts for a coding agent in a project that syncbot looks after."""

from __future__ import annotations

from collections.abc import Iterator
from string import Template

from syncbot.starting_files.model import Findings, StartingFile

_SKILL = Template("""\
---
name: move-to-newer-$upstream
description: Move $package to a newer $upstream, or mend what it broke. Use it before a search by hand.
---

# Move $package to a newer $upstream

syncbot knows which commit of $upstream breaks which line here, and says whether an edit mends it. Do not
search for breaks by hand.

1. `syncbot plan --from OLD --to NEW --output plan` (or the tool `plan` of `syncbot mcp`). OLD is what the
   sources are for.
2. For each step, in order: `git apply plan/steps/NN.patch`. These edits are proven; do not rewrite them.
3. For each file in `plan/tasks`: read it whole, edit the files that its head names, and run its `done_when`.
   It ends with 0 when the task is done. Nothing else counts as done.
4. `syncbot check --from OLD --to NEW`: no `breaks` may be left that was not there before.

What is what:

- `harmless` commits are proven not to touch anything that is named here: do not read them.
- `unsaid` commits were judged, and nothing was found.
- `at-risk` and `drift` are not tasks: read the message, and decide.
- To keep the older $upstream too: `--keep OLD`, where the project has a test of versions (`gate` in its
  configuration).
- After a failed run: `syncbot triage LOG --from OLD --to NEW` names the guilty commits, or says that
  $upstream has no fault.
- An exit code of 2 or 3 is no finding: the line that is printed says what to mend.
""")
_SECTION = Template("""\
## Moving to a newer $upstream

Before anything else, read `skills/syncbot/SKILL.md`: `syncbot plan` finds what breaks,
`syncbot check --only ID` says whether a task is done.
""")


def for_agents(found: Findings) -> Iterator[StartingFile]:
    """The skill, and the section that points to it, as a file of its own."""
    names = {"upstream": found.upstream, "package": found.package}
    skill = _SKILL.substitute(names)
    yield StartingFile("skills/syncbot/SKILL.md", skill, "how an agent moves the sources")
    yield StartingFile("AGENTS.md", section(found), "where an agent finds that")


def section(found: Findings) -> str:
    """The section of ``AGENTS.md``, for a file that stands already."""
    return _SECTION.substitute(upstream=found.upstream)
