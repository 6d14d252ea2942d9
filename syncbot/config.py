"""The configuration: ``[tool.syncbot]`` in the ``pyproject.toml`` of the backend's repository, or the same
tables in a file of their own (`syncbot.configuration_file`)."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Self, get_args
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from syncbot import project_folders
from syncbot.configuration_file import ConfigurationFile, configuration_file
from syncbot.errors import ConfigurationError
from syncbot.limits import Limits
from syncbot.setting_values import (
    Address,
    Below,
    Beside,
    CommitId,
    Digest,
    Dotted,
    NoSecret,
    PinnedPackage,
    TimeZone,
    TopLevel,
    WebAddress,
    is_this_machine,
    specifier,
)


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SchemaFileConfig(_Table):
    """A YAML file of operator schemas, whose lists ``sections`` declare ``torch.ops.NAMESPACE.name``, and
    ``modules.name``."""

    file: Below
    namespace: str = Field(pattern=r"^[A-Za-z_]\w*$")
    sections: tuple[str, ...] = Field(min_length=1)
    modules: tuple[Dotted, ...] = ()

    @model_validator(mode="after")
    def _is_yaml(self) -> Self:
        if not self.file.endswith((".yaml", ".yml")):
            raise ValueError(f"file = {self.file!r} must be a YAML file")
        return self


class UpstreamConfig(_Table):
    """One followed package, and the import ``packages`` it ships (else those of its tree). ``release`` (a
    distribution) or ``git`` (URL or path) says how it is followed; without either, the public repository is
    followed where it can be reached (``web``, else the one that the package index names), and the releases
    of the distribution that is called so where it cannot. Of releases, ``versions`` (PEP 440) admits those
    that are followed, else all."""

    packages: tuple[TopLevel, ...] = ()
    release: str | None = None
    git: str | None = None
    branch: str | None = None
    web: Address = None
    versions: Annotated[str | None, specifier("a version specifier such as '>=0.28,<0.33'")] = None
    prereleases: bool = False
    schemas: tuple[SchemaFileConfig, ...] = ()

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.release is not None and self.git is not None:
            raise ValueError("set one of 'release' and 'git', or neither")
        return self


class Sibling(_Table):
    """A method whose contract is that of sibling methods, where the base's own signature says nothing."""

    base: Dotted
    method: str
    follows: tuple[str, ...] = Field(min_length=1)


class OperatorRegistrar(_Table):
    """An upstream function that registers operators by name."""

    function: Dotted
    namespace: str
    name: str
    implementation: str
    name_position: int = Field(default=0, ge=0)
    implementation_position: int = Field(default=1, ge=0)


class PartConfig(_Table):
    """A part of a lane's stack that is no distribution. Its homes are in environment ``variables``, then
    ``folders``; the version is ``pattern``'s one group in the first of ``files`` (globs below a home)."""

    variables: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = Field(min_length=1)
    pattern: str = r"(?im)^version\s*=\s*(\S+)"

    @model_validator(mode="after")
    def _one_group(self) -> Self:
        try:
            groups = re.compile(self.pattern).groups
        except re.error as error:
            raise ValueError(f"pattern {self.pattern!r} is not a regular expression: {error}") from error
        if groups != 1:
            raise ValueError(f"pattern {self.pattern!r} must have one group, for the version")
        if any(Path(file).is_absolute() or ".." in Path(file).parts for file in self.files):
            raise ValueError("files must be patterns below the part's home")
        return self


class ProjectConfig(_Table):
    """The backend's own names: its distribution and its import package."""

    distribution: str | None = None
    package: Dotted | None = None
    urls: dict[str, str] = Field(default_factory=dict)


class MadeOnce(_Table):
    """Files that ``python -m MODULE FOLDER`` makes for runs: once for these ``sources`` (files and folders of
    the wheels that are installed), ``distributions`` of the environment, ``wheels`` that are only read, by
    their variables, and ``programs``, the default of each by the variable that names another."""

    module: Dotted
    sources: tuple[str, ...] = Field(min_length=1)
    distributions: tuple[str, ...] = ()
    wheels: tuple[str, ...] = ()
    programs: dict[str, str] = Field(default_factory=dict)


class SuiteSettings(_Table):
    """The tests that a plugin brings along: files ``test_*.py`` below ``folders`` of its source distribution.
    They run with pytest, the plugins of it that the project's own files name, and ``requires``, told
    ``environment``. One process runs the text ``prepare``, imports the modules ``preload``, and begins all
    files. ``arguments`` are pytest's. A test may use ``timeout`` seconds of processor time, and none for
    ``idle`` seconds on the clock. Classes of differences that people decided stand in ``classes``."""

    folders: Annotated[tuple[Below, ...], Field(min_length=1)]
    requires: tuple[str, ...] = ()
    environment: dict[str, str] = Field(default_factory=dict)
    prepare: str = ""
    preload: tuple[Dotted, ...] = ()
    arguments: tuple[str, ...] = ()
    timeout: float = Field(default=60.0, gt=0)
    idle: float = Field(default=180.0, gt=0)
    classes: Below = "test_classes.yaml"


class SimulationSettings(_Table):
    """``[tool.syncbot.simulate]``. ``python -m CHECK --case C --runner R --output FILE`` exits with 0 or
    1, writes one JSON object and prints last what was wrong; of ``together`` runs, a list with ``case``,
    ``runner`` and ``failure``. ``stack`` are pinned distributions to install, ``requires`` further ones.
    Without ``build_environment`` a release's wheel is installed, without ``published_without``.
    ``wheels`` maps variables to pinned distributions whose wheels are only downloaded, ``versions`` to
    parts of the stack in the version that the lane itself has, ``by_requirement`` to what its
    requirements say; ``beside`` are folders, seen from the root, whose projects are installed beside the
    lane's wheel. A result lists in ``executed`` the functions that it depends on, by file
    (``docs/simulation.md``). ``made_once`` maps variables to folders that are made before the first run.
    ``timeout`` are seconds of processor time that a case may use, ``idle`` those on the clock in which it
    must use some. ``python -m IMPORTS --package P --output FILE`` writes each module of a package with
    its import's error, or null. ``groups`` are cases that a reader looks at together, by the group's
    name. ``tests`` are those that the plugin brings along."""

    check: str = Field(pattern=r"^[A-Za-z_][\w.]*$")
    cases: dict[str, Annotated[tuple[str, ...], Field(min_length=1)]] = Field(min_length=1)
    stack: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    environment: dict[str, str] = Field(default_factory=dict)
    inherit: tuple[NoSecret, ...] = ()
    build_environment: dict[str, str] = Field(default_factory=dict)
    published_without: tuple[str, ...] = ()
    wheels: dict[str, str] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)
    by_requirement: dict[str, tuple[str, str, str]] = Field(default_factory=dict)
    beside: tuple[Beside, ...] = ()
    made_once: dict[str, MadeOnce] = Field(default_factory=dict)
    timeout: float = Field(default=900.0, gt=0)
    idle: float = Field(default=600.0, gt=0)
    together: int = Field(default=1, ge=1)
    imports: str | None = Field(default=None, pattern=r"^[A-Za-z_][\w.]*$")
    groups: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    tests: SuiteSettings | None = None

    @model_validator(mode="after")
    def _groups_are_of_cases(self) -> Self:
        grouped = [case for cases in self.groups.values() for case in cases]
        if unknown := [case for case in grouped if case not in self.cases]:
            raise ValueError(f"groups name {unknown[0]!r}, which is not one of the cases")
        if twice := [case for case in grouped if grouped.count(case) > 1]:
            raise ValueError(f"groups name the case {twice[0]!r} twice")
        return self


class IgnoredPlaces(_Table):
    """Findings of these ``kinds`` (names or codes) in files whose path fits ``path``, which are accepted."""

    path: str = Field(min_length=1)
    kinds: tuple[str, ...] = Field(min_length=1)
    reason: str = Field(min_length=1)


class WitnessConfig(_Table):
    """``[tool.syncbot.witness]``: ``python`` is an interpreter that has what upstream imports, else that of
    the nearest lane's environment; ``prepare`` is Python text that runs before upstream is imported."""

    python: str | None = None
    prepare: str = ""


class PluginSettings(SimulationSettings):
    """``[tool.syncbot.plugin]``: somebody else's plugin, whose releases are run as published. ``written`` are
    files that its build would write, by path; ``read`` maps variables to files and folders of its source
    distribution. Environments are locked below ``locks``, evidence stands in ``matrix``."""

    distribution: str
    matrix: Below = "plugin_matrix.yaml"
    locks: Below = "locks/plugin"
    written: dict[str, str] = Field(default_factory=dict)
    read: dict[str, Below] = Field(default_factory=dict)


class OverlaySettings(_Table):
    """``[overlay]``: lanes are generated from somebody else's ``package`` (NAME==VERSION): its source
    distribution of that ``sha256``, or ``commit`` of a git ``repository``. ``written`` and ``read`` are as
    those of the plugin. What the package owes on its own upstream stands in ``debt``."""

    package: PinnedPackage
    sha256: Digest = None
    repository: str | None = None
    commit: CommitId = None
    written: dict[str, str] = Field(default_factory=dict)
    read: dict[str, Below] = Field(default_factory=dict)
    debt: Below = "debt.yaml"

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.sha256 is None) == (self.repository is None):
            raise ValueError("set exactly one of 'sha256' and 'repository'")
        if (self.repository is None) != (self.commit is None):
            raise ValueError("'repository' and 'commit' belong together")
        return self

    @property
    def distribution(self) -> str:
        """The name of the package."""
        return self.package.partition("==")[0].strip()

    @property
    def version(self) -> str:
        """The version of the package."""
        return self.package.partition("==")[2].strip()


class LanguageModelConfig(_Table):
    """``[tool.syncbot.llm]``: an OpenAI-compatible endpoint that words facts. ``key`` names a variable; a
    report may take ``tokens`` and ``requests``, an answer ``reply``; ``options`` go into the body."""

    base_url: str
    model: str = Field(min_length=1)
    key: str | None = Field(default=None, pattern=r"^[A-Za-z_]\w*$")
    tokens: int = Field(default=100_000, gt=0)
    requests: int = Field(default=50, gt=0)
    reply: int = Field(default=400, gt=0)
    timeout: float = Field(default=30.0, gt=0)
    options: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _a_safe_address(self) -> Self:
        address = urlsplit(self.base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError("base_url must be a web address such as 'http://localhost:8000/v1'")
        if address.username or address.password or address.query or address.fragment:
            raise ValueError(
                "base_url must be an address alone: the key comes from the variable that 'key' names"
            )
        if self.key is not None and address.scheme == "http" and not is_this_machine(address.hostname):
            raise ValueError("base_url must begin with https://, since a key is sent to another machine")
        return self


class LimitsConfig(_Table):
    """``[tool.syncbot.limits]``: how much of foreign input is looked at (`syncbot.limits`)."""

    file_bytes: int = Field(default=Limits().file_bytes, gt=0)
    nodes: int = Field(default=Limits().nodes, gt=0)
    parameters: int = Field(default=Limits().parameters, gt=0)
    lanes: int = Field(default=Limits().lanes, gt=0)
    archive_bytes: int = Field(default=Limits().archive_bytes, gt=0)

    @property
    def values(self) -> Limits:
        """The same for who does not configure."""
        return Limits(**self.model_dump())


class Config(_Table):
    """The whole of ``[tool.syncbot]`` for the folder ``root`` (docs/configuration.md). Paths are relative to
    the root, ``sources`` and ``tests`` to ``backend``. ``upstream`` is the default one, else the first.
    ``engines`` look for breaks; ``environment`` has types for type checkers. ``gate`` is the project's own
    test of ``{version}``. ``apart`` is the backend's folder where that is not below the root."""

    root: Path = Field(default=Path(), exclude=True)
    apart: Path | None = Field(default=None, exclude=True)
    backend: Below = "."
    sources: tuple[Below, ...] = ()
    tests: tuple[Below, ...] = ("tests", "examples")
    timezone: TimeZone = None
    patches: Below = "patches"
    allow_patch_code: bool = False
    derived: Below = "derived"
    matrix: Below = "compat_matrix.yaml"
    lanes: Below = "build/lanes"
    locks: Below = "locks"
    wheels: Below = "dist"
    index: str | None = None
    refresh_hours: float = Field(default=1.0, ge=0)
    upstream: str | None = None
    upstreams: dict[str, UpstreamConfig] = Field(default_factory=dict)
    siblings: tuple[Sibling, ...] = ()
    device_apis: tuple[str, ...] = ()
    operator_registrars: tuple[OperatorRegistrar, ...] = ()
    kernel_decorators: tuple[Dotted, ...] = ("triton.jit", "jit")
    environment: str | None = None
    engines: Annotated[tuple[str, ...], Field(min_length=1)] = ("contracts",)
    gate: str | None = None
    gate_import: str | None = None
    kinds_page: WebAddress = None
    accepted: Below = "accepted.toml"
    baseline: Below | None = None
    ignore: tuple[IgnoredPlaces, ...] = ()
    parts: dict[str, PartConfig] = Field(default_factory=dict)
    project: ProjectConfig = ProjectConfig()
    simulate: SimulationSettings | None = None
    plugin: PluginSettings | None = None
    overlay: OverlaySettings | None = None
    llm: LanguageModelConfig | None = None
    witness: WitnessConfig = WitnessConfig()
    limits: LimitsConfig = LimitsConfig()

    @model_validator(mode="after")
    def _default_upstream(self) -> Self:
        if self.upstream is None and self.upstreams:
            object.__setattr__(self, "upstream", next(iter(self.upstreams)))
        if self.upstream is not None and self.upstream not in self.upstreams and not self.upstreams:
            object.__setattr__(self, "upstreams", {self.upstream: UpstreamConfig()})
        if self.upstream is not None and self.upstream not in self.upstreams:
            known = ", ".join(self.upstreams) or "none is configured"
            raise ValueError(f"upstream = {self.upstream!r} is not one of the upstreams ({known})")
        return self

    @property
    def backend_path(self) -> Path:
        """The folder of the backend project."""
        return self.apart if self.apart is not None else self.root / self.backend


def load(backend_root: Path) -> Config:
    """The configuration of the project in a folder, or all defaults. Raises ConfigurationError: no folder, no
    TOML, two files that configure it, a wrong value, an unknown key."""
    found = configuration_file(backend_root)
    for key in sorted(NOT_CONFIGURED & found.table.keys()):
        raise ConfigurationError(f"{found.file}: {_table(found)} has no key {key!r}")
    root = backend_root if not found.chosen else found.root
    values = {**found.table, "root": root.absolute(), **_backend_folder(found, backend_root)}
    project_folders.know(root)
    try:
        config = Config.model_validate(values)
    except ValidationError as error:
        raise ConfigurationError(f"{found.file}: {_first_mistake(error, found)}") from error
    if config.apart is not None:
        project_folders.know(config.apart)
    return config


NOT_CONFIGURED = {"root", "apart"}


def _backend_folder(found: ConfigurationFile, asked: Path) -> dict[str, object]:
    """Where the backend is, for a file of its own: the folder that was asked for, else the one that it names,
    which may lie outside, else the current one. Raises ConfigurationError where it names none that exists."""
    named = found.table.get("backend")
    if found.chosen and asked.resolve() != Path().resolve():
        named, folder = asked, asked
    elif isinstance(named, str) and not found.name and "\0" not in named:
        folder = found.root / Path(named).expanduser()
        if not folder.is_dir():
            raise ConfigurationError(f"{found.file}: backend = {named!r} is no folder: correct it")
    elif named is None and found.chosen:
        folder = Path()
    else:
        return {}
    inside = os.path.relpath(folder.absolute(), found.root.absolute())
    if inside.partition(os.sep)[0] != "..":
        return {"backend": inside}
    return {"backend": ".", "apart": Path(os.path.abspath(folder))}


def _table(found: ConfigurationFile, *keys: str | int) -> str:
    """A table as messages call it."""
    name = found.named(*keys)
    return f"[{name}]" if name else "the file"


def _first_mistake(error: ValidationError, found: ConfigurationFile) -> str:
    """One line for the first mistake; an unknown key first, since it often causes the others."""
    mistakes = sorted(error.errors(), key=lambda mistake: mistake["type"] != "extra_forbidden")
    mistake = mistakes[0]
    where = tuple(part for part in mistake["loc"])
    key = found.named(*where)
    if mistake["type"] == "extra_forbidden":
        return _unknown_key(where, found)
    if mistake["type"] == "missing":
        return f"{key} is missing: set it"
    if mistake["type"] == "tuple_type":
        return f"{key} must be a list, in brackets"
    return f"{key}: {mistake['msg'].removeprefix('Value error, ')}"


def _unknown_key(where: tuple[str | int, ...], found: ConfigurationFile) -> str:
    unknown = str(where[-1])
    fields = model_at(Config, where[:-1]).model_fields
    near = difflib.get_close_matches(unknown, [n for n, f in fields.items() if not f.exclude], n=1, cutoff=0)
    return f"{_table(found, *where[:-1])} has no key {unknown!r}; the nearest known one is {near[0]!r}"


def model_at(model: type[BaseModel], where: Iterable[str | int]) -> type[BaseModel]:
    """Return the model that a location in a document leads to, through lists and mappings of models."""
    for part in where:
        field = model.model_fields.get(str(part))
        inner = _models(field.annotation) if field is not None else []
        model = inner[0] if inner else model
    return model


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for inner in get_args(annotation) for found in _models(inner)]
