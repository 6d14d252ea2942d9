"""Modules that others were generated from: code that is copied, and never runs itself."""

from __future__ import annotations

import re

from syncbot.api.tree import ModuleTree


def is_template(module: str, tree: ModuleTree) -> bool:
    """Whether other modules name a module, and all of them in comments alone: nothing imports it, and no text
    that could be imported from names it."""
    word = module.rpartition(".")[2]
    others = [other for other in tree.mentioning(tree.modules, word) if other != module]
    named = re.compile(rb"\b%s\b" % re.escape(word.encode()))
    naming = [text for other in others if named.search(text := tree.source(other) or b"")]
    outside_comments = re.compile(rb"^[^#\n]*%s" % named.pattern, re.MULTILINE)
    return bool(naming) and not tree.is_package(module) and not any(map(outside_comments.search, naming))
