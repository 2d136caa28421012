"""What the torch device emits for CUDA, seen without a GPU: on the CPU, and on torch's device
`meta`, which has no elements and notices tensors of two devices."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from conformance.cases.nnir import CASES, DirectCase
from hal.drivers.torch import cuda, program
from hal.drivers.torch.emitter import Emitter
from hal.drivers.torch.program import Settings, compile_model, emit
from nnir.errors import DeviceError, NNAdapterError
from nnir.model import Model
from nnir.ops import binary, index, linear, shape
from nnir.types import Precision, TensorType

OTHERWISE = ("MAT_MUL", "FULLY_CONNECTED", "CONV_2D", "CAST", "GATHER", "GATHER_ELEMENTS",
             "GATHER_ND", "SCATTER_ELEMENTS", "SCATTER_ND", "BERNOULLI")  # fmt: skip
"""Operators whose lowerings look at where they will run."""
ENOUGH = 40
"""Cases of one operator."""
META = torch.device("meta")
CPU = Settings(torch.device("cpu"), compiles=False, profiles=False)


@pytest.fixture
def pretends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Graphs are those for CUDA, and run on the CPU."""
    monkeypatch.setattr(Emitter, "on_cuda", True)


def cases(*names: str) -> Iterator[DirectCase]:
    """The cases of operators that torch runs."""
    for case in CASES:
        if isinstance(case, DirectCase) and (not names or case.operator.name in names):
            yield case


def compiled(case: DirectCase) -> program.Program | None:
    """A case as the torch device compiles it; None for one that it does not take."""
    try:
        model = case.model()
        is_plain = not any(v.precision.is_quantized for v in model.inputs)
        return compile_model(model, CPU) if is_plain else None
    except NNAdapterError:
        return None


def test_graphs_for_cuda_give_what_those_for_cpus_give(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, counts = set[object](), Counter[str]()
    for case in cases(*OTHERWISE):
        if counts[case.op] == ENOUGH:
            continue
        with monkeypatch.context() as patch:
            patch.setattr(Emitter, "on_cuda", True)
            other = compiled(case)
        if other is None:
            continue
        nodes = other.module.graph.nodes
        own = {n.target for n in nodes if getattr(n.target, "__module__", "") == cuda.__name__}
        plain = compiled(case) if own or other.bounds else None
        if plain is not None:
            calls |= own
            counts[case.op] += 1
            results = other.run(case.arrays()), plain.run(case.arrays())
            for got, wanted in zip(*results, strict=True):
                np.testing.assert_array_equal(got, wanted, err_msg=str(case))
    assert calls == {
        cuda.multiply_integers, cuda.scatter_in_order, cuda.check_positions, cuda.cut
    }  # fmt: skip
    assert counts.keys() >= {*OTHERWISE} - {"BERNOULLI"}, counts


def test_no_tensor_stays_behind() -> None:
    """One case of every operator, with all that it makes on another device."""
    seen = set()
    for case in cases():
        if case.operator in seen:
            continue
        try:
            _, module = emit(case.model(), target=META)
        except NNAdapterError:
            continue
        seen.add(case.operator)
        inputs = [torch.from_numpy(np.array(a)).to(META) for a in case.arrays() if _is_plain(a)]
        if len(inputs) < len(case.arrays()):
            continue
        creates = program._creates_tensors(module)
        with torch.inference_mode(), META if creates else torch.device("cpu"):
            problem = _problem_of(module.to(META), inputs)
        assert "same device" not in problem, f"{case}: {problem}"
    assert len(seen) > 150


def _problem_of(module: torch.nn.Module, inputs: list[torch.Tensor]) -> str:
    """What torch says; much asks for elements, which there are none of."""
    try:
        module(*inputs)
    except (NotImplementedError, RuntimeError, TypeError, ValueError) as error:
        return str(error)
    return ""


def _is_plain(array: np.ndarray) -> bool:
    return array.dtype.kind in "biufc" and array.dtype.isnative


def look_up(size: int, how: str) -> Model:
    """Rows of a table, twice, by positions that the caller gives, or that are made of these."""
    model = Model()
    at = model.input("at", TensorType(Precision.INT64, (2,)))
    table = model.constant(np.arange(size * 3, dtype=np.float32).reshape(size, 3))
    if how == "computed":
        at = binary.add(at, at)
    elif how == "moved":
        row = shape.unsqueeze(at, model.constant(np.array([0])))
        at = shape.reshape(shape.transpose(row, perm=[1, 0]), model.constant(np.array([2])))
    model.outputs = [index.gather(table, at, axis=0), index.gather(table, at, axis=0)]
    return model


@pytest.mark.parametrize("how", ["given", "moved", "computed"])
def test_positions_outside_are_found_before_the_device_fails(pretends: None, how: str) -> None:
    compiled = compile_model(look_up(4, how), CPU)
    rows, _ = compiled.run([np.array([1, -2])])
    np.testing.assert_array_equal(rows[:, 0], [6, 0] if how == "computed" else [3, 6])
    assert compiled.bounds == ([] if how == "computed" else [(0, 4)])
    checks = [n for n in compiled.module.graph.nodes if n.target is cuda.check_positions]
    assert len(checks) == (how == "computed")
    for far in (4, -5):
        with pytest.raises(DeviceError, match="outside of an axis of 4 elements"):
            compiled.run([np.array([0, far])])


@pytest.mark.parametrize("kind", [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64])
def test_products_of_integers_wrap(kind: torch.dtype) -> None:
    """Extremes by extremes, and random ones, as matrices and by an equation."""
    about = torch.iinfo(kind)
    edges = torch.tensor([about.min, about.min + 1, 0, 1, about.max - 1, about.max], dtype=kind)
    pairs = torch.tensor([*itertools.product(edges.tolist(), repeat=2)], dtype=kind)
    a, b = pairs[:, :1, None], pairs[:, None, 1:]
    assert torch.equal(cuda.multiply_integers(a, b), a * b)
    generator = torch.Generator().manual_seed(0)
    x, y = (
        torch.randint(about.min, about.max, s, dtype=kind, generator=generator)
        for s in ((3, 4, 33), (3, 33, 5))
    )
    assert torch.equal(cuda.multiply_integers(x, y), x @ y)
    assert torch.equal(cuda.multiply_integers(x, y, "...ij,...jk->...ik"), x @ y)


def test_einsum_of_integers(pretends: None) -> None:
    model = Model()
    x, y, z = (
        model.input(n, TensorType(Precision.INT32, s))
        for n, s in (("x", (2, 3)), ("y", (3, 4)), ("z", (4, 2)))
    )
    model.outputs = [linear.einsum(x, y, equation="ij,jk->ik")]
    arrays = [np.arange(6, dtype=np.int32).reshape(2, 3) << 29, np.full((3, 4), 7, np.int32)]
    third = np.full((4, 2), 5, np.int32)
    (product,) = compile_model(model, CPU).run([*arrays, third])
    np.testing.assert_array_equal(product, arrays[0] @ arrays[1])
    model.outputs = [linear.einsum(x, y, z, equation="ij,jk,kl->il")]
    (whole,) = compile_model(model, CPU).run([*arrays, third])
    np.testing.assert_array_equal(whole, arrays[0] @ arrays[1] @ third)


def test_sums_that_float64_would_round_are_refused() -> None:
    x = torch.zeros(cuda.LONGEST + 1, dtype=torch.int32)
    with pytest.raises(RuntimeError, match="sums of more"):
        cuda.multiply_integers(x, x)
    assert cuda.multiply_integers(x[:, None], x[None, :3], "ij,jk->ik").shape == (len(x), 3)
    with pytest.raises(RuntimeError, match="sums of more"):
        cuda.multiply_integers(x, x, "i,i")


@pytest.mark.parametrize("kind", [torch.int8, torch.int16, torch.int32, torch.int64])
def test_floats_beyond_integers_are_cut_as_on_cpus(kind: torch.dtype) -> None:
    x = torch.tensor([np.nan, np.inf, -np.inf, 3e9, -3e9, 2.0**63, -(2.0**63), 1.9, -1.9, 300.0])
    assert torch.equal(cuda.cut(x, kind), x.to(kind))
