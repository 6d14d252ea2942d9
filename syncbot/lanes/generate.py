"""From the backend's clean sources to the sources of one lane."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import tomlkit
from packaging.requirements import Requirement
from tomlkit.items import Table

from syncbot import atomic
from syncbot.deriving import model as derived
from syncbot.deriving.model import Derivation
from syncbot.errors import ConfigurationError, UsageError
from syncbot.lanes import backend_files
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.lanes.override_origins import Origins
from syncbot.patching.apply import Chain, Step, steps
from syncbot.patching.model import Patch
from syncbot.version_gates.version_tests import Gate

_FACTS = "_lane.py"


@dataclass(frozen=True, slots=True)
class Inputs:
    """All that decides what a lane holds. ``distribution`` is upstream's, ``package`` the backend's, None for
    sources of somebody else, which get neither facts nor a project file; ``derivations`` come from functions
    that ``origins`` finds; ``gate`` is the backend's own test of the upstream's version."""

    files: Mapping[str, bytes]
    matrix: Matrix
    patches: Sequence[Patch]
    distribution: str
    package: str | None
    derivations: Sequence[Derivation] = ()
    origins: Origins | None = None
    gate: Gate | None = None
    chain: Chain = field(default_factory=Chain, repr=False, compare=False)

    def steps(self, lane: Lane) -> tuple[Step, ...]:
        """Return the patches that turn the baseline into the lane, in order."""
        return steps(self.patches, self.matrix.baseline_lane.version, lane.version)

    def digest(self, lane: Lane) -> str:
        """Return a digest of everything that decides what the lane holds, syncbot's own code included."""
        total = hashlib.sha256(_own_code().encode())
        total.update(backend_files.digest(self.files).encode())
        facts = [lane.tag, lane.wheel, lane.python, lane.stack, self.matrix.pinned, self.matrix.baseline]
        gates = [self.gate.expression] if self.gate is not None else []
        total.update(json.dumps([*facts, self.distribution, self.package, *gates], sort_keys=True).encode())
        for step in self.steps(lane):
            total.update(step.direction.value.encode())
            for text in step.patch.sources():
                total.update(text.encode())
        for derivation in self.derivations:
            if derivation.applies(lane.version):
                total.update(derived.dump(derivation).encode())
        return total.hexdigest()


@dataclass(frozen=True, slots=True)
class Generated:
    """A lane on disk: its folder, the digest of its files, the patches in it, and whether it was written."""

    folder: Path
    digest: str
    patches: tuple[str, ...]
    written: bool


def render(inputs: Inputs, lane: Lane) -> dict[str, bytes]:
    """Return all files of a lane. Raises NoMatch, CannotRewrite, ConfigurationError."""
    changed = inputs.chain.apply(modules(inputs, lane), inputs.steps(lane))
    if inputs.origins is not None:
        changed = inputs.origins.derive(inputs.derivations, lane.version, changed)
    files = {**inputs.files, **{path: text.encode() for path, text in changed.items()}}
    if inputs.package is not None:
        head = '"""What this wheel was made for. Generated: edit the matrix instead."""'
        files[facts_path(inputs, inputs.package)] = "\n".join([head, "", *facts(inputs, lane), ""]).encode()
        files["pyproject.toml"] = _project(inputs, lane).encode()
    return dict(sorted(files.items()))


def around(inputs: Inputs, lane: Lane, patch: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the modules of a lane just before one of its patches and just after it. Raises as `render`."""
    todo = inputs.steps(lane)
    at = next(index for index, step in enumerate(todo) if step.patch.id == patch)
    texts = modules(inputs, lane)
    return inputs.chain.apply(texts, todo[:at]), inputs.chain.apply(texts, todo[: at + 1])


def until(inputs: Inputs, lane: Lane, patch: Patch) -> dict[str, str]:
    """Return the modules of a lane as a new patch would find them. Raises NoMatch, CannotRewrite."""
    active = patch.model_copy(update={"status": "active"})
    todo = replace(inputs, patches=(*inputs.patches, active)).steps(lane)
    at = next(index for index, step in enumerate(todo) if step.patch is active)
    return inputs.chain.apply(modules(inputs, lane), todo[:at])


def around_derived(inputs: Inputs, lane: Lane, name: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the modules of a lane just before and just after an override is derived. Raises as `render`."""
    before = inputs.chain.apply(modules(inputs, lane), inputs.steps(lane))
    if inputs.origins is None:
        return before, before
    at = next(index for index, each in enumerate(inputs.derivations) if each.id == name)
    before = inputs.origins.derive(inputs.derivations[:at], lane.version, before)
    return before, inputs.origins.derive(inputs.derivations[at : at + 1], lane.version, before)


def generate(inputs: Inputs, lane: Lane, folder: Path) -> Generated:
    """Write a lane to a folder, unless it holds that. Raises as `render` and `keep_edits`, with the folder
    untouched."""
    atomic.clear_leftovers(folder)
    wanted = inputs.digest(lane)
    patches = tuple(sorted(step.patch.id for step in inputs.steps(lane)))
    known = _note(folder)
    if known.get("inputs") == wanted and folder.is_dir():
        found = backend_files.digest(backend_files.below(folder))
        if found == known.get("digest"):
            return Generated(folder, found, patches, written=False)
    files = render(inputs, lane)
    keep_edits(inputs, lane, folder, files)
    found = backend_files.digest(files)
    atomic.write_folder(folder, files)
    note(folder, inputs=wanted, digest=found)
    return Generated(folder, found, patches, written=True)


def keep_edits(
    inputs: Inputs, lane: Lane, folder: Path, generated: Mapping[str, bytes] | None = None
) -> None:
    """Raise UsageError where the folder of a lane of somebody else's sources holds edits that no patch makes:
    there they are made with an editor. ``generated`` is what the lane is now, else rendered if need be."""
    if inputs.package is not None or not folder.is_dir():
        return
    known, held = _note(folder), backend_files.below(folder)
    found = backend_files.digest(held)
    if found in (known.get("digest"), known.get("marked")):
        return
    files = render(inputs, lane) if generated is None else generated
    edited = [path for path in {**files, **held} if files.get(path) != held.get(path)]
    if edited:
        raise UsageError(
            f"{folder / min(edited)} has edits that no patch makes: make one of them with 'syncbot overlay "
            f"absorb --lane {lane.tag}', or remove the folder to give them up"
        )
    note(folder, inputs=inputs.digest(lane), digest=found)


def note(folder: Path, **facts: str) -> None:
    """Note beside a lane's folder what it was generated from (``inputs``) and holds (``digest``), and what it
    holds once conflicts are ``marked`` in it; the rest of the note stays."""
    text = json.dumps({**({} if "digest" in facts else _note(folder)), **facts})
    atomic.write_file(_note_file(folder), text.encode())


def files_of(inputs: Inputs, lane: Lane, folder: Path) -> dict[str, bytes]:
    """A lane's files: those in its folder if that holds them, else made now. Raises as `render`."""
    known = _note(folder)
    if known.get("inputs") == inputs.digest(lane) and folder.is_dir():
        held = backend_files.below(folder)
        if backend_files.digest(held) == known.get("digest"):
            return held
    return render(inputs, lane)


def requirements(inputs: Inputs, lane: Lane) -> list[str]:
    """Return what the lane's wheel requires: its upstream exactly, and what the matrix pins."""
    pins = [f"{inputs.distribution}=={lane.version}"]
    for name in inputs.matrix.pinned:
        version = lane.stack.get(name)
        if version is None:
            raise ConfigurationError(f"lane {lane.tag} pins no version of {name}: add it to its stack")
        pins.append(f"{name}=={version}")
    return pins


def _project(inputs: Inputs, lane: Lane) -> str:
    """The project file with the lane's version and pins; the backend's other requirements stay."""
    document = tomlkit.parse(inputs.files["pyproject.toml"].decode())
    project = document.get("project")
    if not isinstance(project, Table):
        raise ConfigurationError("the backend's pyproject.toml has no [project] table")
    pins = requirements(inputs, lane)
    names = {pin.partition("==")[0] for pin in pins}
    others = [str(r) for r in project.get("dependencies", []) if Requirement(str(r)).name not in names]
    project["version"] = lane.wheel
    project["requires-python"] = lane.python
    project["dependencies"] = [*pins, *others]
    return tomlkit.dumps(document)


def facts_path(inputs: Inputs, package: str) -> str:
    """Return the path of the module that tells what a wheel was made for. Raises ConfigurationError."""
    folder = package.replace(".", "/")
    for path in inputs.files:
        if path.endswith(f"{folder}/__init__.py"):
            return f"{path.removesuffix('__init__.py')}{_FACTS}"
    raise ConfigurationError(f"the backend has no package {package!r}: set project.package in [tool.syncbot]")


def facts(inputs: Inputs, lane: Lane) -> list[str]:
    """Return the assignments of that module for a lane, one a line."""
    values = {inputs.distribution: str(lane.version)}
    values.update({name: lane.stack.get(name) or "" for name in inputs.matrix.pinned})
    values["wheel_version"] = lane.wheel
    return [f"{name.upper().replace('-', '_')} = {json.dumps(value)}" for name, value in values.items()]


def modules(inputs: Inputs, lane: Lane) -> dict[str, str]:
    """Return the modules of the sources, as tests of the version decide on a lane. Raises CannotRewrite."""
    texts = {path: _text(path, raw) for path, raw in inputs.files.items() if path.endswith(".py")}
    gate = inputs.gate
    if gate is None:
        return texts
    # Only for gates: libcst takes long to import.
    from syncbot.version_gates.remove_gates import folded

    return {path: folded(text, gate, lane.version, path) for path, text in texts.items()}


def _text(path: str, raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error


def _note_file(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.json")


def _note(folder: Path) -> dict[str, str]:
    try:
        found = json.loads(_note_file(folder).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


@cache
def _own_code() -> str:
    """A digest of the code that generates lanes, so that a new syncbot generates them anew."""
    here = Path(__file__).parent.parent
    parts = ("deriving", "patching", "lanes", "version_gates")
    files = [file for part in parts for file in (here / part).rglob("*.py")]
    return backend_files.digest({f.relative_to(here).as_posix(): f.read_bytes() for f in files})
