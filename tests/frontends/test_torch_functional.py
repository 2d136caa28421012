"""In-place operations: what is read afterwards is what PyTorch reads, or there is an error."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import nnadapter as nna
from frontends.torch.reading.strides import is_contiguous, is_view
from nnir.dim import symbol
from nnir.errors import NNAdapterError, Unsupported

from .torch_programs import saved

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning"),
]

Function = Callable[[torch.Tensor], Any]


class Call(nn.Module):
    def __init__(self, function: Function) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> Any:
        return self.function(x)


def fresh(x: torch.Tensor) -> Any:
    y = x * 2
    z = y.add_(1)
    return y, z, y + z


def slice_of_slice(x: torch.Tensor) -> Any:
    y = x * 2
    y[1:][:, ::2].mul_(3)
    return y


def select_of_transpose(x: torch.Tensor) -> Any:
    y = x * 2
    y.t()[1].zero_()
    y.permute(1, 0)[2].fill_(7)
    y.T[3, 1] = 9
    y[None].mT[0, 0, 2:] += 1
    return y


def stale_view(x: torch.Tensor) -> Any:
    y = x * 2
    row, column = y[0], y[:, 1]
    y.add_(1)
    row.mul_(10)
    return row, column, y


def through_view(x: torch.Tensor) -> Any:
    y = x * 2
    y.view(-1)[3:5] = 100
    y.unsqueeze(0).squeeze(0).sub_(1)
    return y


def parts(x: torch.Tensor) -> Any:
    y = x * 2
    first, second = y.split([1, 2])
    second.add_(first)
    for k, part in enumerate(y.unbind(1)):
        part.mul_(k)
    y.chunk(2, dim=1)[1].add_(5)
    return y, first


def diagonal(x: torch.Tensor) -> Any:
    y = x * 2
    y.diagonal().fill_(-1)
    y.narrow(1, 1, 2).clamp_(max=0.5)
    return y


def casts(x: torch.Tensor) -> Any:
    y = x * 2
    y.to(torch.float32).add_(1)
    y.to(torch.float64).add_(100)
    whole = torch.zeros(3, dtype=torch.int64)
    whole.add_(torch.tensor([1, 2, 3], dtype=torch.int32))
    return y, whole


def contiguous(x: torch.Tensor) -> Any:
    y = x * 2
    y.contiguous().add_(1)
    copy = y.t().contiguous()
    copy.mul_(0)
    y.reshape(2, 6).add_(3)
    y.t().reshape(-1).fill_(0)
    y.flatten().neg_()
    return y, copy


def masks(x: torch.Tensor) -> Any:
    y = x * 2
    y.masked_fill_(y > 1, 9)
    y[y < 0] = 4
    y[torch.tensor([0, 2]), torch.tensor([1, 3])] = torch.tensor([5.0, 6.0])
    y.index_add_(0, torch.tensor([1, 1]), torch.ones(2, 4))
    return y.scatter_(1, torch.tensor([[0], [1], [2]]), 8.0)


def activations(x: torch.Tensor) -> Any:
    y = x * 2
    nn.functional.relu(y, inplace=True)
    nn.functional.dropout(y, 0.5, training=False, inplace=True).add_(1)
    return y, nn.functional.hardtanh(y, 0, 2, inplace=True)


def copies(x: torch.Tensor) -> Any:
    y = torch.empty(3, 4, dtype=torch.float64)
    y.copy_(x)
    y[0].copy_(x[1] * 2)
    return y


def other_shapes(x: torch.Tensor) -> Any:
    y = x * 2
    row, other = y[0], y
    y.unsqueeze_(1).add_(1)
    row.mul_(3)
    z = (x + 1)[None]
    z.squeeze_(0)
    flat = z.view(-1)
    z.swapaxes_(0, 1)
    flat[:4].neg_()
    z.t_()[1].mul_(5)
    return y, row, other + 0, z.transpose_(0, 1), flat


def given_results(x: torch.Tensor) -> Any:
    whole, empty = torch.zeros(3, 4), torch.empty(0)
    torch.maximum(x, x * x, out=whole)
    torch.add(whole, 1, out=empty)
    row = whole[1]
    torch.mul(x[0], 2, out=row)
    double = torch.zeros(3, 4, dtype=torch.float64)
    torch.mul(x, 2, out=double)
    values, places = torch.empty(3), torch.empty(3, dtype=torch.int64)
    torch.max(x, dim=1, out=(values, places))
    return whole, empty, row, double, values, places


def operators_of_python(x: torch.Tensor) -> Any:
    inside, either = x > 0, x > 2
    inside &= x < 1
    either |= inside
    bits = (x * 10).to(torch.int64)
    bits ^= 3
    bits <<= 2
    bits >>= 1
    return inside, either, bits


def filled_diagonals(x: torch.Tensor) -> Any:
    y = x * 2
    y.fill_diagonal_(7)
    z = x.t() * 2
    return y, z[1:].fill_diagonal_(-1), z


FUNCTIONS: list[Function] = [
    *(fresh, slice_of_slice, select_of_transpose, stale_view, through_view, parts, diagonal),
    *(casts, contiguous, masks, activations, copies, other_shapes, given_results),
    *(operators_of_python, filled_diagonals),
]


def loadable(function: Function, x: torch.Tensor, way: str) -> Any:
    """The function as a file or an object of torch.export, or as a trace of TorchScript."""
    with torch.no_grad():
        if way == "trace":
            return torch.jit.trace(Call(function), x)
        program = torch.export.export(Call(function), (x,), strict=False)
    return saved(program) if way == "file" else program


@pytest.mark.parametrize("way", ["file", "object", "trace"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_reads_what_torch_reads(function: Function, way: str) -> None:
    x = torch.linspace(-2, 3, 12).reshape(3, 4)
    model = nna.load(loadable(function, x, way))
    want = torch.utils._pytree.tree_leaves(function(x.clone()))
    got = nna.compile(model)(x.numpy())
    assert len(got) == len(want)
    for mine, theirs in zip(got, want, strict=True):
        np.testing.assert_array_equal(mine, theirs.numpy())
        assert mine.dtype == theirs.numpy().dtype


def test_an_input_that_is_overwritten_is_an_output() -> None:
    program = torch.export.export(Call(lambda x: x.add_(1) * 2), (torch.ones(2),))
    model = nna.load(program)
    assert model.output_names[1] == "x.next"
    result, new = nna.compile(model)(np.zeros(2, np.float32))
    np.testing.assert_array_equal(new, [1, 1])
    np.testing.assert_array_equal(result, [2, 2])


def expanded(x: torch.Tensor) -> Any:
    y = (x * 2)[0].expand(3, 4)
    return torch.ops.aten.detach(y).add_(1)


def matrices_of_two(x: torch.Tensor) -> Any:
    return (x.t() * 2).fill_diagonal_(1, wrap=True)


def result_of_another_shape(x: torch.Tensor) -> Any:
    y = torch.zeros(0)
    flat = y.view(-1)
    torch.add(x, 1, out=y)
    return y, flat


def dynamic_reshape(x: torch.Tensor) -> Any:
    y = (x * 2).t()
    y.reshape(-1).add_(1)
    return y


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (expanded, "expand"),
        (dynamic_reshape, "run_decompositions"),
        (matrices_of_two, "wrap=True"),
        (result_of_another_shape, "another shape"),
    ],
)
def test_what_is_refused(function: Function, text: str) -> None:
    rows = torch.export.Dim("rows", min=2, max=50)
    shapes = ({0: rows},) if function is dynamic_reshape else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            program = torch.export.export(
                Call(function), (torch.ones(3, 4),), dynamic_shapes=shapes, strict=False
            )
        except RuntimeError:
            pytest.skip("PyTorch itself refuses to export this")
    with pytest.raises(Unsupported, match=text) as caught:
        nna.load(program)
    assert isinstance(caught.value, NNAdapterError)


def test_reshapes_that_share_memory() -> None:
    n = symbol("n")
    assert is_contiguous((2, 1, 3), (3, 99, 1))
    assert is_contiguous((n, 3), (3, 1))
    assert not is_contiguous((3, n), (1, 3))
    assert is_view((2, 3), (3, 1), (6,)) is True
    assert is_view((2, 3), (1, 2), (6,)) is False
    assert is_view((2, 3, 4), (1, 8, 2), (2, 12)) is True
    assert is_view((n, 3), (1, n), (3 * n,)) is None
    assert is_view((n, 4, 31, 16), (512, 512 * n, 16, 1), (n, 4, 16, 31)) is True
    assert is_view((n, 4, 5), (20, 1, 4), (n, 20)) is False
    assert is_view((n, 4, 5), (1, n, 4 * n), (n, 4, 5)) is True


def test_what_shares_memory_agrees_with_torch() -> None:
    shapes = [(2, 3, 4), (4, 1, 6), (24,), (1, 24, 1), (6, 4), (2, 12), (3, 2, 2, 2)]
    base = torch.arange(48).reshape(2, 24)[:, ::2]
    tensors = [torch.zeros(s).permute(*p) for s in shapes for p in orders(len(s))]
    for x in [*tensors, base, base.reshape(4, 6)[::2], torch.zeros(1, 5)[:, :4]]:
        for target in shapes:
            if x.numel() != 24 or torch.Size(target).numel() != 24:
                continue
            shares = x.reshape(target).data_ptr() == x.data_ptr()
            assert is_view(x.shape, x.stride(), target) is shares, (x.shape, x.stride(), target)


def orders(rank: int) -> list[tuple[int, ...]]:
    return [tuple((k + s) % rank for k in range(rank)) for s in range(rank)]
