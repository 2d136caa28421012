"""Modules that choose and repeat: plain Python while running, torch's own forms in an export."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import nn

Results = tuple[torch.Tensor, ...]


class Branches(nn.Module):
    """One of two modules on the same inputs."""

    def __init__(self, chosen: nn.Module, other: nn.Module) -> None:
        super().__init__()
        self.chosen, self.other = chosen, other

    def forward(self, condition: torch.Tensor, *inputs: torch.Tensor) -> Results:
        flag = condition.reshape([])
        if torch.compiler.is_exporting():
            return self._run_exported(flag, inputs)
        return self.chosen(*inputs) if flag else self.other(*inputs)

    def _run_exported(self, flag: torch.Tensor, inputs: Sequence[torch.Tensor]) -> Any:
        weights = [dict(m.named_buffers()) for m in (self.chosen, self.other)]
        count, first = len(inputs), len(weights[0])

        def run_chosen(*given: torch.Tensor) -> Results:
            own = given[count : count + first]
            return apply_module(self.chosen, weights[0], own, given[:count])

        def other(*given: torch.Tensor) -> Results:
            return apply_module(self.other, weights[1], given[count + first :], given[:count])

        lifted = [w for table in weights for w in table.values()]
        return torch.cond(flag, run_chosen, other, (*inputs, *lifted))


def apply_module(
    module: nn.Module,
    names: Iterable[str],
    weights: Sequence[torch.Tensor],
    inputs: Sequence[torch.Tensor],
) -> Results:
    """A module with its weights as inputs, which files of torch ask for; no result is an input."""
    table = dict(zip(names, weights, strict=True))
    made = torch.func.functional_call(module, table, tuple(inputs))
    return tuple(t.clone() for t in made)


class Loop(nn.Module):
    """A module that is repeated while its first result holds.

    `scans` are the shape and type of what each iteration gives beside the state.
    """

    def __init__(
        self,
        body: nn.Module,
        carried: int,
        trips: int | None,
        scans: Sequence[tuple[list[int], torch.dtype]],
    ) -> None:
        super().__init__()
        self.body, self.carried, self.trips, self.scans = body, carried, trips, scans

    def forward(self, condition: torch.Tensor, *inputs: torch.Tensor) -> Results:
        if torch.compiler.is_exporting() and self.trips is None and not self.scans:
            return self._run_exported(condition, *inputs)
        state, fixed = inputs[: self.carried], inputs[self.carried :]
        columns: list[list[torch.Tensor]] = [[] for _ in self.scans]
        flag = condition.reshape([])
        for count in itertools.count():
            if not self._goes_on(flag, count):
                break
            flag, *results = self.body(*state, *fixed)
            flag, state = flag.reshape([]), tuple(results[: self.carried])
            for column, tensor in zip(columns, results[self.carried :], strict=True):
                column.append(tensor)
        stacked = [
            torch.stack(c) if c else torch.empty([0, *shape], dtype=kind)
            for c, (shape, kind) in zip(columns, self.scans, strict=True)
        ]
        return (*state, *stacked)

    def _goes_on(self, flag: torch.Tensor, count: int) -> bool:
        """In an export the number of iterations must be known, as a flag is not."""
        if torch.compiler.is_exporting() and self.trips is not None:
            return count < self.trips
        return bool(flag)

    def _run_exported(self, condition: torch.Tensor, *inputs: torch.Tensor) -> Any:
        state, fixed = inputs[: self.carried], inputs[self.carried :]
        weights = dict(self.body.named_buffers())
        count = len(inputs)

        def goes_on(flag: torch.Tensor, *_: torch.Tensor) -> torch.Tensor:
            return flag.clone()

        def step(flag: torch.Tensor, *given: torch.Tensor) -> Results:
            more, *results = apply_module(self.body, weights, given[count:], given[:count])
            return (more.reshape([]), *results)

        loop = torch.ops.higher_order.while_loop
        carried = (condition.reshape([]).clone(), *state)
        results = loop(goes_on, step, carried, (*fixed, *weights.values()))
        return tuple(results[1 : 1 + self.carried])
