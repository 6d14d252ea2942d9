"""torch.npu's functions on random numbers: a generator for each device, whose values the CPU's engine draws."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from torch_npu_sim.device import native
from torch_npu_sim.device.current import Place, current_device, device_count, index_of

__all__ = [
    "default_generators",
    "get_rng_state",
    "get_rng_state_all",
    "initial_seed",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "set_rng_state",
    "set_rng_state_all",
]


class _Generators(tuple[torch.Generator, ...]):
    """The generators of all devices, made when they are asked for."""

    def __getitem__(self, index: int) -> torch.Generator:  # type: ignore[override]
        return native.functions().default_generator(index)

    def __len__(self) -> int:
        return device_count()


default_generators = _Generators()


def _of(index: int) -> torch.Generator:
    return default_generators[index]


def manual_seed(seed: int) -> None:
    """Seed the current device's generator."""
    _of(current_device()).manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seed all devices' generators."""
    for index in range(device_count()):
        _of(index).manual_seed(int(seed))


def seed() -> None:
    """Seed the current device's generator at random."""
    _of(current_device()).seed()


def seed_all() -> None:
    """Seed all devices' generators at random, and alike."""
    manual_seed_all(_of(0).seed())


def initial_seed() -> int:
    """Return the seed of the current device's generator."""
    return _of(current_device()).initial_seed()


def get_rng_state(device: Place = "npu") -> torch.Tensor:
    """Return the state of a device's generator."""
    return _of(index_of(device)).get_state()


def get_rng_state_all() -> list[torch.Tensor]:
    """Return the states of all devices' generators."""
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state(new_state: torch.Tensor, device: Place = "npu") -> None:
    """Set the state of a device's generator."""
    _of(index_of(device)).set_state(new_state)


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    """Set the states of all devices' generators."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)
