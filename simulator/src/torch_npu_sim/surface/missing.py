"""Substitutes for names that the simulation does not implement: using one raises an error that says so."""

from typing import Any, NoReturn

from torch_npu_sim.surface.wheel_names import Kind


def stand_in(qualified: str, kind: Kind, sentence: str) -> Any:
    """Return something that can be imported, annotated with and derived from; its use raises the sentence."""
    name = qualified.rpartition(".")[2]
    if kind in (Kind.CLASS, Kind.ENUMERATION):
        return _MissingClass(name, (), {"__module__": qualified.rpartition(".")[0], "_sentence": sentence})
    if kind is Kind.FUNCTION:
        return _function(name, qualified, sentence)
    return _MissingValue(sentence)


class _MissingClass(type):
    """A class that cannot be called, nor asked for what it has."""

    _sentence: str

    def __call__(cls, *arguments: Any, **keywords: Any) -> NoReturn:
        raise NotImplementedError(cls._sentence)

    def __getattr__(cls, name: str) -> NoReturn:
        _refuse(name, cls._sentence)


class _MissingValue:
    """A value that cannot be looked at."""

    def __init__(self, sentence: str) -> None:
        self.__dict__["_sentence"] = sentence

    def _unusable(self, *arguments: Any, **keywords: Any) -> NoReturn:
        raise NotImplementedError(self.__dict__["_sentence"])

    __call__ = __bool__ = __len__ = __iter__ = __getitem__ = __setitem__ = __enter__ = __exit__ = _unusable
    __int__ = __float__ = __index__ = __contains__ = __lt__ = __gt__ = __le__ = __ge__ = _unusable

    def __getattr__(self, name: str) -> NoReturn:
        _refuse(name, self.__dict__["_sentence"])

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        self._unusable()


def _function(name: str, qualified: str, sentence: str) -> Any:
    def missing(*arguments: Any, **keywords: Any) -> NoReturn:
        raise NotImplementedError(sentence)

    missing.__name__, missing.__qualname__, missing.__module__ = name, name, qualified.rpartition(".")[0]
    return missing


def _refuse(name: str, sentence: str) -> NoReturn:
    # Python itself and tools ask for such names to see what they have before them.
    if name.startswith("__") and name.endswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(f"{sentence}: .{name}")
