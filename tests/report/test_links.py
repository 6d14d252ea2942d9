from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from syncbot.config import Config, load
from syncbot.errors import ConfigurationError
from syncbot.report.formats import render
from syncbot.report.links import kinds_page
from syncbot.report.model import Report

from .test_html import page as html_page
from .test_markdown import page
from .test_sarif import valid

PAGE = "https://example.org/o_r/docs/kinds.md"


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, *urls: str) -> None:
    """The metadata of an installed syncbot that declares these addresses."""
    (folder / "syncbot-9.dist-info").mkdir()
    lines = ["Metadata-Version: 2.4", "Name: syncbot", "Version: 9", *(f"Project-URL: {url}" for url in urls)]
    (folder / "syncbot-9.dist-info" / "METADATA").write_text("\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(folder)


def test_every_format_with_links_leads_to_the_kind(report: Report) -> None:
    known = replace(report, kinds_page=PAGE)
    log = json.loads(render(known, "sarif"))
    valid(log)
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["helpUri"] for rule in rules] == [f"{PAGE}#parameter-removed", f"{PAGE}#symbol-removed"]
    for soup in (page(known), html_page(known)):
        links = soup.find_all("a", href=f"{PAGE}#symbol-removed")
        assert {link.get_text() for link in links} == {"symbol-removed"}


def test_without_an_address_there_are_no_links(report: Report) -> None:
    rules = json.loads(render(report, "sarif"))["runs"][0]["tool"]["driver"]["rules"]
    assert not any("helpUri" in rule for rule in rules)
    assert not any("symbol-removed" in render(report, name) for name in ("markdown", "html"))


def test_the_package_declares_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(
        tmp_path, monkeypatch, "Source, https://example.org/s", "Documentation, https://example.org/o_r/docs/"
    )
    assert kinds_page(Config()) == PAGE
    assert kinds_page(Config(kinds_page="https://example.org/other")) == "https://example.org/other"


def test_other_addresses_are_no_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, monkeypatch, "Source, https://example.org/s")
    assert kinds_page(Config()) == ""


@pytest.mark.parametrize(
    "address", ["docs/kinds.md", "javascript:alert(1)", "https://", "https://a/b c", "https://a/#b"]
)
def test_the_page_has_a_web_address(tmp_path: Path, address: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.syncbot]\nkinds_page = {address!r}\n")
    with pytest.raises(ConfigurationError, match=r"kinds_page: .* is not a web address"):
        load(tmp_path)
