"""The lines that no case runs: what counts as a statement, and that a run writes them down."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.lines.__main__ import main
from conformance.lines.reading import Place, places, read_functions, read_lines
from conformance.lines.report import spans_of
from conformance.lines.writing import ROOT
from conformance.running.conform import conform
from conformance.running.suite import Options
from nnir.errors import BadInput

TEXT = '''
def softmax(x, axis):
    """Text is no statement."""
    if axis > 1:
        raise ValueError(axis)
    if (
        x
        and axis
    ):
        return x
    return call(
        x,
        axis,
    )


class Lowering:
    def match(self, x):
        match x:
            case 1:
                return 1
        try:
            y = x
        except ValueError:
            return 0
        return y

    @abstractmethod
    def nothing(self): ...
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_text(TEXT)
    return path


def test_statements_that_did_not_run(file: Path) -> None:
    softmax, match = read_functions(file, {4, 8, 12})
    assert softmax.name == "softmax"
    assert softmax.statements == {4, 5, 6, 10, 11}
    assert softmax.missing == (10,)
    assert softmax.refusals == (5,)
    assert match.name == "Lowering.match"
    assert match.missing == (19, 21, 22, 23, 25, 26)
    place = Place("a", (softmax, match))
    assert (place.total, place.missing, place.refusals) == (11, 7, 1)
    assert place.share == pytest.approx(0.3)


def test_spans() -> None:
    assert spans_of([1, 2, 3, 7, 9, 10]) == "1-3, 7, 9-10"


@pytest.mark.long
def test_a_run_writes_its_lines(tmp_path: Path) -> None:
    folder = tmp_path / "lines"
    options = Options(
        frontends=("onnx",), op="Hardmax", devices=("onnxruntime",), lines=str(folder)
    )
    assert conform(options, jobs=1).is_good
    ran = read_lines(folder)
    named = {f.name: f for p in places(ran) for f in p.functions if "onnxruntime" in f.file}
    assert not named["hardmax"].missing
    assert named["softplus"].missing
    assert ROOT / "hal/drivers/onnxruntime/activation.py" in ran
    said = CliRunner().invoke(main, [str(folder), "--list", "--at-least", "99"])
    assert said.exit_code == 1
    assert "onnxruntime/activation.py softplus" in said.output
    assert "less than 99.0 % of frontends/" in said.output


def test_nothing_was_written(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has no lines"):
        read_lines(tmp_path)
