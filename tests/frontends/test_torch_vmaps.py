"""`torch.vmap` in exported programs: what it hides is where PyTorch has it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import nnadapter as nna
from nnir.errors import Unsupported

from .torch_programs import saved

X = torch.linspace(-2, 2, 12).reshape(3, 4)
Y = torch.linspace(1, 3, 4)
MASK = torch.tensor([[True, False, True, True, False], [True, True, True, False, False]])


class Call(nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.function(*inputs)


def masks(mask: torch.Tensor, wide: torch.Tensor) -> torch.Tensor:
    """As transformers make them: each position is a number, which looks up and compares."""

    def sees(sample: Any, head: Any, row: Any, column: Any) -> Any:
        is_there = torch.ops.aten.index.Tensor(mask, [sample, column])
        return (row - column).abs().le(wide) & is_there & (column <= row + head)

    at, dims = torch.arange(mask.shape[1]), [None, None, None, None]
    for place in reversed(range(4)):
        sees = torch.vmap(sees, in_dims=tuple(0 if k == place else d for k, d in enumerate(dims)))
    return sees(torch.arange(mask.shape[0]), torch.arange(3), at, at)


def padded(mask: torch.Tensor, wide: torch.Tensor) -> torch.Tensor:
    """A level between others of which nothing is read, as masks are the same for all heads."""

    def sees(sample: Any, _: Any, column: Any) -> Any:
        return torch.ops.aten.index.Tensor(mask, [sample, column]) & (column <= wide)

    for dims in ((None, None, 0), (None, 0, None), (0, None, None)):
        sees = torch.vmap(sees, in_dims=dims)
    return sees(torch.arange(mask.shape[0]), torch.arange(3), torch.arange(mask.shape[1]))


def nested(x: torch.Tensor, y: torch.Tensor) -> Any:
    """Levels that see each other: what the outer hides is read in the inner."""

    def of_row(row: Any) -> Any:
        inner = torch.vmap(lambda a, b: a - row * b)
        return inner(row, y)

    return torch.vmap(of_row)(x)


def typed(x: torch.Tensor, y: torch.Tensor) -> Any:
    def one(row: Any, other: Any) -> Any:
        ones = row.new_ones((2, 4), dtype=torch.int32)
        return torch.where(row > other, row, other.to(torch.float64)) + ones

    return torch.vmap(one, (0, None))(x, y)


def outer(x: torch.Tensor, y: torch.Tensor) -> Any:
    return torch.vmap(lambda a: torch.vmap(lambda b: a.sigmoid() - b)(y))(x[:, 0])


def outer_alone(x: torch.Tensor, y: torch.Tensor) -> Any:
    return torch.vmap(lambda a: torch.vmap(lambda b: a + y, out_dims=1)(y))(x)


FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[torch.Tensor, ...]]] = {
    "masks": (masks, (MASK, torch.tensor(2))),
    "padded": (padded, (MASK, torch.tensor(2))),
    "nested": (nested, (X, Y)),
    "typed": (typed, (X, Y)),
    "outer": (outer, (X, Y)),
    "outer_alone": (outer_alone, (X, Y)),
    "columns": (lambda x, y: torch.vmap(lambda a, b: a + b, (1, 0))(x, y), (X, Y)),
    "turned": (lambda x, y: torch.vmap(lambda c, d: c.exp() - d, in_dims=(1, 0))(x, y), (X, Y)),
    "wider": (lambda x, y: torch.vmap(lambda n: n + x)(y), (X, Y)),
    "beside": (lambda x, y: torch.vmap(lambda a, b: (a + b, b), (1, 0), (0, -1))(x, y), (X, Y)),
    "constant": (lambda x, y: torch.vmap(lambda a: (a, y.neg()))(x)[1], (X, Y)),
}


def called(function: Callable[..., Any], *inputs: torch.Tensor) -> list[np.ndarray]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PyTorch's own use of what it will drop
        return [t.numpy() for t in torch.utils._pytree.tree_leaves(function(*inputs))]


def exported(function: Callable[..., Any], inputs: Any, shapes: Any = None) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.export.export(Call(function), inputs, dynamic_shapes=shapes, strict=False)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_vmap_gives_what_pytorch_gives(name: str) -> None:
    function, inputs = FUNCTIONS[name]
    program = exported(function, inputs)
    targets = {str(node.target) for node in program.graph.nodes}
    assert any("_add_batch_dim" in target for target in targets)
    wanted = called(function, *inputs)
    for source in (saved(program), program):
        found = nna.compile(nna.load(source))(*(t.numpy() for t in inputs))
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6, strict=True)


def test_a_vmap_of_open_sizes() -> None:
    rows, length = torch.export.Dim("rows", max=9), torch.export.Dim("length", max=9)
    wide = torch.tensor(2)
    program = exported(masks, (MASK, wide), {"inputs": ({0: rows, 1: length}, None)})
    run = nna.compile(nna.load(saved(program)))
    for mask in (MASK, torch.ones(3, 7, dtype=torch.bool)):
        found = run(mask.numpy(), wide.numpy())[0]
        np.testing.assert_array_equal(found, called(masks, mask, wide)[0], strict=True)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: torch.vmap(lambda row: row @ y)(x),
        lambda x, y: torch.vmap(lambda row: row.sum())(x),
        lambda x, y: torch.vmap(lambda row: row.softmax(0))(x),
        lambda x, y: torch.vmap(lambda row: torch.cat([row, y]))(x),
    ],
)
def test_what_is_no_single_number_is_refused(function: Callable[..., Any]) -> None:
    program = exported(function, (X, Y))
    with pytest.raises(Unsupported, match=r"inside of torch.vmap: export after run_decompositions"):
        nna.load(saved(program))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = nna.load(saved(program.run_decompositions({})))
    found = nna.compile(plain)(X.numpy(), Y.numpy())[0]
    np.testing.assert_allclose(found, called(function, X, Y)[0], rtol=1e-5)


def test_only_these_functions_of_python_may_stand_in_a_file() -> None:
    data = saved(exported(FUNCTIONS["columns"][0], (X, Y)))
    assert data.count(b"predispatch._add_batch_dim") >= 1
    with pytest.raises(Unsupported, match="is no operator, and may do anything"):
        nna.load(data.replace(b"predispatch._add_batch_dim", b"predispatch._add_batch_fun"))
