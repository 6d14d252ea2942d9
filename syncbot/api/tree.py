"""One tree of Python sources seen as modules: which file a module is, and its interface table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import compress
from sys import intern
from typing import Protocol, Self, TypeVar

from syncbot.api.blobs_with_text import Mentions
from syncbot.api.model import ModuleTable
from syncbot.api.statement_parts import absolute

#: What a module's file may end in. Data files are modules where whoever makes the tree lists them.
SUFFIXES = (".py", ".pyi", ".yaml", ".yml")

# Stand between the texts of a search, and between several searches.
_OR, _AND = "|", "&"

T = TypeVar("T")
B = TypeVar("B", str, str | None)
C = TypeVar("C", covariant=True)


class BlobValues(Protocol[C]):
    """Values that depend on a blob alone."""

    def get(self, blob: str, read: Callable[[str], bytes], /) -> C:
        """The value for a blob, which ``read`` can load."""
        ...


Tables = BlobValues[ModuleTable]


class ModuleTree:
    """The modules of some packages in one tree, parsed when asked for. ``files`` maps paths to blob ids,
    ``read`` gives a blob's bytes, ``tables`` its interface table, ``mentions`` which blobs have a text."""

    def __init__(
        self,
        files: Mapping[str, str],
        packages: Sequence[str],
        tables: Tables,
        read: Callable[[str], bytes],
        roots: Mapping[str, str] | None = None,
        mentions: Mentions | None = None,
    ) -> None:
        self.packages = tuple(packages)
        self._tables = tables
        self._read = read
        self._roots = dict(roots) if roots is not None else package_roots(files, packages)
        self.modules: dict[str, tuple[str, str]] = {}
        self._hidden: dict[str, list[tuple[str, str]]] = {}
        for name, entries in _files_by_module(files, self._roots).items():
            self._stand(name, entries)
        self._namespaces = _namespaces(self.modules)
        self._recorders: list[set[str]] = []
        self._mentions = mentions or Mentions()
        self._mentioning: dict[tuple[str, ...], list[str]] = {}
        self._numbered: dict[str, int] | None = None

    @classmethod
    def of_modules(
        cls,
        modules: Mapping[str, tuple[str, str]],
        tables: Tables,
        read: Callable[[str], bytes],
        mentions: Mentions | None = None,
    ) -> Self:
        """A tree whose modules are known by name: each with its path and blob id."""
        packages = sorted({m.partition(".")[0] for m in modules})
        tree = cls({}, packages, tables, read, {}, mentions)
        tree.modules = dict(modules)
        tree._namespaces = _namespaces(tree.modules)
        return tree

    def with_modules(self, modules: Mapping[str, tuple[str, str]]) -> ModuleTree:
        """Return another tree, whose modules are known by name, that is read as this one is."""
        return ModuleTree.of_modules(modules, self._tables, self._read, self._mentions)

    def owns(self, module: str) -> bool:
        """Whether a dotted name belongs to one of the packages of this tree."""
        return module.partition(".")[0] in self.packages

    def reach(self, name: str) -> tuple[int, bool]:
        """How many parts of a dotted name lead to a module or folder of the tree, and whether to a file. This
        does not count as a look."""
        while name and name not in self.modules and name not in self._namespaces:
            name = name.rpartition(".")[0]
        return len(name.split(".")) if name else 0, name in self.modules

    def table(self, module: str) -> ModuleTable | None:
        """The interface table of a module, None where the tree has no such module."""
        for recorder in self._recorders:
            recorder.add(module)
        return self.derived(module, self._tables)

    def table_for(self, module: str, name: str) -> ModuleTable | None:
        """The same for who reads of it only what the module says of one name at its top level."""
        self.note((look(module, name),))
        return self.derived(module, self._tables)

    def derived(self, module: str, values: BlobValues[T]) -> T | None:
        """Another value kept by blob id; None without the module. No look is noted: see :meth:`note`."""
        entry = self.modules.get(module)
        return None if entry is None else values.get(entry[1], self._read)

    def mentioning(self, modules: Iterable[str], *texts: str) -> list[str]:
        """Those of some modules whose source has one of the texts: a cheap look that is not recorded."""
        numbers = self._numbers()
        if modules is not self.modules:
            return self._among([m for m in modules if m in numbers], texts)
        # Judges ask the whole tree for the same name again and again.
        if texts not in self._mentioning:
            self._mentioning[texts] = self._among(list(numbers), texts)
        return list(self._mentioning[texts])

    def _among(self, modules: Sequence[str], texts: Sequence[str]) -> list[str]:
        numbers = self._numbers()
        found = self._mentions.among([numbers[module] for module in modules], texts, self._read)
        return list(compress(modules, found))

    def _numbers(self) -> dict[str, int]:
        """The number of each module's blob among those that were ever asked for mentions."""
        if self._numbered is None:
            numbers = self._mentions.numbers(blob for _, blob in self.modules.values())
            self._numbered = dict(zip(self.modules, numbers, strict=True))
        return self._numbered

    def changed(self, files: Mapping[str, str | None]) -> ModuleTree:
        """This tree after some files changed: path → new blob id, None if gone. New packages stay unknown."""
        after = ModuleTree({}, self.packages, self._tables, self._read, self._roots, self._mentions)
        after.modules, after._hidden = dict(self.modules), dict(self._hidden)
        for name, changes in _files_by_module(files, self._roots).items():
            known = [*self._hidden.get(name, ()), *([self.modules[name]] if name in self.modules else ())]
            now = {**dict(known), **dict(changes)}
            after._stand(name, [(path, blob) for path, blob in now.items() if blob is not None])
        same_names = after.modules.keys() == self.modules.keys()
        after._namespaces = self._namespaces if same_names else _namespaces(after.modules)
        return after

    def _stand(self, name: str, entries: Sequence[tuple[str, str]]) -> None:
        """Let the one of some files that hides the others stand for a module; no file, no module."""
        self._hidden.pop(name, None)
        if not entries:
            self.modules.pop(name, None)
            return
        self.modules[name], *hidden = sorted(entries, key=lambda entry: _rank(entry[0]), reverse=True)
        if hidden:
            self._hidden[name] = hidden

    def module_at(self, path: str) -> str | None:
        """The module that a file of the tree stands for; None where it is none, or another file hides it."""
        return next((name for name in self.named(path) if self.path(name) == path), None)

    def named(self, path: str) -> Collection[str]:
        """The names that a module at a path has, whether or not the tree has a file there."""
        return _files_by_module({path: ""}, self._roots).keys()

    def path(self, module: str) -> str | None:
        """The path of a module's file in the tree."""
        entry = self.modules.get(module)
        return None if entry is None else entry[0]

    def blob(self, module: str) -> str | None:
        """The blob id of a module's file."""
        entry = self.modules.get(module)
        return None if entry is None else entry[1]

    def source(self, module: str) -> bytes | None:
        """The bytes of a module's file. This does not count as a look at the module."""
        entry = self.modules.get(module)
        return None if entry is None else self._read(entry[1])

    def is_package(self, module: str) -> bool:
        """Whether the module is a package: an ``__init__`` file, or a folder without one."""
        if module in self._namespaces:
            return True
        path = self.path(module)
        return path is not None and path.rpartition("/")[2].startswith("__init__.")

    def has(self, module: str) -> bool:
        """Whether the tree has a file for the module."""
        self.note((look(module),))
        return module in self.modules

    def exists(self, module: str) -> bool:
        """Whether ``import module`` finds something."""
        self.note((look(module),))
        return module in self.modules or module in self._namespaces

    def absolute(self, module: str, level: int, target: str) -> str:
        """The absolute name of ``from <level dots><target>`` as written in ``module``."""
        if level == 0:
            return target
        return absolute(module if self.is_package(module) else module.rpartition(".")[0], level, target)

    def start_recording(self) -> set[str]:
        """A set that collects all looks (:func:`look`, :func:`modules_of`) until :meth:`stop_recording`."""
        seen: set[str] = set()
        self._recorders.append(seen)
        return seen

    def stop_recording(self, seen: set[str]) -> None:
        """End what :meth:`start_recording` began."""
        self._recorders = [recorder for recorder in self._recorders if recorder is not seen]

    def note(self, looks: Iterable[str]) -> None:
        """Record looks at modules, or what was asked of them, that a cached answer was derived from."""
        for recorder in self._recorders:
            recorder.update(looks)


def look(module: str, name: str = "") -> str:
    """How the question for one name in a module is recorded; without a name, for whether it exists."""
    # The same few thousand stand in the looks of hundreds of thousands of answers.
    return intern(f"{module}:{name}")


def looks_at_all(packages: Iterable[str]) -> set[str]:
    """How a question for all modules of some packages is recorded: for these, and any that may come."""
    return {f"{package}.*" for package in packages}


def search_look(package: str, *searches: Iterable[str]) -> str:
    """How a search of all modules of a package is recorded for those that have one of some texts, for each of
    several such searches, where no more is told than from the statements that have one of the first texts."""
    return look(f"{package}.*", _AND.join(map(_OR.join, searches)))


def searched(looked_at: str) -> list[list[str]]:
    """The texts of each search of a recorded one; none for what is no search."""
    module, _, texts = looked_at.partition(":")
    return [each.split(_OR) for each in texts.split(_AND)] if texts and module.endswith(".*") else []


def top_level(looked_at: str) -> str:
    """The top-level package that a recorded look was at."""
    return looked_at.partition(":")[0].partition(".")[0]


def module_changes(before: ModuleTree, after: ModuleTree) -> set[str]:
    """The modules of which two trees differ: in their files, or in whether they can be imported at all."""
    old, new = before.modules, after.modules
    changed = {module for module in old.keys() | new.keys() if old.get(module) != new.get(module)}
    return changed | (before._namespaces ^ after._namespaces)


def modules_of(looks: Iterable[str]) -> set[str]:
    """The modules that recorded looks were at."""
    return {seen.partition(":")[0] for seen in looks}


def package_roots(files: Mapping[str, str], packages: Sequence[str]) -> dict[str, str]:
    """For each package the folder it stands in (``""`` or ``src/`` …): the shallowest one that has it."""
    roots: dict[str, str] = {}
    for package in packages:
        folder, module = f"{package}/", f"{package}.py"
        depths: list[tuple[int, int, str]] = []
        for path in files:
            if path.endswith(".py"):
                if path.startswith(folder):
                    depths.append((0, 0 if path == f"{folder}__init__.py" else 1, ""))
                elif (at := path.find(f"/{folder}")) >= 0:
                    init = path[at + 1 :] == f"{folder}__init__.py"
                    depths.append((path.count("/", 0, at + 1), 0 if init else 1, path[: at + 1]))
                elif path == module or path.endswith(f"/{module}"):
                    depths.append((path.count("/"), 2, path[: -len(module)]))
        if depths:
            roots[package] = min(depths)[2]
    return roots


def _files_by_module(files: Mapping[str, B], roots: Mapping[str, str]) -> dict[str, list[tuple[str, B]]]:
    """The files that stand for each module: several where one hides another."""
    modules: dict[str, list[tuple[str, B]]] = {}
    for package, root in roots.items():
        for path, blob in files.items():
            if not path.startswith(root) or not path.endswith(SUFFIXES):
                continue
            inside = path[len(root) :]
            if inside.startswith(f"{package}/") or inside == f"{package}.py":
                name = inside.rpartition(".")[0].replace("/", ".").removesuffix(".__init__")
                modules.setdefault(name, []).append((path, blob))
    return modules


def _namespaces(modules: Mapping[str, tuple[str, str]]) -> set[str]:
    parents: set[str] = set()
    for name in modules:
        while "." in name:
            name = name.rpartition(".")[0]
            parents.add(name)
    return parents - modules.keys()


def _rank(path: str) -> tuple[bool, bool]:
    """A package hides the module of the same name, and sources hide stubs, as in the import system."""
    return path.endswith(".py"), "/__init__." in path
