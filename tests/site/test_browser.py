"""The site in Chromium: nothing is fetched from elsewhere, axe-core finds nothing, a keyboard and a phone do.

Screenshots are left in build/site-screenshots, at night alone: nothing looks at them.
"""

from __future__ import annotations

import functools
import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright

from syncbot.site.catalogue import words
from syncbot.site.heat_map import Cases
from syncbot.site.model import SiteContent
from syncbot.site.written_files import put
from tests.budget import PROFILE
from tests.report.conftest import ROUTING

from .browser import browser as find
from .conftest import ROOT, build, known, month
from .project import EVIL, HOOK
from .test_heat_map import wide

pytestmark = pytest.mark.machine

SCREENSHOTS = ROOT / "build" / "site-screenshots"
DESKTOP, PHONE = (1280, 900), (375, 812)
PAGES = {
    "matrix": "index.html",
    "lane": "lanes/v0.30.0.html",
    "activity": "activity.html",
    "day": "days/2026-01-23.html",
    "patches": "patches/index.html",
    "patch": f"patches/{HOOK}.html",
    "upgrade": "upgrades/vllm-v0.25.1-v0.26.0.html",
    "hot-spots": "files/index.html",
    "search": "search.html?q=attention",
}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = find(playwright)
        # A graphics processor made of software would take the processors from the pages.
        running = playwright.chromium.launch(
            executable_path=found.program,
            args=["--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])],
            env={**os.environ, **found.variables},
        )
        yield running
        running.close()


LOUD = ("error", "warning")


class Strict:
    """Makes pages, and knows what they asked for and complained of."""

    def __init__(self, context: BrowserContext) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.context = context
        context.set_default_timeout(60_000)
        context.on("request", lambda request: self.requests.append(request.url))
        # What the browser notes beside errors and warnings hangs on when a page is looked at.
        context.on("console", lambda said: self.complaints.append(said.text) if said.type in LOUD else None)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))

    def open(self, address: str) -> Page:
        page = self.context.new_page()
        page.goto(address)
        return page


@pytest.fixture
def strict(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Strict]:
    """Options of the context come as the fixture's parameter."""
    context = chromium.new_context(**getattr(request, "param", {}))
    made = Strict(context)
    yield made
    context.close()
    assert made.complaints == []


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[str]:
    """The address of the site below a path of a server."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    handler = functools.partial(Quiet, directory=str(site.parents[1]))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/deep/site"
        server.shutdown()


def serious(page: Page, within: str | None = None) -> list[str]:
    """Return the findings of axe-core that are serious or critical, on the page or within a part of it."""
    # Without the preload, which would fetch the style sheet again, and may not.
    options = {"preload": False, "resultTypes": ["violations"]}
    found = Axe().run(page, within, options=options).response["violations"]
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


def look(size: tuple[int, int], scheme: str) -> dict[str, object]:
    return {"viewport": {"width": size[0], "height": size[1]}, "color_scheme": scheme}


def picture(page: Page, name: str, full: bool = False) -> None:
    """Leave a picture of a page, at night. Chromium has at times no frame of a page that was just laid out anew, and says
    that it is unable to capture it; a little later it has one."""
    if PROFILE != "nightly":
        return
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    file = SCREENSHOTS / f"{name}.png"
    try:
        page.screenshot(path=file, full_page=full)
    except Error as error:
        if "Unable to capture screenshot" not in error.message:
            raise
        page.wait_for_timeout(1000)
        page.screenshot(path=file, full_page=full)


@pytest.mark.parametrize(
    "strict",
    [look(DESKTOP, "light"), look(PHONE, "dark")],
    ids=["desktop-light", "phone-dark"],
    indirect=True,
)
def test_every_kind_of_page(strict: Strict, site: Path, request: pytest.FixtureRequest) -> None:
    options = request.node.callspec.params["strict"]
    width = options["viewport"]["width"]
    files = dict(PAGES)
    files["finding"] = next(f"findings/{f.name}" for f in sorted((site / "findings").iterdir()))
    files["hot-spot"] = next(f"files/{f.name}" for f in (site / "files").glob("moe.py-*.html"))
    # One page for all: each new one is a process that compiles axe anew.
    page = strict.context.new_page()
    for name, path in files.items():
        page.goto(f"file://{site}/{path}")
        if name == "search":
            expect(page.locator("#results li").first).to_be_visible()
        picture(page, f"{name}-{request.node.callspec.id}", full=name != "day")
        page.evaluate("document.querySelectorAll('details').forEach(folded => folded.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        cut = "[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth).length"
        assert page.evaluate(cut) == 0, name
        assert serious(page) == [], name
    assert {url.partition(":")[0] for url in strict.requests} == {"file"}


@pytest.mark.parametrize(
    "strict", [look(PHONE, "light"), look(DESKTOP, "dark")], ids=["light", "dark"], indirect=True
)
def test_evidence_is_readable_in_both_themes(
    strict: Strict, site: Path, request: pytest.FixtureRequest
) -> None:
    page = strict.open(f"file://{site}/index.html")
    scheme = request.node.callspec.id
    shown = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in shown[4:-1].split(",")) > 384) is (scheme == "light")
    for state in ("fail", "stale", "unsupported", "unknown", "pass"):
        page.locator(f".heat i.{state}").first.click()
        run = page.locator(f".card:target .run:has(.{state})").first
        expect(run).to_be_in_viewport()
        run.locator("summary").click()
        # The rest of the page is the same for all.
        assert serious(page, None if state == "fail" else ".card:target") == [], state
        picture(page, f"evidence-{state}-{scheme}")
        page.go_back()


@pytest.mark.parametrize(
    "strict", [look(PHONE, "light"), look((1440, 900), "light")], ids=["phone", "desktop"], indirect=True
)
def test_a_map_of_forty_checks_on_twenty_lanes_needs_no_scrolling_sideways(
    strict: Strict, tmp_path: Path
) -> None:
    sizes = (1, 13, 8, 3, 9, 3, 4)
    names = {
        f"group{at}": [f"a_rather_long_case_{at}_{n}" for n in range(size)] for at, size in enumerate(sizes)
    }
    cases = Cases({case: ("v1", "v2") for members in names.values() for case in members}, names)
    checks = [f"simulate-{case}-{runner}" for case in cases.runners for runner in ("v1", "v2")]
    put(tmp_path / "site", build(SiteContent("plugin", words("en"), wide(checks, 21), cases)))
    page = strict.open(f"file://{tmp_path}/site/index.html")
    assert page.locator(".heat td a").count() == sum(sizes) * 21
    boxes = [page.locator(".heat td a").nth(at).bounding_box() for at in (0, 21, -1)]
    assert all(box is not None and box["width"] > 16 and box["height"] > 16 for box in boxes)
    width = page.viewport_size["width"] if page.viewport_size else 0
    assert page.evaluate("document.documentElement.scrollWidth") == width
    scrolled = "[...document.querySelectorAll('.heat, .heat *')].filter(e => e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX == 'auto').length"
    assert page.evaluate(scrolled) == 0
    assert (
        max(
            row["right"]
            for row in page.evaluate(
                "[...document.querySelectorAll('.heat table')].map(t => t.getBoundingClientRect())"
            )
        )
        <= width
    )


def test_with_the_keyboard_alone(strict: Strict, site: Path) -> None:
    page = strict.open(f"file://{site}/index.html")
    focused = "document.activeElement.title || document.activeElement.textContent"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == words("en")("site_skip")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == words("en")("site_skip_map")
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "v0.33.0"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "static on v0.33.0: passed"
    for key, cell in (
        ("ArrowDown", "static on v0.32.0: passed"),
        ("ArrowUp", "static on v0.33.0: passed"),
        ("ArrowUp", "static on v0.33.0: passed"),
        ("Tab", "v0.32.0"),
    ):
        page.keyboard.press(key)
        assert page.evaluate(focused) == cell
    for _ in range(3):
        page.keyboard.press("Tab")
    assert page.evaluate(focused) == "qwen3 on v0.33.0: v1 passed, v2 passed"
    assert page.evaluate("getComputedStyle(document.activeElement).boxShadow") != "none"
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Lane v0.30.0")
    expect(page.locator(".card:target .run[open]")).to_contain_text("check simulate-qwen3-v1 --lane v0.30.0")


def test_the_theme_that_was_chosen_stays(strict: Strict, served: str) -> None:
    page = strict.open(f"{served}/index.html")
    button = page.get_by_role("button", name="Theme: automatic")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    button.click()
    expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark != light
    assert serious(page) == []
    page.get_by_role("link", name="Patches").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Patches")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
    page.get_by_role("button", name="Theme: dark").click()
    page.get_by_role("button", name="Theme: light").click()
    assert page.evaluate("localStorage.getItem('syncbot-theme')") is None
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == light


def test_searching_below_a_path_of_a_server(strict: Strict, served: str) -> None:
    page = strict.open(f"{served}/days/2026-01-20.html")
    box = page.get_by_role("searchbox")
    box.fill("moe REFACTOR select_experts")
    box.press("Enter")
    expect(page.locator("#found")).to_contain_text(" found")
    first = page.locator("#results li").first
    expect(first.locator(".badge")).to_have_text("breaks us")
    first.get_by_role("link").click()
    commit = page.locator(f"#commit-{ROUTING[:12]}")
    expect(commit).to_have_attribute("open", "")
    expect(commit).to_be_in_viewport()
    page.go_back()
    page.get_by_label("Search for").last.fill("no such thing anywhere")
    expect(page.locator("#found")).to_have_text("Nothing found.")
    assert {url.startswith(f"{served}/") for url in strict.requests} == {True}


def test_a_strangers_words_are_found_as_text(strict: Strict, site: Path) -> None:
    page = strict.open(f"file://{site}/search.html")
    page.get_by_label("Search for").last.fill("<script>alert(1)")
    found = page.locator("#results li")
    expect(found).to_have_count(1)
    expect(found.get_by_role("link")).to_contain_text(EVIL.partition('"')[0])
    assert page.locator("#results script, #results img").count() == 0


@pytest.mark.parametrize("strict", [{"java_script_enabled": False}], ids=["no-javascript"], indirect=True)
def test_without_javascript(strict: Strict, site: Path) -> None:
    page = strict.open(f"file://{site}/index.html")
    expect(page.locator("button.theme")).to_be_hidden()
    page.locator(".heat i.fail").first.click()
    expect(page.locator(".run[open]").filter(has_text="Segmentation fault")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="All weeks and days").click()
    page.get_by_role("link", name="2026-01-23: 33 commits, 1 commit that breaks us").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Daily report (2026-01-23)")
    page.goto(f"file://{site}/search.html")
    expect(page.get_by_text("Searching needs JavaScript.")).to_be_visible()


def test_what_axe_and_the_policy_are_there_for_is_seen(chromium: Browser, site: Path) -> None:
    with chromium.new_context() as context:
        made = Strict(context)
        page = made.open(f"file://{site}/index.html")
        page.evaluate("new Image().src = 'https://other.example/pixel.png'")
        page.evaluate("document.body.append(document.createElement('script'))")
        page.evaluate("document.body.lastChild.textContent = 'document.title = \"changed\"'")
        assert [said.partition(" ")[0] for said in made.complaints] == ["Loading", "Executing"]
        assert page.title() != "changed"
        page.set_content("<html lang=en><title>x</title><main><h1>x</h1><img src=x><p>pale</p>")
        page.evaluate("document.querySelector('p').style.color = '#ccc'")
        assert {found.partition(":")[0] for found in serious(page)} == {"image-alt", "color-contrast"}


def test_in_chinese(strict: Strict, tmp_path: Path) -> None:
    put(tmp_path / "zh", build(known(month()[-2:], "zh")))
    for path in ("index.html", "days/2026-01-23.html"):
        page = strict.open(f"file://{tmp_path}/zh/{path}")
        assert serious(page) == [], path
    picture(page, "day-chinese")
