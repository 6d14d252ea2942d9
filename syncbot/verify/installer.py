"""Virtual environments and what is installed in them, by uv, from where pip is told to find packages."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import Version
from uv import find_uv_bin

from syncbot.atomic import write_file
from syncbot.errors import EnvironmentFailure
from syncbot.isolation.run_command import run, tail
from syncbot.isolation.variables import few
from syncbot.verify.package_sources import package_sources, pip_configuration, uv_variables

_LONGEST_CAUSE = 400
#: The variables of the caller that concern downloads: indexes and their logins, proxies and certificates.
_OF_DOWNLOADS = re.compile(r"HOME|NETRC|UV_(?!PUBLISH_)\w+|SSL_\w+|XDG_\w+|\w+_(proxy|PROXY)")
_CROSS = "\N{MULTIPLICATION SIGN}"  # opens the resolver's complaints
_UNREACHABLE = ("dns error", "connection refused", "error sending request", "timed out", "offline")


@dataclass(frozen=True, slots=True)
class Installer:
    """uv with its environment, and which further variables foreign code may see (``inherit``). Made by
    ``Installer.of_this_machine``."""

    uv: str
    environment: Mapping[str, str]
    folder: Path
    inherit: tuple[str, ...] = ()

    @classmethod
    def of_this_machine(cls, cache: Path, inherit: tuple[str, ...] = ()) -> Installer:
        """An installer with pip's configuration and downloads below ``cache`` (or UV_CACHE_DIR). Raises
        EnvironmentFailure."""
        environment = few(os.environ, None) | {
            name: value for name, value in os.environ.items() if _OF_DOWNLOADS.fullmatch(name)
        }
        environment |= uv_variables(pip_configuration(), environment)
        environment.setdefault("UV_CACHE_DIR", str(cache / "uv"))
        environment.setdefault("UV_PYTHON_DOWNLOADS", "never")
        environment["UV_NO_PROGRESS"] = "1"
        # A build would see what downloads need: the one source distribution that is built is built apart.
        environment["UV_NO_BUILD"] = "1"
        try:
            uv = find_uv_bin()
        except FileNotFoundError as error:
            raise EnvironmentFailure("uv is not installed beside syncbot: run `pip install uv`") from error
        cache.mkdir(parents=True, exist_ok=True)
        return cls(uv, environment, cache, inherit)

    @property
    def sources(self) -> tuple[tuple[str, str], ...]:
        """The settings that decide which build of a package is taken (part of a recipe)."""
        return package_sources(self.environment)

    @property
    def folders(self) -> list[Path]:
        """The folders of downloads, which foreign code may not change."""
        return [self.folder, Path(self.environment["UV_CACHE_DIR"])]

    def of_foreign_code(self, home: Path) -> dict[str, str]:
        """The environment of code that somebody else wrote; ``home`` is made."""
        home.mkdir(parents=True, exist_ok=True)
        return few(os.environ, home, self.inherit) | {"TMPDIR": str(home)}

    def create(self, venv: Path, log: Path) -> Path:
        """Make an empty environment on syncbot's Python that may be renamed; returns its interpreter."""
        command = ["venv", "--relocatable", "--python", sys.executable, str(venv)]
        self._uv(command, log, "an environment")
        return venv / "bin" / "python"

    def install(self, python: Path, requirements: Sequence[str], overrides: Sequence[str], log: Path) -> None:
        """Install ``requirements``; ``overrides`` win. Raises EnvironmentFailure in the resolver's words."""
        if not requirements:
            return
        command = ["pip", "install", "--python", str(python), *requirements]
        if overrides:
            chosen = log.with_name(f"{log.stem}.overrides.txt")
            chosen.parent.mkdir(parents=True, exist_ok=True)
            chosen.write_text("\n".join(overrides) + "\n", encoding="utf-8")
            command += ["--overrides", str(chosen)]
        named = [Path(each).name for each in requirements if not each.startswith("--")]
        self._uv(command, log, ", ".join(named))

    def install_locked(self, python: Path, locked: str, log: Path, *options: str) -> None:
        """Install exactly the files that requirements with hashes name. Raises EnvironmentFailure."""
        if not locked.strip():
            return
        file = log.with_name(f"{log.stem}.locked.txt")
        write_file(file, locked.encode())
        command = ["pip", "install", "--python", str(python), "--no-deps", "--require-hashes", *options]
        # Whichever index has a file of such a hash: no other can come from there.
        self._uv([*command, "--index-strategy", "unsafe-best-match", "-r", str(file)], log, "what is locked")

    def resolved(self, wheel: Path, requirements: Sequence[str], log: Path) -> list[str]:
        """Return what an install of a wheel and requirements would take from indexes, as ``name==version``,
        without installing it. Raises EnvironmentFailure in the resolver's words."""
        name = parse_wheel_filename(wheel.name)[0]
        options = ["--python", sys.executable, "--no-emit-package", name]
        asked = [f"{name} @ {wheel.as_uri()}", *requirements]
        return self._compiled(asked, options, log, wheel.name).split()

    def locked(self, python: Path, pins: Sequence[str], log: Path) -> str:
        """Return exact requirements with the hashes of their files. Raises EnvironmentFailure."""
        options = ["--python", str(python), "--no-deps", "--generate-hashes"]
        text = self._compiled(pins, options, log, "the hashes of what is installed") if pins else ""
        return re.sub(r"^([\w.-]+)==(\S+)$", self._with_hashes_of_files, text, flags=re.MULTILINE)

    def _compiled(self, requirements: Sequence[str], options: Sequence[str], log: Path, what: str) -> str:
        """Exact requirements that uv makes of others."""
        asked, made = (log.with_name(f"{log.stem}.{name}.txt") for name in ("pins", "locked"))
        write_file(asked, "".join(f"{each}\n" for each in requirements).encode())
        made.unlink(missing_ok=True)
        quiet = ["--no-header", "--no-annotate", "--output-file", str(made)]
        self._uv(["pip", "compile", "--quiet", *options, *quiet, str(asked)], log, what)
        return made.read_text(encoding="utf-8")

    def _with_hashes_of_files(self, pin: re.Match[str]) -> str:
        """A requirement with the hashes of its wheels in folders, of which uv itself makes none."""
        folders = [
            Path(place.removeprefix("file://"))
            for place in self.environment.get("UV_FIND_LINKS", "").split(",")
        ]
        wheels = [
            wheel for folder in folders if folder.is_absolute() for wheel in sorted(folder.glob("*.whl"))
        ]
        wanted = (canonicalize_name(pin[1]), Version(pin[2]))
        found = [wheel for wheel in wheels if _named(wheel) == wanted]
        if not found:
            raise EnvironmentFailure(f"no index gives a hash of {pin[0]}, so that it cannot be locked")
        hashes = sorted({hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in found})
        return " \\\n    ".join([pin[0], *(f"--hash=sha256:{each}" for each in hashes)])

    def install_aside(self, python: Path, wheels: Sequence[Path], site: Path, log: Path) -> None:
        """Install wheels, without what they require, into the folder ``site`` instead of an environment."""
        command = ["pip", "install", "--python", str(python), "--target", str(site), "--no-deps"]
        self._uv([*command, *map(str, wheels)], log, ", ".join(wheel.name for wheel in wheels))

    def install_beside(self, python: Path, requirements: Sequence[str], site: Path, log: Path) -> None:
        """Install requirements and what they require into the folder ``site``. Raises EnvironmentFailure in
        the resolver's words."""
        target = ["--python", str(python), "--target", str(site)]
        self._uv(["pip", "install", *target, *requirements], log, ", ".join(requirements))

    def installed(self, python: Path, log: Path) -> tuple[str, ...]:
        """Return the installed distributions as sorted lines: ``name==version``, or ``name @ URL``."""
        log.unlink(missing_ok=True)
        self._uv(["pip", "freeze", "--python", str(python)], log, "the list of what is installed")
        lines = log.read_text(encoding="utf-8").splitlines()
        return tuple(sorted(line for line in lines if "==" in line or " @ " in line))

    def _uv(self, arguments: Sequence[str], log: Path, what: str) -> None:
        # Not in a folder below a project, whose settings uv would follow.
        top = Path(self.folder.anchor)
        done = run([self.uv, *arguments], log, environment=self.environment, folder=top)
        if done.code != 0:
            cause = _cause(tail(log))
            network = any(sign in cause.lower() for sign in _UNREACHABLE)
            mend = "check the network and pip's index settings" if network else "see the log"
            raise EnvironmentFailure(f"cannot install {what}: {cause} — {mend} ({log})")


def _cause(lines: Sequence[str]) -> str:
    """uv's complaint in one line: from its last line that opens an error to the end, boxes taken off."""
    opening = [number for number, line in enumerate(lines) if line.lstrip().startswith(("error:", _CROSS))]
    told = lines[opening[-1] :] if opening else lines[-3:]
    words = " ".join(" ".join(line.strip(f" {_CROSS}╰─▶│├") for line in told).split())
    return words if len(words) <= _LONGEST_CAUSE else words[: _LONGEST_CAUSE - 1] + "…"


def _named(wheel: Path) -> tuple[str, Version] | None:
    try:
        return parse_wheel_filename(wheel.name)[:2]
    except InvalidWheelFilename:
        return None
