"""Whether a model's answer says only what the facts say, judged by words in the catalogue. Refused are
markup, addresses, other names and numbers, sentences without a fact, judgement, instructions, and a change
that no fact tells."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from syncbot.impact.facts.model import Change
from syncbot.report.catalogue import Words
from syncbot.report.prose.model import Reason
from syncbot.report.prose.statement import Statement

LONGEST = 900
# Between backticks stands a name of the facts, so that what has a meaning there is harmless.
_SPAN = re.compile(r"`([^`\n]+)`")
_MARKUP = re.compile(
    r"[`<>\[\]{}|*#~$\\@&=^]|://|\bwww\.|^\s*(?:[-+•]|\d+[.)])\s|__", re.IGNORECASE | re.MULTILINE
)
# What is written together: a plain word, or a name, path, version, option or number.
_TOKEN = re.compile(r"(?:--?|[./])?\w+(?:(?:[./:+-]|\.\.)\w+)*", re.ASCII)
_NUMBER = re.compile(r"[-./]*\d")
_NAME = re.compile(r"\d|_|[a-z][A-Z]|[A-Z]{2}|[./:]|^-")
_END = re.compile(r"(?<=\.)\s+|(?<=[!?;。])")
_ABBREVIATIONS = frozenset({"e.g", "i.e"})

_DIRECTIONS = ("added", "removed", "moved")
_PARTS = {"required": "added", "optional": "added", "removed": "removed", "absorbed": "removed"}


def complaint(answer: str, known: Statement, words: Words) -> Reason | None:
    """Why an answer is not shown; None where nothing speaks against it."""
    text = unicodedata.normalize("NFKC", answer)
    if not text.strip():
        return _refused("empty")
    if len(text) > LONGEST:
        return _refused("long")
    if any(unicodedata.category(c) in ("Cc", "Cf", "Co", "Cn", "Cs") and c != "\n" for c in text):
        return _refused("markup")
    facts = _Facts(known)
    for name in _SPAN.findall(text):
        if not facts.have(name):
            return _refused("name", name)
    bare = _SPAN.sub(" ", text)
    if found := _MARKUP.search(bare):
        return _refused("markup", found[0].strip())
    return (
        _strange_letters(bare, words)
        or _strange_names(bare, facts, words)
        or _strange_numbers(bare, facts, words)
        or _judging(bare, words)
        or _loose(text, facts, words)
    )


def _refused(key: str, what: str = "") -> Reason:
    shown = what if len(what) <= 60 else f"{what[:59]}…"
    return Reason("refused", f"prose_{key}", (("what", shown),))


class _Facts:
    """The names and numbers of the facts, and what is said of each name."""

    def __init__(self, known: Statement) -> None:
        self._sentences = [unicodedata.normalize("NFKC", sentence) for sentence in known.sentences]
        self._code = unicodedata.normalize("NFKC", "\n".join(known.names))
        self._changes = known.changes

    def have(self, name: str) -> bool:
        """Whether the code in the facts has this text, cut at the ends of names."""
        return _within(name, self._code)

    def say(self, word: str, names: Sequence[str] = ()) -> bool:
        """Whether the facts have this word, in code or around it; those with one of these names, if any."""
        told = [s for s in self._sentences if not names or any(_within(name, s) for name in names)]
        return any(_within(word, sentence) for sentence in told)

    def directions(self, names: Iterable[str]) -> set[str]:
        """Return the directions that the facts state for these names; if none, those for any name."""
        every: set[str] = set()
        found: set[str] = set()
        for change in self._changes:
            for subject, direction in _said(change):
                every.add(direction)
                if any(_within(name, subject) or _within(subject, name) for name in names):
                    found.add(direction)
        return found or every


def _within(part: str, whole: str) -> bool:
    """Whether a text stands in another one by itself: not as a piece of a longer name or number."""
    if not part:
        return False
    before = r"(?<![\w])" if _is_word(part[0]) else ""
    after = r"(?![\w])" if _is_word(part[-1]) else ""
    if part[0].isdigit():
        before = r"(?<![\w.])"
    if part[-1].isdigit():
        after = r"(?!\w|\.\d)"
    return re.search(f"{before}{re.escape(part)}{after}", whole, re.ASCII) is not None


def _is_word(letter: str) -> bool:
    return letter.isascii() and (letter.isalnum() or letter == "_")


def _said(change: Change) -> Iterator[tuple[str, str]]:
    """The names that a fact is about, each with what it says of them."""
    last = change.symbol.rpartition(".")[2] or change.symbol
    what, _, how = change.kind.rpartition("-")
    if change.kind == "signature":
        for part, name in change.parts:
            yield name.partition("=")[0].strip("* "), _PARTS.get(part, "changed")
        yield last, "changed"
    elif how in ("moved", "renamed"):
        for name in (last, (change.before or "").rpartition(".")[2]):
            yield from ((name, direction) for direction in _DIRECTIONS)
    elif how in ("added", "removed"):
        yield last, how
        if what == "module":
            yield from ((name, how) for _, name in change.parts)
    elif change.kind in ("bases", "decorators"):
        yield from ((last, direction) for direction in _DIRECTIONS)
    else:
        yield last, "changed"
        if change.before is None:
            yield last, "added"
        if change.after is None:
            yield last, "removed"


def _strange_letters(bare: str, words: Words) -> Reason | None:
    """A letter that the report's language does not use could stand for one that looks the same."""
    for letter in bare:
        if letter.isalpha() and not letter.isascii() and not re.match(words("prose_letters"), letter):
            return _refused("language", letter)
    if not re.search(words("prose_letters"), bare):
        return _refused("language", bare.strip()[:20])
    return None


def _strange_names(bare: str, facts: _Facts, words: Words) -> Reason | None:
    plain = set(words("prose_plain").split())
    for sentence in _sentences(bare):
        for n, found in enumerate(_TOKEN.finditer(sentence)):
            token = found[0].rstrip(".")
            if token in _ABBREVIATIONS or token in plain or facts.say(token):
                continue
            if _NAME.search(token) or (token[0].isupper() and n > 0) or "*" not in plain:
                return _refused("number" if _NUMBER.match(token) else "name", token)
    return None


def _strange_numbers(bare: str, facts: _Facts, words: Words) -> Reason | None:
    """Numbers written as words: the facts must have the number that they mean; no fact has a share."""
    numbers = dict(pair.split("=", 1) for pair in words("prose_numbers").split("; "))
    for number, pattern in numbers.items():
        found = re.search(pattern, bare, re.IGNORECASE)
        if found and not (number.isdigit() and facts.say(number)):
            return _refused("number", found[0])
    if any(c.isnumeric() and not c.isascii() and not c.isalpha() for c in bare):
        return _refused("number", next(c for c in bare if c.isnumeric() and not c.isascii()))
    return None


def _judging(bare: str, words: Words) -> Reason | None:
    found = re.search(words("prose_judging_words"), bare, re.IGNORECASE)
    return _refused("judging", found[0]) if found else None


def _loose(text: str, facts: _Facts, words: Words) -> Reason | None:
    """A sentence that names no fact, or says of one what no fact says."""
    for sentence in _sentences(text):
        names = _SPAN.findall(sentence)
        names += [t for t in _TOKEN.findall(_SPAN.sub(" ", sentence)) if _is_name(t) and facts.have(t)]
        if not names:
            return _refused("loose", sentence.strip())
        bare = _SPAN.sub(" ", sentence)
        for token in _TOKEN.findall(sentence):
            if _NUMBER.match(token) and not facts.say(token, names):
                return _refused("number", token)
        allowed = facts.directions(names)
        for direction in _DIRECTIONS:
            found = re.search(words(f"prose_{direction}"), bare, re.IGNORECASE)
            if found and direction not in allowed:
                return _refused("direction", found[0])
    return None


def _is_name(token: str) -> bool:
    return _NAME.search(token) is not None and _NUMBER.match(token) is None


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in _END.split(" ".join(text.split())) if sentence.strip()]
