"""Modules that others were generated from: code that is copied, and never runs itself."""

from __future__ import annotations

import re

from syncbot.api.tree import ModuleTree


def is_template(module: str, tree: ModuleTree) -> bool:
    """Whether other modules name a module, and all of them in comments alone: nothing imports it, and no text
    that could be imported from names it."""
    word = module.rpartition(".")[2]
    if tree.is_package(module):
        return False
    named = re.compile(rb"\b%s\b" % re.escape(word.encode()))
    outside_comments = re.compile(rb"^[^#\n]*%s" % named.pattern, re.MULTILINE)
    in_comments = False
    for other in tree.mentioning(tree.modules, word):
        text = (tree.source(other) or b"") if other != module else b""
        if outside_comments.search(text):
            return False
        in_comments = in_comments or named.search(text) is not None
    return in_comments
