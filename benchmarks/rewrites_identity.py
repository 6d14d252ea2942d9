"""Forward then backward is the identity: every rule about a name, on every file that mentions it.

usage: python benchmarks/rewrites_identity.py PACKAGE [--names 10] [--seed 0]

PACKAGE is the folder of an installed package, as ``…/site-packages/vllm``. Names are drawn from the classes
and functions at the top of its modules that other modules of it import. Each rule that is about such a name
(its move, its new name, another base, one more argument, a parameter of its first method, …) is applied to
every file that mentions the name, and undone. What it brings is in no file, so the text has to be what it
was, byte for byte; a rule that matches nothing has to change no byte, and may refuse.

Exit code 1 where something else comes of it.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.attribute_renamed import AttributeRenamed
from syncbot.patching.rewrites.base_changed import BaseChanged
from syncbot.patching.rewrites.call_argument_added import CallArgumentAdded
from syncbot.patching.rewrites.call_replaced import CallReplaced
from syncbot.patching.rewrites.import_moved import ImportMoved
from syncbot.patching.rewrites.override_parameter_added import OverrideParameterAdded
from syncbot.patching.rewrites.string_renamed import StringRenamed
from syncbot.patching.rewrites.symbol_renamed import SymbolRenamed
from syncbot.patching.source import Source


@dataclass(frozen=True, slots=True)
class Name:
    """A class or function of the package: its module, and its first method that is no special one."""

    module: str
    name: str
    method: str | None

    @property
    def dotted(self) -> str:
        """The whole dotted name."""
        return f"{self.module}.{self.name}"


@dataclass
class Result:
    """How often each rule changed a file, and what did not come back."""

    changed: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    files: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)


def names_of(texts: dict[str, str]) -> list[Name]:
    """The classes and functions of modules that other modules import by name."""
    imported: set[str] = set()
    defined: list[Name] = []
    for path, text in texts.items():
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and not node.level:
                imported.update(f"{node.module}.{alias.name}" for alias in node.names)
        for node in tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                inner = node.body if isinstance(node, ast.ClassDef) else []
                methods = [n.name for n in inner if isinstance(n, ast.FunctionDef) and n.name[:1] != "_"]
                defined.append(Name(module, node.name, methods[0] if methods else None))
    return [name for name in defined if name.dotted in imported]


def rules_about(name: Name) -> Iterator[Rule]:
    """The rules with that name, and new ones that no file has."""
    new = f"zq_home.inner.{name.name}"
    yield ImportMoved(old=name.dotted, new=new)
    yield ImportMoved(old=name.module, new="zq_home.inner")
    yield SymbolRenamed(symbol=name.dotted, new_name="zq_name")
    yield StringRenamed(old=name.dotted, new=new)
    yield CallArgumentAdded(callee=name.dotted, argument="zq_argument", value="None")
    yield CallReplaced(old=name.dotted, new="zq_home.inner.zq_name")
    yield BaseChanged(old=name.dotted, new="zq_home.inner.zq_name")
    if name.method is not None:
        yield AttributeRenamed(base=name.dotted, old=name.method, new="zq_method")
        yield OverrideParameterAdded(
            base=name.dotted, method=name.method, parameter="zq_more", default="None"
        )


def run(texts: dict[str, str], names: Sequence[Name]) -> Result:
    """Every rule about every name on every file that mentions it."""
    result = Result()
    for path, text in texts.items():
        here = [name for name in names if name.name in text]
        source = Source(text, path) if here else None
        for name in here:
            assert source is not None
            result.files.add(path)
            for rule in rules_about(name):
                _hold(rule, source, result)
    return result


def _hold(rule: Rule, source: Source, result: Result) -> None:
    what = f"{source.path}: {rule.name} {rule.model_dump_json(exclude_defaults=True)}"
    if any(needle not in source.text for needle in rule.needles(True)):
        return
    try:
        after = rule.forward(source)
    except NoMatch:
        return
    except CannotRewrite:
        result.refused += 1
        return
    if after == source.text:
        return
    result.changed[rule.name] += 1
    try:
        back = rule.backward(Source(after, source.path))
    except (NoMatch, CannotRewrite) as error:
        result.wrong.append(f"{what}: {error}")
        return
    if back != source.text:
        result.wrong.append(what)


def texts_of(package: Path) -> dict[str, str]:
    """The valid Python files of a package by their path, the package's own name first."""
    found: dict[str, str] = {}
    for file in sorted(package.rglob("*.py")):
        try:
            text = file.read_bytes().decode("utf-8")
            ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        found[f"{package.name}/{file.relative_to(package).as_posix()}"] = text
    return found


def main(given: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code: 1 where a text did not come back."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("package", type=Path)
    parser.add_argument("--names", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(given)
    start = time.perf_counter()
    texts = texts_of(options.package)
    every = names_of(texts)
    names = random.Random(options.seed).sample(every, min(options.names, len(every)))
    result = run(texts, names)
    print(f"{len(names)} of {len(every)} names, {len(result.files)} files that mention one of them, "
          f"{time.perf_counter() - start:.0f} s")  # fmt: skip
    for rule, count in sorted(result.changed.items()):
        print(f"{rule:<28} {count:>6} changed and undone")
    print(f"refused: {result.refused}; not back where they were: {len(result.wrong)}")
    for line in result.wrong[:10]:
        print(f"  {line[:600]}")
    return 1 if result.wrong or not result.changed else 0


if __name__ == "__main__":
    sys.exit(main())
