"""The days that break us as an Atom feed (RFC 4287). Its moments are those of commits, its ids those of names
and days alone, so that the same days give the same bytes wherever the site lies."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree

from syncbot.report import view
from syncbot.report.catalogue import Words
from syncbot.report.untrusted_text import one_line, visible
from syncbot.site.days import Day, is_break
from syncbot.site.findings import finding_url

#: Where it stands, from the site's root.
PATH = "feed.xml"

_DAYS, _FINDINGS = 60, 20
_ATOM = "http://www.w3.org/2005/Atom"


def feed(name: str, days: Sequence[Day], words: Words) -> bytes:
    """The newest days that break the backend's sources; of no day at all, nothing (empty)."""
    if not days:
        return b""
    ElementTree.register_namespace("", _ATOM)
    root = _element(None, "feed", {"{http://www.w3.org/XML/1998/namespace}lang": words.language})
    _head(root, f"{name}: {words('site_last_breaks')}", f"syncbot {name}", _moment(days[0]), "index.html")
    _element(root, "link", {"rel": "self", "type": "application/atom+xml", "href": PATH})
    _element(_element(root, "author"), "name", text=name)
    for day in [day for day in days if day.breaks][:_DAYS]:
        entry = _element(root, "entry")
        headlines = words("gap").join(view.headline(report, words) for report in day.reports)
        _head(
            entry,
            f"{day.date}: {headlines}",
            f"syncbot {name} {day.date}",
            _moment(day),
            f"days/{day.date}.html",
        )
        _element(_element(entry, "content", {"type": "xhtml"}), "{http://www.w3.org/1999/xhtml}div").append(
            _list(day)
        )
    text: str = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _list(day: Day) -> ElementTree.Element:
    listed = ElementTree.Element("{http://www.w3.org/1999/xhtml}ul")
    for impact in [i for report in day.reports for i in report.impacts if is_break(i)][:_FINDINGS]:
        item = ElementTree.SubElement(listed, "{http://www.w3.org/1999/xhtml}li")
        link = ElementTree.SubElement(item, "{http://www.w3.org/1999/xhtml}a", {"href": finding_url(impact)})
        link.text = _text(impact.message)
    return listed


def _head(at: ElementTree.Element, title: str, identity: str, moment: str, page: str) -> None:
    _element(at, "title", text=_text(title))
    _element(at, "id", text=f"urn:uuid:{uuid5(NAMESPACE_URL, identity)}")
    _element(at, "updated", text=moment)
    _element(at, "link", {"href": page})


def _element(
    at: ElementTree.Element | None, name: str, given: dict[str, str] | None = None, text: str | None = None
) -> ElementTree.Element:
    qualified = name if name.startswith("{") else f"{{{_ATOM}}}{name}"
    made = (
        ElementTree.Element(qualified, given or {})
        if at is None
        else ElementTree.SubElement(at, qualified, given or {})
    )
    made.text = text
    return made


def _moment(day: Day) -> str:
    return max(commit.date for report in day.reports for commit in report.commits).isoformat()


def _text(text: str) -> str:
    return visible(one_line(text))
