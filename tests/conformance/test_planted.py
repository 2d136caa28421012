"""Ten bugs, planted one at a time: the suites find each, and bisect names the operation."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import nnadapter as nna
from conformance.bisecting.finding import CONSTANT, CONVERSION, DEVICE
from conformance.running.conform import conform
from conformance.running.suite import Options

from ..conftest import folder_of
from . import planted

ROOT = Path(__file__).parents[2]
NETWORKS = ("resnet", "bert", "unet")


@dataclass(frozen=True)
class Planted:
    """A bug: how bisect calls it, where it is first met in each network, what suite finds it."""

    name: str
    kind: str
    found: dict[str, tuple[str, str]]
    suite: Options
    device: str = "builtin"
    fuse: bool = False


def cases(frontend: str, op: str, device: str = "builtin", *, optimize: bool = False) -> Options:
    return Options(frontends=(frontend,), op=op, devices=(device,), optimize=optimize)


CONV = {"resnet": ("CONV_2D", "conv2d"), "unet": ("CONV_2D", "conv2d")}
BUGS = (
    Planted(
        "wrong_axis",
        CONVERSION,
        dict.fromkeys(NETWORKS, ("SOFTMAX", "softmax")),
        cases("torch", "aten.softmax.int"),
    ),
    Planted(
        "dropped_bias",
        CONVERSION,
        CONV | {"bert": ("MAT_MUL", "linear")},
        cases("torch", "aten.conv2d.default"),
    ),
    Planted(
        "off_by_one_pad",
        DEVICE,
        CONV,
        cases("torch", "aten.conv2d.default", "onnxruntime"),
        device="onnxruntime",
    ),
    Planted(
        "swapped_epsilon",
        CONVERSION,
        {
            "resnet": ("BATCH_NORMALIZATION", "batch_norm"),
            "bert": ("LAYER_NORMALIZATION", "layer_norm"),
            "unet": ("BATCH_NORMALIZATION", "batch_norm"),
        },
        cases("torch", "aten.*_norm.default"),
    ),
    Planted(
        "wrong_rounding",
        CONVERSION,
        {"unet": ("GATHER", "upsample_nearest2d")},
        cases("torch", "aten.upsample_nearest2d.vec"),
    ),
    Planted("transposed_filter", CONVERSION, CONV, cases("torch", "aten.conv2d.default")),
    Planted(
        "lost_fuse_code",
        DEVICE,
        CONV | {"unet": ("CONV_2D", "batch_norm"), "bert": ("FULLY_CONNECTED", "linear_8")},
        cases("tflite", "conv_2d", "onnxruntime", optimize=True),
        device="onnxruntime",
        fuse=True,
    ),
    Planted(
        "wrong_dtype",
        CONVERSION,
        dict.fromkeys(NETWORKS, ("CAST", "softmax")),
        cases("torch", "aten.softmax.int"),
    ),
    Planted(
        "stale_constant",
        CONSTANT,
        {"resnet": ("DIV", "div"), "bert": ("ADD", "add_1"), "unet": ("DIV", "div")},
        Options(suites=("models",), devices=("builtin",), case="resnet"),
    ),
    Planted(
        "wrong_tie_order",
        CONVERSION,
        dict.fromkeys(NETWORKS, ("ARG_MAX", "argmax")),
        cases("onnx", "ArgMax"),
    ),
)
PLACES = [(bug, network) for bug in BUGS for network in bug.found]


@pytest.fixture(scope="session")
def networks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of("tests.conformance.networks", tmp_path_factory)


@pytest.mark.parametrize("fuse", [False, True])
@pytest.mark.parametrize("device", ["builtin", "onnxruntime"])
@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.long
def test_nothing_is_found_where_nothing_is_wrong(
    network: str, device: str, networks: Path, *, fuse: bool
) -> None:
    found = nna.bisect(networks / network / "model.pt2", device, fuse=fuse)
    assert found, found.finding
    assert found.total >= found.known > (10 if fuse else 20)
    assert not found.note


@pytest.mark.parametrize(("bug", "network"), PLACES, ids=lambda x: getattr(x, "name", x))
@pytest.mark.long
def test_bisect_names_the_operation(
    bug: Planted, network: str, networks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "evidence"
    with monkeypatch.context() as undo:
        getattr(planted, bug.name)(undo.setattr)
        source = networks / network / "model.pt2"
        found = nna.bisect(source, bug.device, folder=folder, fuse=bug.fuse)
    finding = found.finding
    assert finding is not None
    assert (finding.kind, finding.operation, finding.origin) == (
        bug.kind,
        *bug.found[network],
    ), finding.reason
    assert (folder / "operation.nnir").exists() == (bug.kind != CONSTANT)
    shown = [n for n in shown_by(folder, bug.name) if n.startswith("largest difference")]
    assert max(float(line.split()[2]) for line in shown) > 0


def shown_by(folder: Path, bug: str) -> Iterator[str]:
    """What the script in the folder prints, in a process of its own with the bug."""
    script = folder / "show.py"
    assert len(script.read_text().splitlines()) <= 15
    with_bug = (
        f"from tests.conformance import planted; planted.{bug}(); "
        f"import runpy; runpy.run_path({str(script)!r})"
    )
    done = subprocess.run(
        [sys.executable, "-c", with_bug], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    yield from done.stdout.splitlines()


@pytest.mark.parametrize("bug", BUGS, ids=lambda b: b.name)
def test_the_suites_find_it(bug: Planted, networks: Path) -> None:
    is_models = "models" in bug.suite.suites
    options = replace(
        bug.suite,
        yardstick=False,
        models=(str(networks),) if is_models else (),
        preload=(f"tests.conformance.planted:{bug.name}",),
    )
    run = conform(options, jobs=1)
    assert run.counts["wrong"] or run.counts["error"], dict(run.counts)
