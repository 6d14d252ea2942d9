"""Every rewrite with random arguments on real files: nothing crashes, nothing is lost.

usage: python benchmarks/rewrites_fuzz.py FOLDER [--files 1000] [--draws 3] [--seed 0]

FOLDER holds Python files of real releases. For each file (drawn at random where there are more) and each
rule, arguments are drawn from the names that the file itself uses, so that many of them match, and some that
it does not. Held are, for every one of them:

* it changes the text, or says that it matches nothing, or that it cannot; nothing else is raised;
* what it gives is Python;
* done twice it is as done once;
* a rule about names that the file does not have changes nothing;
* every line outside of the statements that changed is byte for byte what it was, and in the same order;
* going back gives the text that was. Where the file already had what the rule brings (an import of the new
  place, an argument that is passed already), that cannot be; such cases are counted apart.

Exit code 1 where something is not held; the first ten are printed with what repeats them.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import Rule, rules
from syncbot.patching.source import Source

#: Names that no file has: what a rewrite brings, so that going back cannot confuse it with what was there.
FRESH = ("zq_first", "zq_second", "zq_third")
_VALUES = ("None", "0", "'text'", "(1, 2)")


@dataclass
class Names:
    """The names and texts of a file that can be arguments of rules."""

    imported: list[str] = field(default_factory=list)
    bases: list[str] = field(default_factory=list)
    called: list[str] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    statements: list[tuple[str | None, str]] = field(default_factory=list)
    calls: list[tuple[str | None, str]] = field(default_factory=list)
    definitions: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)


def names_of(text: str) -> Names:
    """The names of a file. Raises SyntaxError, ValueError."""
    found, known = Names(), {}
    tree = ast.parse(text.lstrip("\ufeff\x0c"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                known[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
                found.imported.append(alias.name)
    found.imported += [name for name in known.values() if not name.endswith("*")]

    def full(node: ast.AST) -> str | None:
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in known:
            return None
        return ".".join([known[node.id], *reversed(parts)])

    def walk(node: ast.AST, within: str | None) -> None:
        for child in ast.iter_child_nodes(node):
            inner = within
            if isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                inner = f"{within}.{child.name}" if within else child.name
                found.definitions.append(inner)
                if not isinstance(child, ast.ClassDef):
                    found.functions.append(inner)
            if isinstance(child, ast.stmt) and child.lineno == child.end_lineno:
                line = text.splitlines()[child.lineno - 1]
                if line.strip() and ";" not in line and not line.strip().endswith((":", "\\")):
                    found.statements.append((within, line.strip()))
            if isinstance(child, ast.Call):
                found.calls.append((within, ast.unparse(child)))
            walk(child, inner)

    walk(tree, None)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            found.bases += [b for b in map(full, node.bases) if b is not None]
            for method in node.body:
                if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    found.methods.append(method.name)
                    every = (*method.args.posonlyargs, *method.args.args, *method.args.kwonlyargs)
                    found.parameters += [a.arg for a in every]
        elif isinstance(node, ast.Call):
            found.keywords += [k.arg for k in node.keywords if k.arg]
            found.called += [c for c in [full(node.func)] if c is not None]
        elif isinstance(node, ast.Attribute):
            found.attributes.append(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_dotted(node.value):
            found.strings.append(node.value)
    return found


def _is_dotted(text: str) -> bool:
    return "." in text and all(part.isidentifier() for part in text.split("."))


def arguments(cls: type[Rule], names: Names, path: str, rng: random.Random) -> dict[str, Any]:
    """Arguments for a rule, drawn from the names of a file."""

    def one(values: Sequence[Any], default: Any = "zq_absent") -> Any:
        return rng.choice(values) if values else default

    symbol = one([names.imported, names.bases, names.called][rng.randrange(3)] or names.imported, "zq.absent")
    moved = f"zq_home.{symbol.rpartition('.')[2]}" if "." in symbol else "zq_home"
    within, statement = one(names.statements, (None, "pass"))
    scope, call = one(names.calls, (None, "zq_absent()"))
    method = f"def {FRESH[0]}(self):\n    return 1"
    some = rng.sample(sorted(set(names.parameters)), min(3, len(set(names.parameters)))) or ["zq_absent"]
    by_field: dict[str, Any] = {
        "base": one(names.bases, "zq.Absent"),
        "callee": one(names.called, "zq.absent"),
        "method": one(names.methods),
        "parameter": FRESH[0] if cls.name.endswith(("added",)) else one(names.parameters),
        "default": one(_VALUES),
        "value": one(_VALUES),
        "argument": FRESH[0] if cls.name.endswith("added") else one(names.keywords),
        "attribute": one(names.attributes),
        "symbol": symbol,
        "new_name": FRESH[0],
        "file": path,
        "within": within,
        "function": one(names.functions),
        "code": statement,
        "condition": FRESH[0],
        "position": rng.randrange(2),
        "arguments": [FRESH[0], FRESH[1]],
        "members": [one(names.attributes)],
        "message": "upstream has it now",
        "before": one(names.attributes),
        "after": f"{FRESH[0]}.{FRESH[1]}" if rng.random() < 0.5 else f"{FRESH[0]}()",
        "old": symbol,
        "new": moved,
        "renamed": [[one(names.keywords), FRESH[0]]],
        "added": [[FRESH[1], one(_VALUES)]],
        "anchor": None,
    }
    special: dict[str, dict[str, Any]] = {
        "call_changed": {"within": scope, "before": call, "after": _longer(call)},
        "replace_statement": {"before": statement, "after": f"{FRESH[0]} = 1\n{statement}"},
        "add_statement": {"code": f"{FRESH[0]} = 1", "position": one(["start", "end"])},
        "remove_statement": {"position": "end"},
        "add_method": {"code": method, "within": one(names.definitions, None)},
        "remove_method": {"code": method, "within": one(names.definitions, None)},
        "attribute_renamed": {"old": one(names.attributes), "new": FRESH[0]},
        "override_parameter_renamed": {"old": some[0], "new": FRESH[0]},
        "call_argument_renamed": {"old": one(names.keywords), "new": FRESH[0]},
        "override_default_changed": {"old": one(_VALUES), "new": "'zq'"},
        "override_parameters_reordered": {"old": some, "new": some[::-1]},
        "result_reshaped": {"old": ["a", "b"], "new": ["a", "b", "c"]},
        "override_result_reshaped": {"old": ["a", "b"], "new": ["b", "a", "c"]},
        "string_renamed": {"old": one(names.strings, "zq.absent"), "new": "zq_home.zq_new"},
        "function_parameter_added": {"after": None},
        "override_parameter_added": {"after": one(names.parameters)},
        "statement_guarded": {}, "statement_unguarded": {},
    }  # fmt: skip
    values = by_field | special.get(cls.name, {})
    optional = {"default", "value", "within", "pass_to_super"}
    return {
        name: values[name]
        for name, info in cls.model_fields.items()
        if name in values and (info.is_required() or name in special.get(cls.name, {}) or name in optional)
    }


def _longer(call: str) -> str:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    node.keywords.append(ast.keyword(FRESH[0], ast.Constant(None)))
    return ast.unparse(node)


@dataclass
class Result:
    """The counts of a run, and the violations that it found."""

    counts: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    not_back: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def hold(rule: Rule, source: Source, result: Result) -> None:
    """Try one rule on one text, forward."""
    text = source.text
    what = f"{rule.name} {rule.model_dump_json(exclude_defaults=True)}"
    result.counts["tried"] += 1
    try:
        after = rule.forward(source)
    except (NoMatch, CannotRewrite) as error:
        result.counts["no match" if isinstance(error, NoMatch) else "cannot"] += 1
        return
    except Exception as error:
        result.wrong.append(f"raises {error!r}: {what}")
        return
    result.counts["changed"] += 1
    result.changed[rule.name] += 1
    try:
        compile(after.lstrip("\ufeff\x0c"), "<after>", "exec", dont_inherit=True, flags=ast.PyCF_ONLY_AST)
    except SyntaxError as error:
        result.wrong.append(f"is no Python any more ({error}): {what}")
        return
    try:
        again = rule.forward(Source(after))
    except (NoMatch, CannotRewrite):
        again = after
    if again != after:
        result.wrong.append(f"twice is not once: {what}")
    if not _elsewhere_the_same(text, after):
        result.wrong.append(f"changes lines far from what it is about: {what}")
    try:
        back = rule.backward(Source(after))
    except (NoMatch, CannotRewrite):
        back = after
    if back != text:
        result.not_back[rule.name] += 1
        if any(name in text for name in (*FRESH, "zq_home")):
            result.wrong.append(f"the file had {FRESH}: {what}")


def _elsewhere_the_same(before: str, after: str) -> bool:
    """Whether every line of a statement that reads the same was left byte for byte: no line that is gone
    comes back with other spaces only."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for kind, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "replace":
            was, now = "".join(old[i1:i2]).split(), "".join(new[j1:j2]).split()
            if was == now:
                return False
    return True


def files_of(folder: Path) -> Iterator[tuple[str, str]]:
    """The Python files below a folder that are valid, with their path."""
    for file in sorted(folder.rglob("*.py")):
        try:
            text = file.read_bytes().decode("utf-8")
            ast.parse(text.lstrip("\ufeff\x0c"))
        except (SyntaxError, ValueError):
            continue
        yield file.relative_to(folder).as_posix(), text


def run(files: Sequence[tuple[str, str]], draws: int, seed: int) -> Result:
    """Every rule on every file."""
    result = Result()
    for path, text in files:
        rng = random.Random(f"{seed} {path}")
        names = names_of(text)
        # One parse for all rules: they change no tree.
        source = Source(text)
        for name, cls in rules().items():
            for _ in range(draws):
                given = arguments(cls, names, path, rng)
                try:
                    rule = cls.model_validate(given)
                except ValidationError:
                    result.counts["invalid arguments"] += 1
                    continue
                before = len(result.wrong)
                if rule.concerns(path) and all(needle in text for needle in rule.needles(True)):
                    hold(rule, source, result)
                else:
                    result.counts["not parsed"] += 1
                result.wrong[before:] = [f"{path}: {w}" for w in result.wrong[before:]]
                absent = _absent(rule, source)
                if absent is not None:
                    result.wrong.append(f"{path}: {name} {absent}")
    return result


def _absent(rule: Rule, source: Source) -> str | None:
    """Return the fault of a rule that changes a text with none of its names; None where it leaves it."""
    for forward in (True, False):
        needles = rule.needles(forward)
        if needles and not any(needle in source.text for needle in needles):
            try:
                after = rule.forward(source) if forward else rule.backward(source)
            except (NoMatch, CannotRewrite):
                continue
            if after != source.text:
                return "changes a file that has none of its names"
    return None


def main(given: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code: 1 where something is not held."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(given)
    files = list(files_of(options.folder))
    if len(files) > options.files:
        files = sorted(random.Random(options.seed).sample(files, options.files))
    start = time.perf_counter()
    result = run(files, options.draws, options.seed)
    print(f"{len(files)} files, {len(rules())} rules, {time.perf_counter() - start:.0f} s")
    print("  ".join(f"{name} {count}" for name, count in sorted(result.counts.items())))
    for name, count in sorted(result.changed.items()):
        print(f"{name:<32} {count:>6} changed, {result.not_back[name]:>5} of them not back where they were")
    print(f"not held: {len(result.wrong)}")
    for line in result.wrong[:10]:
        print(f"  {line[:600]}")
    return 1 if result.wrong or not result.changed else 0


if __name__ == "__main__":
    sys.exit(main())
