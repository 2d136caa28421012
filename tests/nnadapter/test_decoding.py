"""Decoders with their caches as inputs and outputs write PyTorch's words everywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper
from torch import nn
from torch.export import Dim

import nnadapter as nna

DEVICES = ("builtin", "onnxruntime", "openvino", "litert", "torch")
HEADS, SHARED, WIDTH, VOCABULARY = 4, 2, 4, 19
WORDS = 6
PROMPTS = ((7,), (3, 11, 5))
Step = Callable[..., list[np.ndarray]]


class Attention(nn.Module):
    """Query heads, two of which share keys and values."""

    def __init__(self) -> None:
        super().__init__()
        size = HEADS * WIDTH
        self.query, self.out = nn.Linear(size, size), nn.Linear(size, size)
        self.key, self.value = (nn.Linear(size, SHARED * WIDTH) for _ in range(2))

    def split(self, x: torch.Tensor, heads: int) -> torch.Tensor:
        return x.reshape(x.shape[0], x.shape[1], heads, WIDTH).transpose(1, 2)

    def attend(
        self, x: torch.Tensor, key: torch.Tensor, value: torch.Tensor, seen: torch.Tensor | None
    ) -> torch.Tensor:
        query = self.split(self.query(x), HEADS)
        key, value = (
            t[:, :, None].expand(-1, -1, HEADS // SHARED, -1, -1).flatten(1, 2)
            for t in (key, value)
        )
        scores = query @ key.transpose(2, 3) * WIDTH**-0.5
        if seen is not None:
            scores = scores.masked_fill(~seen, float("-inf"))
        found = (scores.softmax(-1) @ value).transpose(1, 2)
        return self.out(found.reshape(x.shape[0], x.shape[1], HEADS * WIDTH))


class Decoder(nn.Module):
    """One layer, which looks at the words so far and at what an encoder gave."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, HEADS * WIDTH)
        self.own, self.other = Attention(), Attention()
        self.logits = nn.Linear(HEADS * WIDTH, VOCABULARY)

    def forward(
        self, words: torch.Tensor, heard: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        x = self.words(words)
        keys = torch.cat([keys, self.own.split(self.own.key(x), SHARED)], 2)
        values = torch.cat([values, self.own.split(self.own.value(x), SHARED)], 2)
        places = torch.arange(keys.shape[2])
        seen = places <= places[keys.shape[2] - words.shape[1] :, None]
        x = x + self.own.attend(x, keys, values, seen)
        crossed = [self.other.split(f(heard), SHARED) for f in (self.other.key, self.other.value)]
        x = x + self.other.attend(x, *crossed, None)
        return self.logits(x), keys, values


def decode(step: Step, prompt: tuple[int, ...], heard: np.ndarray) -> list[int]:
    """The likeliest word behind those before it, again and again."""
    now = np.array([prompt])
    caches = [np.zeros((1, SHARED, 0, WIDTH), np.float32)] * 2
    written = []
    for _ in range(WORDS):
        logits, *caches = step(now, heard, *caches)
        written.append(int(logits[0, -1].argmax()))
        now = np.array([[written[-1]]])
    return written


def run_torch(module: nn.Module) -> Step:
    def run(*arrays: np.ndarray) -> list[np.ndarray]:
        with torch.no_grad():
            return [t.numpy() for t in module(*map(torch.from_numpy, arrays))]

    return run


@pytest.fixture(scope="module")
def decoder() -> Decoder:
    torch.manual_seed(5)
    return Decoder().eval()


@pytest.fixture(scope="module")
def program(decoder: Decoder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program whose batch and lengths are open."""
    path = tmp_path_factory.mktemp("decoder") / "decoder.pt2"
    batch, count, heard, before = (Dim(n) for n in ("batch", "count", "heard", "before"))
    cache = torch.zeros(3, SHARED, 7, WIDTH)
    example = torch.zeros(3, 4, dtype=torch.int64), torch.zeros(3, 6, HEADS * WIDTH), cache, cache
    open_cache = {0: batch, 2: before}
    shapes = {0: batch, 1: count}, {0: batch, 1: heard}, open_cache, open_cache
    made = torch.export.export(decoder, example, dynamic_shapes=shapes, strict=False)
    torch.export.save(made, path)
    return path


def heard_of(length: int) -> np.ndarray:
    size = (1, length, HEADS * WIDTH)
    return np.random.default_rng(length).standard_normal(size).astype(np.float32)


@pytest.mark.parametrize("device", DEVICES)
def test_a_decoder_writes_the_same_words(device: str, decoder: Decoder, program: Path) -> None:
    with nna.compile(nna.load(program), device) as compiled:
        for prompt in PROMPTS:
            heard = heard_of(2 + len(prompt))
            assert decode(compiled, prompt, heard) == decode(run_torch(decoder), prompt, heard)


@pytest.mark.long
def test_a_written_program_takes_any_length(
    decoder: Decoder, program: Path, tmp_path: Path
) -> None:
    """torch.export would take sizes of 0 and 1 for constants, and refuse them."""
    nna.convert(program, tmp_path / "written.pt2", verify=False)
    step = run_torch(torch.export.load(tmp_path / "written.pt2").module())
    for prompt in PROMPTS:
        heard = heard_of(2 + len(prompt))
        assert decode(step, prompt, heard) == decode(run_torch(decoder), prompt, heard)


def test_a_cache_is_not_copied_behind_its_node(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "decoder.onnx"
    nna.save(nna.load(program), tmp_path / "decoder.nnir")
    nna.convert(tmp_path / "decoder.nnir", path, verify=False)
    graph = onnx.load(path).graph
    assert [n for n in graph.node if n.op_type == "Identity"] == []
    makers = {name: n.op_type for n in graph.node for name in n.output}
    assert [makers[o.name] for o in graph.output][1:] == ["Concat", "Concat"]


def test_an_output_that_a_branch_reads_keeps_its_name() -> None:
    """A node's sub-graphs read what is around them by its name."""
    real = TensorProto.FLOAT

    def branch(kind: str) -> onnx.GraphProto:
        end = helper.make_tensor_value_info(f"{kind}_out", real, [2])
        node = helper.make_node(kind, ["y"], [f"{kind}_out"])
        return helper.make_graph([node], kind, [], [end])

    ends = [helper.make_tensor_value_info(n, real, [2]) for n in ("x", "y", "z")]
    flag = helper.make_tensor_value_info("flag", TensorProto.BOOL, [])
    branches = {"then_branch": branch("Neg"), "else_branch": branch("Abs")}
    nodes = [
        helper.make_node("Exp", ["x"], ["y"]),
        helper.make_node("If", ["flag"], ["z"], **branches),
    ]
    graph = helper.make_graph(nodes, "g", [flag, ends[0]], ends[1:])
    versions = [helper.make_opsetid("", 18)]
    model = helper.make_model(graph, opset_imports=versions, ir_version=9)
    x = np.array([0, 1], np.float32)
    with nna.compile(nna.load(model.SerializeToString()), "onnxruntime") as compiled:
        y, z = compiled(np.array(True), x)
    np.testing.assert_allclose(y, np.exp(x), rtol=1e-6)
    np.testing.assert_array_equal(z, -y)
