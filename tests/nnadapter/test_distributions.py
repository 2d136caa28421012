"""What is published: the files of each distribution, its metadata, and the core installed alone."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.metadata import Metadata
from packaging.specifiers import SpecifierSet

from tests.conftest import folder_of

from .make_distributions import PROJECTS, ROOT

pytestmark = pytest.mark.long("distributions")  # for what is made for them
SAMPLES = ROOT / "tests" / "data" / "samples"
PACKAGES = ("nnadapter", "nnir", "frontends", "hal", "conformance")
MEGABYTE = 1e6
MOST = 40 * MEGABYTE
"""Of the core with all that it requires, NumPy apart."""

LABELS = {"Homepage", "Documentation", "Source", "Issues", "Changelog"}
SOURCES = {
    "net.onnx": "onnx",
    "net.pt2": "torch",
    "net.tflite": "litert",
    "saved": "tensorflow",
    "graph.pb": "tensorflow",
    "pir.json": "paddle",
    "net.nnir": "",
}
"""Models, and the framework that would prove what is made of them."""

ENGINES = {"pt2": "torch"}
"""Formats that their engines write."""

CONVERT = """
import contextlib, sys, pathlib, nnadapter
from nnadapter import conversion
from nnir.errors import NoDevice
for source in map(pathlib.Path, sys.argv[2:]):
    for suffix in ("nnir", "onnx", "xml", "tflite"):
        target = pathlib.Path(sys.argv[1], f"{source.stem}.{suffix}")
        read = lambda: nnadapter.load(source)
        done = conversion.convert(source, target, conversion.Plan(), read, nnadapter.load)
        assert done.report, done.report.rows
        print(source.name, suffix, *done.report.unproved, sep="|")
    for suffix in ("pt2",):
        try:
            nnadapter.convert(source, f"no.{suffix}")
        except NoDevice as error:
            print(source.name, suffix, error, sep="|")
others = {"onnx", "torch", "tensorflow", "paddle", "openvino", "scipy", "jinja2"} & {*sys.modules}
assert not others, others
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make_distributions.py` fills."""
    return folder_of("tests.nnadapter.make_distributions", tmp_path_factory)


@pytest.fixture(scope="module")
def wheels(made: Path) -> list[Path]:
    """Core, then cases and suites."""
    return sorted((made / "wheels").glob("*.whl"))


def files_of(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def ours() -> Iterator[str]:
    """What belongs into one of the wheels."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*"):
            if path.is_file() and path.suffix != ".pyc":
                yield path.relative_to(ROOT).as_posix()


def test_every_file_is_in_one_wheel(wheels: list[Path]) -> None:
    core, cases = map(files_of, wheels)
    assert core | cases == set(ours())
    assert not core & cases
    assert {f"{package}/py.typed" for package in PACKAGES} <= core
    assert "nnadapter/looking/libraries/d3-zoom-flatbush.min.js" in core
    assert {name.split("/")[1] for name in cases} >= {"cases", "suites"}
    assert not {name for name in core if name.startswith(("conformance/cases", "conformance/suit"))}


def test_the_source_distributions_have_no_tests(made: Path) -> None:
    for folder in (p for p in (made / "sources").iterdir() if p.is_dir()):
        names = {p.relative_to(folder).as_posix() for p in folder.rglob("*")}
        assert {"LICENSE", "pyproject.toml", "PKG-INFO"} <= names
        assert not {n for n in names if n.startswith("tests") or "__pycache__" in n}


@pytest.mark.parametrize("number", [0, 1])
def test_metadata_is_complete(number: int, wheels: list[Path]) -> None:
    project = tomllib.loads((ROOT / PROJECTS[number] / "pyproject.toml").read_text())["project"]
    with zipfile.ZipFile(wheels[number]) as archive:
        about = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        found = Metadata.from_email(archive.read(about), validate=True)
        licences = [n for n in archive.namelist() if "/licenses/" in n]
        assert all(b"icense" in archive.read(n) for n in licences)
    assert found.name == project["name"]
    assert found.author
    assert found.keywords
    assert found.license_expression == "Apache-2.0"
    assert {*(found.project_urls or ())} == LABELS
    assert {"Typing :: Typed", "Operating System :: POSIX :: Linux"} <= {*(found.classifiers or ())}
    assert len(licences) == 2 - number  # the core carries libraries for pages
    assert found.description
    links = re.findall(r"\]\(([^)]+)\)", found.description)
    assert links
    assert all(link.startswith("https://") for link in links), "the index knows no relative links"


@pytest.mark.parametrize("project", PROJECTS)
def test_classifiers_are_the_pythons_that_it_takes(project: str) -> None:
    about = tomllib.loads((ROOT / project / "pyproject.toml").read_text())["project"]
    named = {c.rpartition(" ")[2] for c in about["classifiers"] if re.search(r":: 3\.\d+$", c)}
    taken = SpecifierSet(about["requires-python"])
    assert named == {f"3.{n}" for n in range(9, 30) if f"3.{n}.1" in taken}


def test_both_have_one_version() -> None:
    core, cases = (tomllib.loads((ROOT / p / "pyproject.toml").read_text()) for p in PROJECTS)
    number = core["project"]["version"]
    assert cases["project"]["version"] == number
    assert cases["project"]["dependencies"] == [f"nnadapter=={number}"]
    extra = core["project"]["optional-dependencies"]["conform"]
    assert extra == [f"nnadapter-conformance=={number}"]
    left_out = core["tool"]["setuptools"]["packages"]["find"]["exclude"]
    assert cases["tool"]["setuptools"]["packages"]["find"]["include"] == left_out[:-1]


def test_the_core_is_small(made: Path) -> None:
    (site,) = (made / "core").glob("lib/python*/site-packages")
    sizes = {p.name: size_of(p) for p in site.iterdir() if not p.name.startswith("numpy")}
    assert sum(sizes.values()) < MOST, sizes
    assert any((site / "nnir" / "__pycache__").iterdir()), "bytecode counts too"


def size_of(path: Path) -> int:
    real = path.resolve()
    files = [real] if real.is_file() else [p for p in real.rglob("*") if p.is_file()]
    return sum(p.stat().st_size for p in files)


def run(python: Path, *words: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Python of an environment, in a folder, without what the environment of the tests has."""
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(home), "NNADAPTER_CACHE": str(home / "cache")}
    given = [str(python), *words]
    return subprocess.run(given, cwd=home, env=clean, capture_output=True, text=True)


def test_the_core_converts_without_any_framework(made: Path, tmp_path: Path) -> None:
    """Every source into every format that needs no engine; what is not proved is said."""
    sources = [str(SAMPLES / name) for name in SOURCES]
    done = run(made / "core/bin/python", "-c", CONVERT, str(tmp_path), *sources, home=tmp_path)
    assert done.returncode == 0, done.stderr
    said = {tuple(line.split("|")[:2]): line for line in done.stdout.splitlines()}
    assert len(said) == len(SOURCES) * 5
    for (name, suffix), line in said.items():
        if suffix == "xml":
            assert "in openvino: " in line
            assert "nobody else reads .xml: its model is compared" in line
        if suffix in ENGINES:
            assert f"pip install 'nnadapter[{ENGINES[suffix]}]'" in line
        elif SOURCES[name]:
            assert f"against {SOURCES[name]}: it is not installed" in line
        else:
            assert "against" not in line  # an archive is what the references say


def test_the_core_names_the_package_with_the_cases(made: Path, tmp_path: Path) -> None:
    given = ("-m", "nnadapter", "conform", "--frontend", "nnir", "--op", "ABS")
    done = run(made / "core/bin/python", *given, home=tmp_path)
    assert done.returncode == 1
    assert done.stderr == (
        "error: the cases and suites are in the package nnadapter-conformance, which is not "
        "installed: pip install 'nnadapter[conform]'\n"
    )
    whole = run(made / "whole/bin/python", *given, "--device", "builtin", home=tmp_path)
    assert whole.returncode == 0, whole.stderr
    assert "cases │ nnir" in whole.stdout
    assert (
        run(made / "whole/bin/python", "-m", "nnadapter", "doctor", home=tmp_path).returncode == 0
    )


PLUGGED = """
import json, sys
sys.path.insert(0, sys.argv[1])
import nnadapter as nna
from acme_rotary.plugin import PLUGIN
from nnadapter.scaffold.remaining import remaining
nna.add_plugin(PLUGIN)
print(json.dumps({p.part: (p.state, p.what) for p in remaining(nna.ops()["ACME_ROTARY"])}))
"""


def test_a_plugin_takes_part_without_the_cases(made: Path, tmp_path: Path) -> None:
    example = str(ROOT / "examples" / "plugin")
    done = run(made / "core/bin/python", "-W", "error", "-c", PLUGGED, example, home=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["reference"][0] == "yes"
    assert found["cases of nnir"] == ["not known", "pip install 'nnadapter[conform]'"]
    needed = "it needs the package torch, which is not installed"
    assert found["on torch"] == ["not known", needed]


LACKING = {
    ("run",): "error: onnxruntime, the usual device, is not installed: pip install "
    "'nnadapter[onnxruntime]', or choose --device builtin, which needs nothing",
    ("verify", "--device", "builtin"): "error: onnx: it is not installed (pip install "
    "'nnadapter[onnx]')",
    ("bisect", "--device", "builtin"): "note: only the device is compared with the references: "
    "onnx: it is not installed (pip install 'nnadapter[onnx]')",
    ("inspect", "--html", "x.html"): "error: the HTML report needs Jinja2: pip install "
    "'nnadapter[report]'",
    ("convert", "x.pt2"): "error: device 'torch' needs the package torch: pip install "
    "'nnadapter[torch]' (its engine writes .pt2 files; .nnapi, .nnir, .nnrt, .onnx, .tflite, .xml "
    "need no package)",
}
"""Commands on an ONNX file, and what they say where only the core is installed."""


@pytest.mark.parametrize("words", LACKING, ids=lambda words: words[0])
def test_the_core_says_what_to_install(words: tuple[str, ...], made: Path, tmp_path: Path) -> None:
    model = str(SAMPLES / "net.onnx")
    given = ("-m", "nnadapter", words[0], model, *words[1:])
    done = run(made / "core/bin/python", *given, home=tmp_path)
    assert done.stderr == f"{LACKING[words]}\n"
    assert done.returncode == (0 if words[0] == "bisect" else 1)
    assert not list(tmp_path.glob("x.*"))


def test_the_demo_needs_the_core_alone(made: Path, tmp_path: Path) -> None:
    program = str(made / "core/bin/nnadapter")  # moved since: its first line names no Python
    done = run(made / "core/bin/python", program, "demo", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "NOT VERIFIED against onnx: it is not installed" in done.stderr
    written = {p.name for p in (tmp_path / "nnadapter-demo").iterdir()}
    assert written == {"model.onnx", "model.tflite", "standard.nnir"}
