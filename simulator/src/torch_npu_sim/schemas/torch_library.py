"""Operators that a plugin's C++ declares: schemas read from ``TORCH_LIBRARY`` blocks, nothing is compiled."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_SUFFIXES = (".cpp", ".cc", ".cxx", ".h", ".hpp")
#: Line comments, block comments; a string is taken first, so that what looks like a comment in it stays.
_QUOTED = r"R\"\(.*?\)\"|\"(?:\\.|[^\"\\])*\""
_COMMENT = re.compile(rf"{_QUOTED}|'(?:\\.|[^'\\\n])+'|(//[^\n]*|/\*.*?\*/)", re.S)
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b(.*)$")
_JOINED = re.compile(r"\w*CONCAT\w*\(\s*(\w+)\s*,\s*(\w+)\s*\)")
# Plugins wrap the macros to have their arguments expanded, and keep the name in front.
_LIBRARY = re.compile(r"\bTORCH_LIBRARY(?:_FRAGMENT)?(?:_EXPAND)?\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)\s*\{")
_STRING = rf"(?:(?:{_QUOTED})\s*)"
_PART = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|R\"\((.*?)\)\"", re.S)


@dataclass(frozen=True)
class Declared:
    """One operator: ``schema`` is None where C++ only names it, and its signature is the function's."""

    namespace: str
    name: str
    schema: str | None


def declared(paths: Iterable[Path], defines: Collection[str] | None = None) -> tuple[Declared, ...]:
    """Return the operators of C++ files, and of all of them below folders, each once.

    ``defines`` are the macros that the plugin's build defines; None takes both sides of every condition.
    Raises OSError for a path that is not there.
    """
    found: dict[tuple[str, str], Declared] = {}
    for path in paths:
        for file in _files(path):
            for operator in in_text(file.read_text(encoding="utf-8", errors="replace"), defines):
                found.setdefault((operator.namespace, operator.name), operator)
    return tuple(found.values())


def in_text(text: str, defines: Collection[str] | None = None) -> Iterator[Declared]:
    """Yield the operators that the C++ ``text`` declares, in its order."""
    if "TORCH_LIBRARY" not in text:
        return
    text = _COMMENT.sub(lambda match: " " if match[1] else match[0], text)
    if defines is not None:
        text = "\n".join(_compiled(text.splitlines(), frozenset(defines)))
    text = _JOINED.sub(r"\1\2", text)
    for block in _LIBRARY.finditer(text):
        namespace, variable = block.groups()
        body = text[block.end() : _closing(text, block.end())]
        definition = re.compile(rf"\b{variable}\.def\(\s*(?:[\w:]+\(\s*)?({_STRING}+)", re.S)
        for match in definition.finditer(body):
            schema = " ".join(_text(match[1]).split())
            name, bracket, _ = schema.partition("(")
            yield Declared(namespace, name.strip(), schema if bracket else None)


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from sorted(file for file in path.rglob("*") if file.suffix in _SUFFIXES)
    else:
        yield path


def _text(strings: str) -> str:
    """Return the joined text of adjacent string literals."""
    return "".join(raw or re.sub(r"\\(.)", r"\1", plain.replace("\\n", " ")) for plain, raw in _PART.findall(strings))


def _closing(text: str, start: int) -> int:
    """Where the block that is open at ``start`` ends; braces within strings do not count."""
    depth = 1
    for match in re.compile(rf"{_QUOTED}|[{{}}]", re.S).finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not depth:
            return match.start()
    return len(text)


def _compiled(lines: Iterable[str], defines: frozenset[str]) -> Iterator[str]:
    """The lines that a build with these macros compiles."""
    # For each open condition: whether its lines are taken now, and whether a side was taken already.
    open_conditions: list[tuple[bool, bool]] = []
    for line in lines:
        directive = _DIRECTIVE.match(line)
        if directive is None:
            if all(taken for taken, _ in open_conditions):
                yield line
            continue
        word, condition = directive[1], directive[2].strip()
        if word == "endif":
            open_conditions[-1:] = []
        elif word in ("elif", "else"):
            before = open_conditions.pop()[1] if open_conditions else False
            now = not before and (word == "else" or _holds(condition, defines))
            open_conditions.append((now, before or now))
        else:
            asked = {"ifdef": f"defined({condition})", "ifndef": f"!defined({condition})"}.get(word, condition)
            now = _holds(asked, defines)
            open_conditions.append((now, now))


def _holds(condition: str, defines: frozenset[str]) -> bool:
    """Whether a condition of ``defined``, ``!``, ``&&`` and ``||`` holds; any other comparison does not."""
    for alternative in condition.split("||"):
        if all(_term(term.strip(" ()\t"), defines) for term in alternative.split("&&")):
            return True
    return False


def _term(term: str, defines: frozenset[str]) -> bool:
    negated = term.startswith("!")
    name = re.fullmatch(r"!?\s*(?:defined\s*\(?\s*)?(\w+)\s*\)?", term)
    return name is not None and (name[1] in defines or name[1] == "1") != negated
