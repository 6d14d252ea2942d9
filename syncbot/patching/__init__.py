"""Patches: reversible source rewrites, kept as reviewed files and applied forward or backward.

Public names: :func:`syncbot.patching.model.load`, :func:`syncbot.patching.apply.apply_steps`,
:func:`syncbot.patching.proposals.propose`.
"""
