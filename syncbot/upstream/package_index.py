"""The package index: which files a distribution has there, and their downloads, checked by digest."""

from __future__ import annotations

import hashlib
import os
import re
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit, urlunsplit

import requests
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version
from pypi_simple import (
    ACCEPT_JSON_PREFERRED,
    PYPI_SIMPLE_ENDPOINT,
    ProjectPage,
    RepositoryPage,
    UnexpectedRepoVersionWarning,
    UnsupportedContentTypeError,
    UnsupportedRepoVersionError,
)
from urllib3.util import Retry

from syncbot.atomic import replacing
from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.upstream.bounded_answers import BoundedAdapter
from syncbot.upstream.index_listing import IndexAddress, IndexFile, IndexUnreachable, Listing
from syncbot.upstream.index_listing import address as parse_address
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.named_repository import named_repository

_TIMEOUT = (10.0, 60.0)
_CHUNK = 1 << 18
_NO_PAGE = (
    *(UnsupportedContentTypeError, UnsupportedRepoVersionError),
    *(ValueError, LookupError, RecursionError),
)
_SHA256 = re.compile(r"[0-9a-f]{64}")


class PackageIndex:
    """An index by its simple API; by default the public one. ``PIP_CERT`` names certificates to trust."""

    def __init__(self, address: IndexAddress | None) -> None:
        self._address = address or parse_address(PYPI_SIMPLE_ENDPOINT)
        self._session = requests.Session()
        self._session.verify = os.environ.get("PIP_CERT") or True
        failing = (429, 500, 502, 503, 504)
        # A server that asks to come back in a year is not waited for.
        retries = Retry(
            3, connect=1, backoff_factor=0.3, status_forcelist=failing, raise_on_status=False,
            respect_retry_after_header=False,
        )  # fmt: skip
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, BoundedAdapter(max_retries=retries, pool_maxsize=8))

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def listing(self, distribution: str) -> Listing:
        """The files of a distribution. Raises UsageError if there is none of that name, IndexUnreachable."""
        page_url = f"{self._address.url}{canonicalize_name(distribution)}/"
        with self._get(page_url, accept=ACCEPT_JSON_PREFERRED) as response:
            if response.status_code == 404:
                raise UsageError(
                    f"the package index {self._address.url} has no distribution {distribution!r}"
                )
            self._usable(response)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UnexpectedRepoVersionWarning)
                    page = ProjectPage.from_response(response, distribution)
                    times = _html_times(response)
            except _NO_PAGE as error:
                raise IndexUnreachable(
                    f"{page_url} is no page of a package index: check the URL of the index"
                ) from error
        return Listing(time.time(), tuple(_files(page, times)))

    def upload_times(self, distribution: str) -> dict[str, str]:
        """File name → upload time by the index's JSON API; empty where the index has no such API."""
        releases: Any = self._described(distribution).get("releases", {})
        key = "upload_time_iso_8601"
        with suppress(AttributeError, TypeError, KeyError):
            return {
                file["filename"]: file[key] for files in releases.values() for file in files if key in file
            }
        return {}

    def repository(self, distribution: str) -> str | None:
        """The address of the git repository that a distribution names; None where it names none, or the index
        has no JSON API."""
        info: Any = self._described(distribution).get("info", {})
        with suppress(AttributeError, TypeError):
            return named_repository(info.get("project_urls") or {}, info.get("home_page"))
        return None

    def _described(self, distribution: str) -> dict[str, Any]:
        """Return the answer of the index's JSON API about a distribution; empty where there is none."""
        url = re.sub(r"/simple/$", "/", self._address.url) + f"pypi/{canonicalize_name(distribution)}/json"
        with suppress(EnvironmentFailure, ValueError, RecursionError), self._get(url) as response:
            self._usable(response)
            told = response.json()
            return told if isinstance(told, dict) else {}
        return {}

    def download(self, file: IndexFile, cache: Path, meter: Meter = no_meter) -> Path:
        """The file in the cache, its SHA-256 checked. Raises EnvironmentFailure where it does not match."""
        if file.sha256 is None:
            raise EnvironmentFailure(
                f"the package index gives no sha256 of {file.filename}: it cannot be trusted"
            )
        target = cache / "downloads" / "sha256" / file.sha256[:2] / file.sha256
        if target.is_file() and _sha256(target) == file.sha256:
            return target
        with replacing(target) as part:
            if self._fetch(file, part, meter) != file.sha256:
                raise EnvironmentFailure(
                    f"{file.filename} is not what the package index says (sha256 differs): try again"
                )
        return target

    def _fetch(self, file: IndexFile, part: IO[bytes], meter: Meter) -> str:
        """Write the file's content to ``part``; returns its SHA-256."""
        digest, done = hashlib.sha256(), 0
        with self._get(file.url, stream=True) as response:
            self._usable(response)
            length = response.headers.get("Content-Length", "")
            total = int(length) if length.isdigit() else None
            with _network(file.url):
                for chunk in response.iter_content(_CHUNK):
                    part.write(chunk)
                    digest.update(chunk)
                    done += len(chunk)
                    meter(f"downloading {file.filename}", done, total)
        part.flush()
        return digest.hexdigest()

    def _get(self, url: str, accept: str = "*/*", stream: bool = False) -> requests.Response:
        with _network(url):
            # The same host by another scheme could be anybody on the way.
            own = urlsplit(self._address.url)[:2] == urlsplit(url)[:2]
            auth = self._address.credentials if own else None
            return self._session.get(
                url, headers={"Accept": accept}, auth=auth, stream=stream, timeout=_TIMEOUT
            )

    def _usable(self, response: requests.Response) -> None:
        if response.ok:
            return
        answered = f"{response.url.partition('?')[0]} answered {response.status_code}"
        if response.status_code in (401, 403):
            # What was kept of an index is for nobody whom it refuses.
            raise EnvironmentFailure(f"{answered}: check the user and password")
        raise IndexUnreachable(f"{answered}: try again later")


def _files(page: ProjectPage, times: dict[str, str]) -> Iterator[IndexFile]:
    for package in page.packages:
        if package.package_type not in ("sdist", "wheel") or not _is_version(package.version):
            continue
        uploaded, digest = package.upload_time, package.digests.get("sha256", "")
        yield IndexFile(
            filename=package.filename,
            url=package.url,
            version=str(package.version),
            kind=package.package_type,
            # It names a file of the cache, and comes from a stranger.
            sha256=digest if _SHA256.fullmatch(digest) else None,
            uploaded=uploaded.isoformat() if uploaded else times.get(package.filename),
            yanked=package.is_yanked,
        )


def _html_times(response: requests.Response) -> dict[str, str]:
    """Upload times that an HTML page carries as an attribute, which pypi-simple reads of JSON pages only."""
    if "html" not in response.headers.get("Content-Type", ""):
        return {}
    links = RepositoryPage.from_html(response.content, base_url=response.url).links
    times = ((link.text, link.attrs.get("data-upload-time")) for link in links)
    return {name: time for name, time in times if isinstance(time, str)}


def _is_version(text: str | None) -> bool:
    try:
        return text is not None and bool(Version(text))
    except InvalidVersion:
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def _network(url: str) -> Iterator[None]:
    """Every way that a request can fail, as one line."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise IndexUnreachable(f"the package index gives no valid address: {error}") from error
    where = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))
    try:
        yield
    except requests.exceptions.SSLError as error:
        raise IndexUnreachable(f"{where} shows a certificate that is not trusted: set PIP_CERT") from error
    except requests.Timeout as error:
        raise IndexUnreachable(f"{where} did not answer in time: check the network") from error
    except requests.ConnectionError as error:
        raise IndexUnreachable(
            f"{where} cannot be reached: check the network and the URL of the index"
        ) from error
    except (requests.RequestException, OSError, ValueError) as error:
        raise IndexUnreachable(f"{where} cannot be read ({type(error).__name__}): check the URL") from error
