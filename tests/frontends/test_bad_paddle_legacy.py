"""Damaged and hostile legacy programs: one line, no crash, no hang, no memory without end."""

from __future__ import annotations

import contextlib
import random
import re
import shutil
import struct
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from frontends.paddle import load
from frontends.paddle.reading.legacy.reader import NEWEST
from frontends.paddle.reading.params import read_all
from hal.runtime.program import Program
from nnir.errors import BadFile, BadModel, BadType, NNAdapterError, Unsupported, summary

from .paddle_legacy_bytes import Op, X, around, inner, number, parameter, program, variable

DATA = Path(__file__).parents[1] / "data/paddle"
SECONDS = 5
RELU = Op("relu", {"X": ["x"]}, {"Out": ["y"]})
WEIGHT = variable("w", [3], stored=True)
SCALED = Op("elementwise_mul", {"X": ["x"], "Y": ["w"]}, {"Out": ["y"]}, {"axis": -1})


def written(folder: Path, content: bytes, parameters: bytes | None = None) -> Path:
    path = folder / "model.pdmodel"
    path.write_bytes(content)
    if parameters is not None:
        path.with_suffix(".pdiparams").write_bytes(parameters)
    return path


def refused(path: Path, kind: type[NNAdapterError], words: str) -> None:
    with pytest.raises(kind, match=words) as error:
        load(path)
    assert "\n" not in summary(error.value)


def test_a_program_byte_by_byte(tmp_path: Path) -> None:
    weights = parameter(np.array([1, 2, 3], np.float32).tobytes(), [3])
    path = written(tmp_path, program(around(SCALED), variables=[X, WEIGHT]), weights)
    x = np.ones((2, 3), np.float32)
    (found,) = Program(load(path), "builtin")(x)
    assert found.tolist() == [[1, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize("name", ["net", "arrays", "branches"])
def test_truncated(name: str, tmp_path: Path) -> None:
    content = (DATA / f"{name}.pdmodel").read_bytes()
    shutil.copy(DATA / "net.pdiparams", tmp_path / "model.pdiparams")
    for size in range(0, len(content) - 20, len(content) // 60):
        with pytest.raises(NNAdapterError) as error:
            load(written(tmp_path, content[:size]))
        assert "\n" not in summary(error.value)


@pytest.mark.parametrize("name", ["net", "encoder", "detector", "arrays", "branches", "loops"])
def test_mutated(name: str, tmp_path: Path) -> None:
    """Whatever happens is an error of ours or a model, in little time."""
    content = (DATA / f"{name}.pdmodel").read_bytes()
    if (weights := DATA / f"{name}.pdiparams").exists():
        shutil.copy(weights, tmp_path / "model.pdiparams")
    generator = random.Random(name)
    for _ in range(60):
        changed = bytearray(content)
        for _ in range(generator.choice((1, 3, 20))):
            changed[generator.randrange(len(changed))] = generator.randrange(256)
        started = time.process_time()
        with contextlib.suppress(NNAdapterError):
            load(written(tmp_path, bytes(changed)))
        assert time.process_time() - started < SECONDS


def test_truncated_parameters(tmp_path: Path) -> None:
    content = (DATA / "net.pdmodel").read_bytes()
    weights = (DATA / "net.pdiparams").read_bytes()
    for size in range(0, len(weights), 97):
        refused(written(tmp_path, content, weights[:size]), BadFile, "parameters")


def test_missing_parameters(tmp_path: Path) -> None:
    path = written(tmp_path, program(around(SCALED), variables=[X, WEIGHT]))
    refused(path, BadFile, "cannot read .*w")


def test_parameters_of_another_program(tmp_path: Path) -> None:
    content = (DATA / "net.pdmodel").read_bytes()
    other = (DATA / "reader.pdiparams").read_bytes()
    refused(written(tmp_path, content, other), BadFile, "the program has")


@pytest.mark.parametrize("name", ["../w", "a/b", "/etc/passwd", "..", "a\\b", ""])
def test_a_parameter_outside_the_folder(name: str, tmp_path: Path) -> None:
    ops = around(Op("elementwise_mul", {"X": ["x"], "Y": [name]}, {"Out": ["y"]}))
    stored = variable(name, [3], stored=True)
    path = written(tmp_path, program(ops, variables=[X, stored]))
    refused(path, BadFile, "cannot be a file beside the program")


def test_a_parameter_that_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    path = written(tmp_path, program(around(SCALED), variables=[X, WEIGHT]))
    refused(path, BadFile, "cannot")


def test_unknown_operators_are_listed_together(tmp_path: Path) -> None:
    ops = [
        Op("magic", {"X": ["x"]}, {"Out": ["a"]}),
        Op("lstm", {"Input": ["a"]}, {"Hidden": ["b"]}),
        Op("magic", {"X": ["b"]}, {"Out": ["y"]}),
    ]
    path = written(tmp_path, program(around(*ops), variables=[X]))
    refused(path, Unsupported, re.escape("no converter for magic (x2), lstm (x1)"))


def test_a_variable_that_nothing_wrote(tmp_path: Path) -> None:
    op = Op("relu", {"X": ["ghost"]}, {"Out": ["y"]})
    refused(written(tmp_path, program(around(op), variables=[X])), BadModel, "ghost")


def test_an_attribute_that_would_be_ignored(tmp_path: Path) -> None:
    op = Op("matmul", {"X": ["x"], "Y": ["x"]}, {"Out": ["y"]}, {"head_number": 2})
    refused(written(tmp_path, program(around(op), variables=[X])), Unsupported, "head_number=2")


@pytest.mark.parametrize(
    ("name", "value"), [("fuse_with_relu", True), ("fuse_activation", "relu"), ("with_act", True)]
)
def test_an_operator_with_another_in_it(name: str, value: object, tmp_path: Path) -> None:
    op = Op("relu", {"X": ["x"]}, {"Out": ["y"]}, {name: value})
    refused(written(tmp_path, program(around(op), variables=[X])), Unsupported, name)


def test_an_input_that_would_be_ignored(tmp_path: Path) -> None:
    op = Op("relu", {"X": ["x"], "Mask": ["x"]}, {"Out": ["y"]})
    refused(written(tmp_path, program(around(op), variables=[X])), Unsupported, "relu with Mask")


def test_axes_beyond_the_last(tmp_path: Path) -> None:
    op = Op("elementwise_mul", {"X": ["x"], "Y": ["w"]}, {"Out": ["y"]}, {"axis": 2})
    weights = parameter(bytes(12), [3])
    path = written(tmp_path, program(around(op), variables=[X, WEIGHT]), weights)
    refused(path, BadType, "from axis 2 on")


@pytest.mark.parametrize("number", [0, 1, 7, -3, 1 << 40])
def test_blocks_that_call_themselves(number: int, tmp_path: Path) -> None:
    loop = Op("while", {"Condition": ["x"], "X": ["x"]}, {"Out": ["x"]}, {"sub_block": number})
    inside = [Op("relu", {"X": ["x"]}, {"Out": ["x"]}), loop]
    path = written(tmp_path, program(around(loop, read="x"), inside, variables=[X]))
    started = time.process_time()
    refused(path, NNAdapterError, "block")
    assert time.process_time() - started < SECONDS


@pytest.mark.parametrize("number", [0, 1, 7])
def test_conditional_blocks_that_call_themselves(number: int, tmp_path: Path) -> None:
    names = {"Cond": ["x"], "Input": ["x"]}
    branch = Op("conditional_block", names, {"Out": ["x"]}, {"sub_block": number})
    inside = [Op("relu", {"X": ["x"]}, {"Out": ["x"]}), branch, branch]
    path = written(tmp_path, program(around(branch, read="x"), inside, variables=[X]))
    started = time.process_time()
    refused(path, NNAdapterError, "block")
    assert time.process_time() - started < SECONDS


def test_many_conditionals_one_in_another(tmp_path: Path) -> None:
    """Each block has two of the next: nothing may be written out 2**20 times."""
    blocks = []
    for k in range(20):
        names = {"Cond": ["x"], "Input": ["x"]}
        branch = Op("conditional_block", names, {"Out": ["x"]}, {"sub_block": k + 1})
        blocks.append([branch, branch] if k else around(branch, branch, read="x"))
    blocks.append([Op("relu", {"X": ["x"]}, {"Out": ["x"]})])
    path = written(tmp_path, program(*blocks, variables=[X]))
    started = time.process_time()
    with contextlib.suppress(NNAdapterError):
        load(path)
    assert time.process_time() - started < SECONDS


def test_an_empty_file(tmp_path: Path) -> None:
    refused(written(tmp_path, b""), BadFile, "without blocks")


def test_no_program_at_all(tmp_path: Path) -> None:
    refused(written(tmp_path, b"\x89PNG\r\n" * 50), BadFile, "damaged|truncated")


def test_levels_of_detail_are_passed_over() -> None:
    """Parameters of a lookup table may say which rows belong together."""
    values = np.arange(6, dtype=np.float32)
    plain = parameter(values.tobytes(), [2, 3])
    levels = [struct.pack("<Q2Q", 16, 0, 2), struct.pack("<Q3Q", 24, 0, 1, 2)]
    told = plain[:4] + struct.pack("<Q", len(levels)) + b"".join(levels) + plain[12:]
    first, second = read_all(told + plain)
    np.testing.assert_array_equal(first, values.reshape(2, 3))
    np.testing.assert_array_equal(second, values.reshape(2, 3))
    with pytest.raises(BadFile, match="levels of detail end behind the file"):
        read_all(told[:30])


def test_a_program_of_a_later_version_is_told(tmp_path: Path) -> None:
    content = program(around(RELU), variables=[X], version=NEWEST + 1)
    with pytest.warns(UserWarning, match=f"a program of Paddle {NEWEST + 1}; tested up to"):
        load(written(tmp_path, content))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(written(tmp_path, program(around(RELU), variables=[X], version=NEWEST)))


def test_a_program_may_be_without_a_version(tmp_path: Path) -> None:
    content = program(around(RELU), variables=[X], version=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(written(tmp_path, content))


def test_what_is_fed_must_be_a_tensor(tmp_path: Path) -> None:
    listed = inner(1, "x") + inner(2, number(1, 13))  # a list of tensors
    with pytest.raises(Unsupported, match="the input 'x', which is no tensor"):
        load(written(tmp_path, program(around(RELU), variables=[listed])))


def test_ends_without_a_column_are_the_first_ones(tmp_path: Path) -> None:
    feed = Op("feed", {"X": ["feed"]}, {"Out": ["x"]})
    fetch = Op("fetch", {"X": ["y"]}, {"Out": ["fetch"]})
    model = load(written(tmp_path, program([feed, RELU, fetch], variables=[X])))
    assert (len(model.inputs), model.output_names) == (1, ["y"])
