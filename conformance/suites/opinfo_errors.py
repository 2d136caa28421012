"""Calls that PyTorch refuses (OpInfo's error inputs): we must refuse them too.

python -m conformance.suites.opinfo_errors [--match REGEX]
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from frontends.torch.reading import schema
from nnir.errors import DeviceError, NNAdapterError, Unsupported
from nnir.types import precision_of

from ..case import Case
from ..engines.torch import run
from ..oracles.oracle import Oracle
from .opinfo import LEFT_OUT, WORKER, names


@dataclass(frozen=True)
class Refusal:
    """A call that PyTorch refuses, what it says, and whether we refuse it."""

    op: str
    call: str
    says: str
    accepted: bool


def refusals(oracle: Oracle, match: str = "") -> Iterator[Refusal]:
    """Every refused call that reaches an operator we convert."""
    for index, op in enumerate(names(oracle)):
        if LEFT_OUT.search(op) or not re.search(match, op):
            continue
        for arrays in _calls(oracle, index):
            head = json.loads(arrays[0].tobytes())
            found = schema.find(head["op"])
            if found is None or any(
                k not in [a.name for a in found.arguments] for k in head["kwargs"]
            ):
                continue
            yield Refusal(
                op, _describe_call(head, arrays[1:]), head["why"], _takes(head, arrays[1:])
            )


def _calls(oracle: Oracle, index: int) -> Iterator[list[np.ndarray]]:
    for number in range(100):
        try:
            arrays = oracle.ask({"index": index, "errors": number}, [])
        except (DeviceError, Unsupported):  # PyTorch crashes or hangs
            continue
        if len(arrays) == 1 and arrays[0].dtype != np.uint8:
            return
        if arrays:
            yield arrays


def _takes(head: dict[str, Any], tensors: Sequence[np.ndarray]) -> bool:
    """Whether the call runs."""
    inputs = tuple(_argument(a, tensors) for a in head["args"])
    attrs = {k: _argument(a, tensors) for k, a in head["kwargs"].items()}
    try:
        run(Case(head["op"], inputs, attrs, outputs=head["results"]), "builtin")
    except NNAdapterError:
        return False
    return True


def _argument(described: Any, tensors: Sequence[np.ndarray]) -> Any:
    """An argument of a case."""
    if isinstance(described, list):
        return [_argument(a, tensors) for a in described]
    if not isinstance(described, dict):
        return described
    ((kind, value),) = described.items()
    match kind:
        case "tensor":
            return tensors[value]
        case "dtype":
            return precision_of(np.dtype(value))
    return complex(*value)


def _describe_call(head: dict[str, Any], tensors: Sequence[np.ndarray]) -> str:
    """The call as text; tensors by type and shape."""

    def text(argument: Any) -> str:
        found = _argument(argument, tensors)
        if isinstance(argument, list):
            return f"[{', '.join(map(text, argument))}]"
        return f"{found.dtype}{list(found.shape)}" if isinstance(found, np.ndarray) else repr(found)

    parts = [*map(text, head["args"]), *(f"{k}={text(a)}" for k, a in head["kwargs"].items())]
    return f"{head['op']}({', '.join(parts)})"


@click.command(help=__doc__)
@click.option("--match", default="", help="Names of operators, as a regular expression.")
def main(*, match: str) -> None:
    """Print the calls that we accept, and counts."""
    counts: Counter[str] = Counter()
    with Oracle(WORKER, timeout=120) as oracle:
        for found in refusals(oracle, match):
            counts["accepted" if found.accepted else "refused"] += 1
            if found.accepted:
                click.echo(f"{found.op}: {found.call}: {found.says}")
    click.echo(dict(counts))
    sys.exit(0 if not counts["accepted"] else 1)


if __name__ == "__main__":
    main()
