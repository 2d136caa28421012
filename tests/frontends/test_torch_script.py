"""TorchScript archives, each against PyTorch on the same bytes."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import nnadapter as nna
from nnir.errors import BadFile, BadInput, BadModel, NNAdapterError, Unsupported, summary
from nnir.mapping import MappedFile

from . import torch_scripts as scripts
from .torch_scripts import archive_of, with_code, zipped

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated:DeprecationWarning")
BOTH = ("traced", "scripted")
ALL = ("traced", "scripted", "frozen")
SCRIPT = ("scripted",)
SAMPLE = Path(__file__).parents[1] / "data" / "samples" / "net.pt"


def rand(*sizes: int) -> torch.Tensor:
    return torch.rand(sizes, generator=torch.Generator().manual_seed(sum(sizes))) - 0.3


PADDED = torch.tensor([[False] * 4, [False] * 3 + [True]])
CORNERS = rand(6, 4) + torch.tensor([0, 0, 1, 1.0])
CASES: list[tuple[type[nn.Module], tuple[Any, ...], tuple[str, ...]]] = [
    (scripts.Residual, (rand(2, 3, 4, 4),), ALL),
    (scripts.Memories, (rand(2, 3, 3),), BOTH),
    (scripts.Encoder, (rand(2, 4, 8), PADDED), ("traced", "frozen")),
    (scripts.Decoder, (torch.arange(10).reshape(2, 5),), ALL),
    (scripts.Views, (rand(4, 4),), BOTH),
    (scripts.Boxes, (rand(2, 5, 4), rand(2, 5)), SCRIPT),
    (scripts.Suppress, (CORNERS, rand(6)), SCRIPT),
    (scripts.Early, (rand(4),), SCRIPT),
    (scripts.Repeat, (rand(3) + 0.3,), SCRIPT),
    (scripts.Count, (rand(3), 4), SCRIPT),
    (scripts.Keeps, (rand(4),), SCRIPT),
    (scripts.Numbers, (rand(2, 3, 4, 4),), SCRIPT),
    (scripts.Images, (rand(1, 2, 4, 4),), BOTH),
    (scripts.Adds, (rand(3, 4),), ("traced",)),
    (scripts.Packs, (rand(5, 2, 3), torch.tensor([3, 5])), ("traced",)),
    (scripts.Classes, (torch.tensor([[0, 2], [1, 4]]),), SCRIPT),
    (scripts.Lists, (rand(3, 4),), SCRIPT),
    (scripts.Scaled, (rand(3, 4),), ("traced",)),
]
ROWS = [
    pytest.param(kind, inputs, way, id=f"{kind.__name__}-{way}")
    for kind, inputs, ways in CASES
    for way in ways
]
TYPES = {torch.float32: "", torch.int64: "int64", torch.bool: "bool"}


def shapes_of(data: bytes, inputs: tuple[Any, ...], first: str | None = None) -> dict[str, str]:
    """The shapes of the tensors among inputs, by name; `first`: what their first size is called."""
    module = torch.jit.load(io.BytesIO(data))
    names = [a.name for a in module.forward.schema.arguments][1:]
    found = {}
    for name, value in zip(names, inputs, strict=False):
        if isinstance(value, torch.Tensor):
            sizes = [*map(str, value.shape)]
            sizes[0] = first or sizes[0]
            found[name] = f"{TYPES[value.dtype]}[{', '.join(sizes)}]"
    return found


def leaves(value: Any) -> list[np.ndarray]:
    found = torch.utils._pytree.tree_leaves(value)
    return [np.asarray(v.detach() if isinstance(v, torch.Tensor) else v) for v in found]


def agree(model: nna.Model, data: bytes, inputs: tuple[Any, ...], device: str = "builtin") -> None:
    want = leaves(torch.jit.load(io.BytesIO(data))(*inputs))
    got = nna.compile(model, device)(*map(np.asarray, inputs))
    for mine, theirs in zip(got, want, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("kind", "inputs", "way"), ROWS)
def test_programs_agree_with_pytorch(
    kind: type[nn.Module], inputs: tuple[Any, ...], way: str
) -> None:
    torch.manual_seed(0)
    data = archive_of(kind(), inputs, way)
    agree(nna.load(data, shapes=shapes_of(data, inputs)), data, inputs)


def test_constants_that_change_keep_what_they_are() -> None:
    x = rand(3, 4)
    data = archive_of(scripts.Adds(), (x,), "traced")
    module = torch.jit.load(io.BytesIO(data))
    run = nna.compile(nna.load(data))
    for _ in range(3):
        np.testing.assert_allclose(run(x.numpy())[0], module(x).numpy(), rtol=1e-6)


OPEN = (scripts.Residual, scripts.Decoder, scripts.Encoder, scripts.Memories, scripts.Numbers)


@pytest.mark.parametrize("kind", OPEN)
def test_sizes_may_stay_open(kind: type[nn.Module]) -> None:
    torch.manual_seed(0)
    (inputs,) = (i for k, i, _ in CASES if k is kind)
    data = archive_of(kind(), inputs, "scripted")
    model = nna.load(data, shapes=shapes_of(data, inputs, "batch"))
    assert str(model.inputs[0].shape[0]) == "batch"
    agree(model, data, inputs)
    agree(model, data, tuple(torch.cat([x, x[:1]]) for x in inputs), "onnxruntime")


def test_arguments_in_containers() -> None:
    data = archive_of(scripts.Nested(), (), "scripted")
    x = rand(2, 3)
    names = ("pair_0", "pair_1", "table_a", "several_0", "several_1", "factor")
    shapes = dict.fromkeys(names, (2, 3))
    model = nna.load(data, shapes=shapes)
    assert [v.name for v in model.inputs] == list(names)
    assert model.output_names == ["total", "parts.0", "parts.1"]
    want = leaves(torch.jit.load(io.BytesIO(data))((x, x), {"a": x}, [x, x], x))
    for mine, theirs in zip(nna.compile(model)(*[x.numpy()] * 6), want, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-6)
    del shapes["factor"]
    assert len(nna.load(data, shapes=shapes).inputs) == 5


def test_what_is_traced_has_its_shapes(tmp_path: Path) -> None:
    path = tmp_path / "net.torchscript"
    path.write_bytes(archive_of(scripts.Residual(), (rand(2, 3, 4, 4),), "traced"))
    model = nna.load(path)
    assert model.inputs[0].shape == (2, 3, 4, 4)
    names = {v.name for v in model.values() if v.constant is not None}
    assert {"first.weight", "head.bias"} <= names
    owner: Any = next(v.constant for v in model.values() if v.name == "first.weight")
    while isinstance(owner, np.ndarray):
        owner = owner.base
    assert isinstance(owner.obj if isinstance(owner, memoryview) else owner, MappedFile)


def test_shapes_are_asked_for_all_at_once() -> None:
    data = archive_of(scripts.Boxes(), (), "scripted")
    with pytest.raises(Unsupported, match=r"'boxes', 'scores'.*--shape boxes=\.\.\. --shape sco"):
        nna.load(data)
    with pytest.raises(BadInput, match="types are"):
        nna.load(data, shapes={"boxes": "float[2]", "scores": [2, 5]})
    with pytest.raises(BadInput, match=r"raises an error.*AssertionError: even"):
        nna.load(archive_of(scripts.Numbers(), (), "scripted"), shapes={"x": [2, 3, 5, 4]})


def test_a_module_in_memory() -> None:
    module = torch.jit.script(scripts.Early())
    model = nna.load(module, shapes={"x": [4]})
    assert nna.verify(module, loading={"shapes": {"x": [4]}})
    assert [v.name for v in model.inputs] == ["x"]


def test_numbers_may_be_fixed() -> None:
    data = archive_of(scripts.Count(), (), "scripted")
    model = nna.load(data, shapes={"x": [3]}, values={"rounds": 3})
    assert [o.operator.name for o in model.operations if o.models] == []
    (got,) = nna.compile(model)(np.ones(3, np.float32))
    want = torch.jit.load(io.BytesIO(data))(torch.ones(3), 3)
    np.testing.assert_allclose(got, want.numpy(), rtol=1e-6)


@pytest.mark.long
def test_states_are_kept_and_proved(tmp_path: Path) -> None:
    path = tmp_path / "keeps.pt"
    path.write_bytes(archive_of(scripts.Keeps(), (), "scripted"))
    model = nna.load(path, shapes={"x": [4]})
    assert [s.name for s in model.states] == ["calls", "mean"]
    assert nna.verify(path, loading={"shapes": {"x": [4]}})
    found = nna.bisect(SAMPLE)
    assert found
    assert "TorchScript" in found.note


@pytest.mark.long
def test_convert_proves_itself(tmp_path: Path) -> None:
    torch.manual_seed(0)
    path = tmp_path / "net.pt"
    path.write_bytes(archive_of(scripts.Decoder(), (), "scripted"))
    command = ["convert", str(path), str(tmp_path / "net.onnx"), "--shape", "ids=int64[batch,5]"]
    done = subprocess.run(
        [sys.executable, "-m", "nnadapter", *command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "torch" in done.stdout + done.stderr
    assert (tmp_path / "net.onnx").exists()


def test_reading_brings_no_framework() -> None:
    probe = (
        f"import sys, nnadapter\nnnadapter.load({str(SAMPLE)!r})\n"
        "print(sorted(set(sys.modules) & {'torch', 'onnx', 'pickle', 'scipy'}))"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() in ("[]", "['pickle']")  # which NumPy may bring


def test_what_may_be_shared_is_not_guessed() -> None:
    data = archive_of(scripts.Shares(), (), "scripted")
    with pytest.raises(Unsupported, match="may share its memory"):
        nna.load(data, shapes={"x": [3]})


def test_other_files_say_what_they_are(tmp_path: Path) -> None:
    torch.save(nn.Linear(2, 2).state_dict(), tmp_path / "weights.pt")
    with pytest.raises(Unsupported, match=r"pickle of torch\.save"):
        nna.load(tmp_path / "weights.pt")
    torch.save({"a": 1}, tmp_path / "old.pth", _use_new_zipfile_serialization=False)
    with pytest.raises(BadFile, match=r"pickle of torch\.save"):
        nna.load(tmp_path / "old.pth")
    served = zipped({"MAR-INF/MANIFEST.json": b"{}", "net.pt": SOURCE})
    with pytest.raises(Unsupported, match="TorchServe"):
        nna.load(served)


SOURCE = SAMPLE.read_bytes()
BODIES = {
    "    import os": (BadFile, "statement Import"),
    "    y = (lambda: 1)()": (BadFile, "expression Lambda"),
    "    y = x.__class__": (BadFile, "attribute '__class__'"),
    "    y = __import__('os')": (BadFile, "variable '__import__'"),
    "    y = torch.save(x, 'f')": (Unsupported, "no converter for aten.save"),
    "    y = fork(x)": (Unsupported, "fork"),
    "    while True:\n      y = 1": (Unsupported, "more than 1000 iterations"),
    "    y = (self).forward(x)": (BadModel, "calls in calls"),
    "    s = '{}{}'\n    for i in range(99):\n      s = torch.format(s, s, s)": (BadModel, "text"),
    "    for i in range(999):\n      for j in range(999):\n        for k in range(999):\n"
    "          y = i": (BadModel, "steps"),
    "    ops.prim.RaiseException('no', 'builtins.ValueError')": (BadInput, "ValueError: no"),
    "    y = torch.add(x)": (Unsupported, "aten.add of \\(Tensor\\)"),
    "    y = ops.quantized.linear(x, x)": (Unsupported, "no converter for quantized.linear"),
}


@pytest.mark.parametrize(("body", "expected"), BODIES.items(), ids=range(len(BODIES)))
def test_code_that_is_refused(body: str, expected: tuple[type[NNAdapterError], str]) -> None:
    def change(code: str) -> str:
        head, mark, rest = code.partition("x: Tensor) -> Tuple[Tensor, Tensor]:\n")
        return f"{head}{mark}{body}\n{rest}"

    with pytest.raises(expected[0], match=expected[1]) as caught:
        nna.load(with_code(SOURCE, change))
    assert "\n" not in summary(caught.value)


PICKLES = {
    b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R.": "could run code",
    b"\x80\x02cbuiltins\neval\nX\x01\x00\x00\x001\x85R.": "could run code",
    b"\x80\x02c__torch__\nNet\n)\x81}b.": "has no attribute",
    b"\x80\x04\x8c\x02os\x8c\x06system\x93.": "opcode",
    b"\x80\x02]h\x05.": "damaged data.pkl",
    b"\x80\x02": "truncated data.pkl",
}


@pytest.mark.parametrize(("pickle", "text"), PICKLES.items(), ids=range(len(PICKLES)))
def test_pickles_that_are_refused(pickle: bytes, text: str) -> None:
    parts = members(SOURCE)
    parts["net/data.pkl"] = pickle
    with pytest.raises(BadFile, match=text):
        nna.load(zipped(parts))


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        return {info.filename: source.read(info) for info in source.infolist()}


ARCHIVES: dict[str, tuple[Callable[[dict[str, bytes]], Any], type[NNAdapterError], str]] = {
    "another byte order": (
        lambda p: p.update({"net/byteorder": b"big"}),
        Unsupported,
        "big-endian",
    ),
    "too old": (lambda p: p.update({"net/version": b"2"}), Unsupported, "version 2"),
    "too new": (lambda p: p.update({"net/version": b"99"}), Unsupported, "version 99"),
    "no version": (lambda p: p.update({"net/version": b"x"}), BadFile, "version b'x'"),
    "a short weight": (lambda p: p.update({"net/data/1": b"12"}), BadFile, "has 2 bytes"),
    "no weight": (lambda p: p.pop("net/data/1"), BadFile, "no member 'data/1'"),
    "no class": (lambda p: p.pop("net/code/__torch__.py"), BadFile, "no class '__torch__.Net'"),
    "no constants": (lambda p: p.pop("net/constants.pkl"), BadFile, "constant CONSTANTS.c0 of 0"),
    "the oldest kind": (lambda p: p.update({"net/model.json": b"{}"}), Unsupported, "PyTorch 1.1"),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives_that_are_refused(name: str) -> None:
    change, kind, text = ARCHIVES[name]
    parts = members(SOURCE)
    change(parts)
    with pytest.raises(kind, match=text) as caught:
        nna.load(zipped(parts))
    assert "\n" not in summary(caught.value)


def test_compressed_weights_and_other_checksums() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in members(SOURCE).items():
            target.writestr(name, content)
    with pytest.raises(BadFile, match="compressed"):
        nna.load(buffer.getvalue())
    with pytest.raises(BadFile, match="checksum"):
        nna.load(zipped(members(SOURCE)).replace(b"torch.relu_", b"torch.tanh_"))


def test_the_gate_refuses_operators_that_act(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    path = tmp_path / "net.pt"
    code = f"    if False:\n      torch.save(x, {str(marker)!r})\n"
    path.write_bytes(
        with_code(
            SOURCE,
            lambda text: text.replace(
                "    first = self.first\n", code + "    first = self.first\n"
            ),
        )
    )
    nna.load(path)
    with pytest.raises(Unsupported, match=r"torch\.save"):
        nna.verify(path)
    assert not marker.exists()
