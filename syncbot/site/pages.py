"""Templates and what they ask for; every page gets its text from here."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import PurePosixPath

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from syncbot.lanes.matrix import Lane, Matrix
from syncbot.report.breakable import breakable
from syncbot.report.catalogue import Words
from syncbot.report.links import commit_url, kind_url
from syncbot.report.names import named
from syncbot.report.untrusted_text import one_line, visible
from syncbot.report.view import mend, testimony
from syncbot.site.feed import PATH
from syncbot.site.heat_map import Column, Group, Run
from syncbot.site.model import SiteContent
from syncbot.site.upgrades import UpgradePage

_STATES = ("fail", "stale", "unknown", "unsupported", "pass")


# File systems take names of 255 bytes.
_LONGEST = 200


class Pages:
    """Renders the pages of one site."""

    def __init__(self, known: SiteContent) -> None:
        self._environment = Environment(
            loader=PackageLoader("syncbot.site"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        filters = (
            *(anchor, breakable, cell_label, claimed_runs, claims_any, commit_url, file_name, group_name),
            *(lane_url, moment, kind_url, mend, named, one_line, outcomes, slug, testimony, upgrade_url),
        )
        self._environment.filters |= {function.__name__: function for function in filters}
        self._environment.globals |= {
            "w": known.words,
            "name": known.name,
            "feed": PATH if known.days else "",
        }

    def page(self, path: str, template: str, title: str, section: str = "", **values: object) -> bytes:
        """A page at a path below the site's root; ``section`` is the entry of the navigation it is under."""
        root = "../" * path.count("/")
        values |= {"path": path, "root": root, "title": title, "section": section}
        return f"{visible(self._environment.get_template(template).render(values))}\n".encode()


def slug(text: str) -> str:
    """A name for an anchor or a file; names that had to be changed stay apart by a digest."""
    kept = re.sub(r"[^A-Za-z0-9._-]+", "-", text)
    return kept if kept == text else f"{kept}-{_digest(text)}"


def file_name(path: str) -> str:
    """The name of the page on one of our files."""
    return f"{slug(PurePosixPath(path).name)[:_LONGEST]}-{_digest(path)}.html"


def lane_url(lane: Lane) -> str:
    """The page of a lane, from the site's root."""
    return f"lanes/{slug(lane.tag)}.html"


def upgrade_url(upgrade: UpgradePage) -> str:
    """The page of an upgrade, from the site's root."""
    return f"upgrades/{slug(upgrade.name)[:_LONGEST]}.html"


def anchor(column: Column) -> str:
    """The place of a column's evidence on the page of a lane."""
    return f"cell-{slug(column.name)}"


def cell_label(column: Column, lane: Lane, words: Words, matrix: Matrix) -> str:
    """Return the label of a cell of the heat map: check, lane, and state, of each runner if there are any."""
    runs = claimed_runs(column, lane, matrix)
    states = [f"{run.runner} {words(f'site_{lane.shown(run.check)}')}".lstrip() for run in runs]
    shown = words("list_and").join(states)
    return words("site_evidence_of", check=column.name, lane=lane.tag, status=shown)


def claimed_runs(column: Column, lane: Lane, matrix: Matrix) -> list[Run]:
    """The runs of a column that a lane claims: nothing is said of the others."""
    return [run for run in column.runs if matrix.claims(lane, run.check)]


def claims_any(group: Group, lane: Lane, matrix: Matrix) -> bool:
    """Whether a lane claims anything of a group."""
    return any(claimed_runs(column, lane, matrix) for column in group.columns)


def group_name(group: Group, words: Words) -> str:
    """Return the name of a group of columns; a further part of a large one is numbered."""
    name = words("site_other_cases") if group.name is None else group.name or words("site_group_checks")
    return name if group.part == 1 else f"{name} ({group.part})"


def moment(text: str) -> Markup:
    """A moment of the matrix in UTC; as it stands where it is none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return escape(text)
    shown = f"{found.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if found.tzinfo else f"{found:%Y-%m-%d %H:%M}"
    return Markup('<time datetime="{}">{}</time>').format(text, shown)


def outcomes(lane: Lane) -> list[tuple[str, int]]:
    """How many checks of a lane have which status, worst first."""
    counts = Counter(str(lane.shown(check)) for check in lane.checks)
    return [(status, counts[status]) for status in _STATES if counts[status]]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
