"""A wheel of an upstream release, built once from its source distribution."""

from __future__ import annotations

import os
import shutil
import tarfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from subprocess import CalledProcessError

from build import BuildBackendException, BuildException, ProjectBuilder
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import Version

from syncbot.configuration_file import parsed_toml
from syncbot.errors import EnvironmentFailure
from syncbot.isolation.run_command import last_words, run
from syncbot.verify.installer import Installer
from syncbot.verify.once_made_folders import made_once
from syncbot.verify.recipe import Recipe
from syncbot.verify.stripped_wheels import pure

#: Beside the wheel: what was installed to build it.
BUILT_WITH = "built-with.txt"


def upstream_wheel(recipe: Recipe, sdist: Path, installer: Installer, cache: Path) -> Path:
    """A release's wheel, cached or built from ``sdist``, or its Python part. Raises EnvironmentFailure."""
    store = cache / "wheels" / f"{recipe.distribution}-{recipe.version}-{recipe.build_digest[:12]}"
    log = cache / "logs" / f"{store.name}.log"

    def make(folder: Path) -> Path:
        log.unlink(missing_ok=True)
        if recipe.published:
            return pure(sdist, recipe.published, folder / "made", recipe.without).parent
        return _build(recipe, sdist, installer, folder, log)

    return made_once(store, lambda: next(store.glob("*.whl"), None), make)


def _build(recipe: Recipe, sdist: Path, installer: Installer, folder: Path, log: Path) -> Path:
    made = folder / "made"
    source = _unpack(sdist, folder / "source")
    python = installer.create(folder / "venv", log)
    if recipe.lock is not None:
        installer.install_locked(python, recipe.lock.build, log)
    else:
        installer.install(python, _requirements(_build_requirements(source), recipe), recipe.pins, log)
    environment = installer.of_foreign_code(folder / "home") | dict(recipe.build_environment)
    environment["PATH"] = os.pathsep.join([str(python.parent), environment.get("PATH", os.defpath)])

    def runner(
        cmd: Sequence[str], cwd: str | None = None, extra_environ: Mapping[str, str] | None = None
    ) -> None:
        variables = environment | dict(extra_environ or {})
        where = Path(cwd or source)
        done = run(
            cmd, log, environment=variables, folder=where, apart_in=folder, unchanged=installer.folders
        )
        if done.code != 0:
            raise CalledProcessError(done.code or 1, cmd)

    builder = ProjectBuilder(source, python_executable=str(python), runner=runner)
    try:
        # A build backend's warnings stand in the log; they are not ours to print.
        with warnings.catch_warnings(action="ignore"):
            further = _requirements(builder.get_requires_for_build("wheel"), recipe)
            if recipe.lock is None:
                installer.install(python, sorted(further), recipe.pins, log)
            there = pins_of(installer.installed(python, folder / "installed"))
            built = Path(builder.build("wheel", made))
    except (BuildException, BuildBackendException) as error:
        raise EnvironmentFailure(
            f"cannot build {recipe.distribution} {recipe.version}: {last_words(log)} — see the log ({log})"
        ) from error
    try:
        version = parse_wheel_filename(built.name)[1]
    except InvalidWheelFilename as error:
        raise EnvironmentFailure(
            f"{recipe.distribution} {recipe.version} builds no wheel: {error}"
        ) from error
    if built.parent != made or built.is_symlink() or not built.is_file():
        raise EnvironmentFailure(
            f"{recipe.distribution} {recipe.version} builds its wheel elsewhere: {built}"
        )
    if Version(version.public) != Version(recipe.version):
        raise EnvironmentFailure(
            f"the source distribution of {recipe.distribution} {recipe.version} builds version {version}"
        )
    (made / BUILT_WITH).write_text("".join(f"{pin}\n" for pin in there), encoding="utf-8")
    return made


def _requirements(asked: Iterable[str], recipe: Recipe) -> list[str]:
    """The requirements of a build. Raises EnvironmentFailure for what an installer would take for an option,
    a path or an address."""
    given = list(asked)
    for text in given:
        try:
            plain = Requirement(text).url is None
        except InvalidRequirement:
            plain = False
        if not plain:
            raise EnvironmentFailure(
                f"{recipe.distribution} {recipe.version} asks for {text!r} to be built: no requirement"
            )
    return given


def pins_of(installed: Sequence[str]) -> list[str]:
    """Return what came from an index, of what is installed."""
    return [line for line in installed if "==" in line]


def _unpack(sdist: Path, target: Path) -> Path:
    """Unpack an sdist safely; returns its one top folder."""
    if not hasattr(tarfile, "data_filter"):
        raise EnvironmentFailure("this Python cannot unpack archives safely: use 3.11.4 or newer")
    try:
        shutil.unpack_archive(sdist, target, "gztar", filter="data")
    except (tarfile.TarError, shutil.ReadError, OSError, EOFError) as error:
        raise EnvironmentFailure(f"cannot unpack {sdist}: {error}: remove the file and try again") from error
    folders = [entry for entry in target.iterdir() if entry.is_dir()]
    if len(folders) != 1:
        raise EnvironmentFailure(f"{sdist.name} is no source distribution: it has {len(folders)} top folders")
    return folders[0]


def _build_requirements(source: Path) -> list[str]:
    """Return the build requirements in the sdist's pyproject.toml (PEP 518)."""
    try:
        project = parsed_toml((source / "pyproject.toml").read_text(encoding="utf-8"))
    except FileNotFoundError:
        project = {}
    except ValueError as error:
        raise EnvironmentFailure(f"{source.name}/pyproject.toml is not valid TOML: {error}") from error
    # Without a table, PEP 518 says setuptools.
    return [str(each) for each in project.get("build-system", {}).get("requires", ["setuptools>=40.8.0"])]
