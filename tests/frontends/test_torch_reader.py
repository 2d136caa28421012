"""Reading `.pt2` files and PyTorch's objects."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import nnadapter as nna
from frontends.source import Ref
from frontends.torch.reading.reader import node_of
from nnir.dim import symbols_of
from nnir.errors import BadInput
from nnir.mapping import MappedFile
from nnir.types import Precision, TensorType

from .torch_programs import Block, Counter, block, saved

DEVICES = "builtin", "onnxruntime", "openvino", "litert", "torch"


@pytest.fixture(scope="module")
def block_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("torch") / "block.pt2"
    path.write_bytes(block())
    return path


def leaves(value: object) -> list[torch.Tensor]:
    return torch.utils._pytree.tree_leaves(value)


def agree(model: nna.Model, module: nn.Module, *arrays: np.ndarray) -> None:
    want = leaves(module(*map(torch.from_numpy, arrays)))
    for device in ("builtin", "onnxruntime"):
        got = nna.compile(model, device)(*arrays)
        for mine, theirs in zip(got[len(got) - len(want) :], want, strict=True):
            np.testing.assert_allclose(mine, theirs.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_names_follow_the_structure_of_the_module(block_file: Path) -> None:
    model = nna.load(block_file)
    assert [v.name for v in model.inputs] == ["x", "extra_bias_0"]
    assert model.output_names == ["flat", "pair.0", "pair.1"]
    names = {v.name for v in model.values() if v.constant is not None}
    assert {"first.weight", "first.bias", "second.weight"} <= names


def test_dynamic_dimensions_keep_their_range(block_file: Path) -> None:
    model = nna.load(block_file)
    (name,) = symbols_of(model.inputs[0].shape[0])
    assert model.symbols[name] == (0, 64), "2 is what export takes for several"
    assert str(model.outputs[0].shape[0]) == f"2*{name}"


@pytest.mark.parametrize("batch", [1, 2, 3, 7])
def test_one_conversion_runs_at_every_size(block_file: Path, batch: int) -> None:
    program = torch.export.load(block_file)
    x, bias = torch.randn(batch, 4), torch.randn(batch, 4)
    want = leaves(program.module()(x, extra={"bias": [bias]}))
    model = nna.load(block_file)
    for device in ("builtin", "onnxruntime"):
        got = nna.compile(model, device)(x.numpy(), bias.numpy())
        for mine, theirs in zip(got, want, strict=True):
            np.testing.assert_allclose(mine, theirs.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_weights_are_views_into_the_file(block_file: Path) -> None:
    model = nna.load(block_file)
    weight = next(v.constant for v in model.values() if v.name == "second.weight")
    owner: object = weight
    while isinstance(owner, np.ndarray):
        owner = owner.base
    assert isinstance(owner.obj if isinstance(owner, memoryview) else owner, MappedFile)
    assert weight.strides == (4, 16), "a transposed parameter stays one"


def test_a_module_shares_its_weights() -> None:
    module = nn.Linear(3, 2)
    model = nna.load(module, inputs=(torch.randn(1, 3),))
    weight = next(v.constant for v in model.values() if v.name == "weight")
    assert np.shares_memory(weight, module.weight.detach().numpy())
    agree(model, module, np.ones((1, 3), np.float32))


def test_dimensions_have_the_names_that_the_caller_gave() -> None:
    batch = torch.export.Dim("batch", max=64)
    shapes = {"x": {0: batch}, "extra": {"bias": [{0: batch}]}}
    inputs, keywords = (torch.randn(3, 4),), {"extra": {"bias": [torch.randn(3, 4)]}}
    model = nna.load(Block(), inputs, keywords=keywords, dynamic_shapes=shapes)
    assert str(model.inputs[0].shape[0]) == "batch"
    assert str(model.outputs[0].shape[0]) == "2*batch"
    assert model.symbols["batch"][1] == 64


SIZES = {
    "auto": torch.export.Dim.AUTO,
    "dynamic": torch.export.Dim.DYNAMIC,
    "named": torch.export.Dim("n"),
    "from 1": torch.export.Dim("n", min=1, max=6),
    "from 2": torch.export.Dim("n", min=2, max=6),
    "from 3": torch.export.Dim("n", min=3, max=6),
}


@pytest.mark.parametrize("is_saved", [False, True])
@pytest.mark.parametrize("name", SIZES)
def test_programs_take_the_sizes_that_pytorch_takes(name: str, is_saved: bool) -> None:
    """PyTorch says 2 for sizes that are not 0 or 1 while it exports, and takes these all the same;
    of limits beyond that it minds."""
    module = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
    program = torch.export.export(module, (torch.randn(5, 4),), dynamic_shapes=({0: SIZES[name]},))
    model = nna.load(saved(program) if is_saved else program)
    compiled = [nna.compile(model, device) for device in DEVICES]
    for size in (0, 1, 2, 3, 6, 7):
        array = np.ones((size, 4), np.float32)
        try:
            wanted = program.module()(torch.from_numpy(array)).detach().numpy()
        except AssertionError:
            for run in compiled:
                with pytest.raises(BadInput, match=f"is {size}: the model is for from .* to 6"):
                    run(array)
            continue
        for run in compiled:
            np.testing.assert_allclose(run(array)[0], wanted, rtol=1e-6)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("scale", [1.7, 1.8, 0.6])
def test_scales_of_open_sizes(mode: str, align_corners: bool, scale: float) -> None:
    """PyTorch rounds the sizes down in float64, and then aligns the corners of what that gives."""
    module = nn.Upsample(scale_factor=scale, mode=mode, align_corners=align_corners)
    shapes = {"input": dict.fromkeys((2, 3), torch.export.Dim.AUTO)}
    model = nna.load(module, inputs=(torch.randn(2, 3, 6, 7),), dynamic_shapes=shapes)
    array = np.random.default_rng(0).uniform(-0.1, 0.1, (2, 3, 5, 10)).astype(np.float32)
    agree(model, module, array)


def test_the_first_of_n_elements_is_one() -> None:
    """An export says so, although no operand does: axes are dropped and joined by it."""

    class Ends(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x[:, -1:].squeeze(1) + x[:, :1].squeeze(1) + x[:, :4].flatten(1)[:, :3]

    shapes = {"x": {1: torch.export.Dim("n", min=5)}}
    model = nna.load(Ends(), inputs=(torch.randn(2, 6, 3),), dynamic_shapes=shapes)
    assert model.outputs[0].shape == (2, 3)
    agree(model, Ends(), np.random.default_rng(0).standard_normal((2, 9, 3), np.float32))


def test_a_traced_graph_module_is_a_module() -> None:
    class Small(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.relu(x) * 2

    traced = torch.fx.symbolic_trace(Small())
    model = nna.load(traced, inputs=[np.ones((2, 3), np.float32)])
    agree(model, Small(), np.array([[-1, 0, 2]], np.float32).repeat(2, 0))


@pytest.mark.filterwarnings("ignore:.*LeafSpec.*is deprecated:FutureWarning")
@pytest.mark.long
def test_buffers_that_change_in_place_are_states() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for source in (
        torch.export.export(Counter(), (torch.from_numpy(x),)),
        torch.export.export(Counter(), (torch.from_numpy(x),)).run_decompositions({}),
        torch.export.export(Counter(), (torch.from_numpy(x),)).run_decompositions(),
    ):
        for given in (source, saved(source)):
            program = nna.compile(nna.load(given))
            counter = Counter()
            for calls in (1, 2, 3):
                (result,) = program(x)
                want = counter(torch.from_numpy(x.copy())).numpy()
                np.testing.assert_array_equal(result, want)
                count = program.states["count"]
                np.testing.assert_array_equal(count, np.full(4, calls, np.float32))
            assert nna.verify(given, inputs=[x])


def test_a_module_needs_inputs() -> None:
    with pytest.raises(BadInput, match=r"load\(module, inputs="):
        nna.load(nn.Linear(2, 2))
    with pytest.raises(BadInput, match="not for this torch source"):
        nna.load(block(), inputs=(1,))
    with pytest.raises(BadInput, match="has its inputs"):
        nna.load(torch.export.export(nn.Linear(2, 2), (torch.ones(1, 2),)), inputs=(1,))


def test_reading_brings_no_framework(block_file: Path) -> None:
    probe = (
        f"import sys, nnadapter\nnnadapter.load({str(block_file)!r})\n"
        "print(sorted(set(sys.modules) & {'torch', 'onnx', 'sympy', 'scipy'}))"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float8_e4m3fn", "int8", "bool"])
def test_weights_of_every_type(dtype: str) -> None:
    class Holder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("w", torch.tensor([[0, 1], [2, 3]]).to(getattr(torch, dtype)))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.w[1].to(torch.float32) + x

    program = torch.export.export(Holder(), (torch.zeros(2),))
    for source in (program, saved(program)):
        agree(nna.load(source), Holder(), np.zeros(2, np.float32))


class Strided(nn.Module):
    """Reads the memory of what does not lie there in order."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        turned = x.t()
        hole = torch.zeros(2, 2)
        return (
            turned.as_strided((3, 4), (4, 1)),
            x[1:].as_strided((2, 2), (2, 1)),
            x.reshape(2, 2, 3).transpose(1, 2).as_strided((2, 3), (6, 1), 0),
            torch.as_strided_scatter(turned, hole, (2, 2), (1, 3)),
        )


@pytest.mark.parametrize("is_file", [True, False])
def test_strides_are_those_of_the_export(is_file: bool) -> None:
    x = torch.randn(4, 3)
    program = torch.export.export(Strided(), (x,))
    agree(nna.load(saved(program) if is_file else program), Strided(), x.numpy())


class StridedInPlace(nn.Module):
    """As `Strided`, of a program that changes tensors and reads views of them then."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        turned, copy = x.t(), x.clone()
        other = copy.t()
        copy.add_(1)
        before = turned.as_strided((2, 2), (1, 2), 1)
        after = other.as_strided((2, 3), (3, 2), 1)
        other.mul_(2)
        return before, after, copy[1:].as_strided((2, 2), (2, 1)), other.as_strided((4,), (2,), 3)


@pytest.mark.parametrize("is_file", [True, False])
def test_strides_are_known_of_what_is_changed_in_place(is_file: bool) -> None:
    x = torch.randn(4, 3)
    program = torch.export.export(StridedInPlace(), (x,))
    agree(nna.load(saved(program) if is_file else program), StridedInPlace(), x.numpy())


def test_a_call_in_the_order_of_its_effects_is_the_operator_that_it_calls() -> None:
    given = [("", "token"), ("", "aten.add.Tensor"), ("", Ref("x")), ("", Ref("y"))]
    kind = TensorType(Precision.FLOAT32, (2,))
    node = node_of("higher_order.with_effects", given, ["token_1", "sum"], [None, kind], "sum")
    assert (node.op, node.outputs, node.types) == ("aten.add.Tensor", ["sum"], [kind])
    assert node.attributes == {"self": Ref("x"), "other": Ref("y")}
