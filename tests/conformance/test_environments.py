"""Environments of other versions are whole or not there, and an origin is who answers."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import pytest

from conformance.environments import making, recipes
from conformance.environments.making import list_environments, make_environment, shorten
from conformance.environments.recipes import PINS, RECIPES, Recipe, find_recipe, pins_of
from conformance.running.versions import ENGINES, ORIGINS, interpreters, versions_in
from nnir import isolation
from nnir.errors import BadInput, DeviceError


def write_wheel(folder: Path, name: str, version: str, code: str) -> None:
    """A package of one module, as pip takes it."""
    about = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": code,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{about}/RECORD"] = "".join(f"{n},,\n" for n in [*files, f"{about}/RECORD"])
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and pip with a few wheels and no network."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    write_wheel(wheels, "tiny", "1.0", "version = 1")
    write_wheel(wheels, "tiny", "2.0", "raise OSError('no such library')")
    for name in ("numpy", "ml_dtypes"):
        write_wheel(wheels, name, "9.0", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("NNADAPTER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(RECIPES, "tiny", Recipe("tiny", ("tiny",)))
    return tmp_path / "cache" / "environments"


@pytest.mark.long
def test_an_environment_is_made_once(cache: Path) -> None:
    told: list[str] = []
    python = make_environment("tiny==1.0", told.append)
    assert python.is_relative_to(cache / "tiny-1.0")
    assert versions_in(str(python), ("tiny", "ml_dtypes"))["tiny"] == "1.0"
    assert make_environment("tiny==1.0", told.append) == python
    assert len(told) == 1
    assert list_environments() == {"tiny": {"1.0": python}}
    assert [p.name for p in cache.iterdir()] == ["tiny-1.0"]
    site = next(cache.glob("tiny-1.0/lib*/**/site-packages"))
    assert all((site / name / "__init__.py").exists() for name in isolation.PACKAGES)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("tiny==3.0", "tiny 3.0 is not installed: there is no tiny==3.0 for this Python; the new"),
        ("tiny==2.0", "tiny 2.0 is installed, but tiny does not open: OSError: no such library"),
    ],
)
@pytest.mark.long
def test_what_is_not_whole_is_not_there(cache: Path, text: str, what: str) -> None:
    with pytest.raises(DeviceError, match=what):
        make_environment(text)
    assert list(cache.iterdir()) == []
    assert list_environments() == {}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("torch", "'torch' is not NAME==VERSION"),
        ("torch=2.6.0", "'torch=2.6.0' is not NAME==VERSION"),
        ("torch==../2", r"'torch==../2' is not NAME==VERSION"),
        ("jax==0.6", "no environment of 'jax': there are onnx, onnxruntime, torch"),
    ],
)
def test_other_names_are_refused(text: str, what: str) -> None:
    with pytest.raises(BadInput, match=what):
        find_recipe(text)


def test_names_of_packages_are_taken_too() -> None:
    assert find_recipe("tensorflow-cpu==2.16.2")[0] == "tensorflow"
    assert set(recipes.ALIASES.values()) <= set(RECIPES)


def test_old_versions_are_held_back() -> None:
    assert "numpy<2" in pins_of("tensorflow", "2.16.2")
    assert pins_of("tensorflow", "2.18.0") == ()
    assert "numpy<2" in pins_of("paddle", "2.6.2")
    assert pins_of("paddle", "3.0.0") == ()
    assert set(PINS) <= set(RECIPES)


def test_recipes_are_of_what_is_asked() -> None:
    answering = {f for recipe in RECIPES.values() for f in recipe.frontends}
    of_several = {"nnapi", "nnrt"}  # whose oracles ask several frameworks at once
    assert answering == set(ORIGINS) - {"paddle-2.6"} - of_several
    for recipe in RECIPES.values():
        assert recipe.package in {
            *(p for f in recipe.frontends for p in ORIGINS[f]),
            *ENGINES.get(recipe.device, ()),
        }


def test_without_cuda_unless_that_is_said() -> None:
    assert making.numbers_for_pip("2.6.0", RECIPES["torch"]) == ("2.6.0+cpu", "2.6.0")
    assert making.numbers_for_pip("2.6.0+cu124", RECIPES["torch"]) == ("2.6.0+cu124",)
    assert making.numbers_for_pip("3.0.0", RECIPES["paddle"]) == ("3.0.0",)


@pytest.mark.long
def test_where_there_is_none_without_cuda_the_other_is_taken(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RECIPES, "tiny", Recipe("tiny", ("tiny",), index="file:///nowhere"))
    python = make_environment("tiny==1.0")
    assert versions_in(str(python), ("tiny",))["tiny"] == "1.0"
    with pytest.raises(DeviceError, match=r"tiny 3\.0 is not installed: there is no tiny==3\.0"):
        make_environment("tiny==3.0")


def test_what_pip_says_is_shortened() -> None:
    there = "(from versions: 1.0, 1.1rc1, 1.1, 1.2, 1.3, 1.4+cpu, 1.5, 1.6)"
    found = "ERROR: Could not find a version that satisfies the requirement a==9"
    assert shorten(f"{found} {there}\nERROR: No matching distribution found for a==9") == (
        "there is no a==9 for this Python; the newest are 1.6, 1.5, 1.4+cpu, 1.3, 1.2, 1.1"
    )
    assert shorten("WARNING: slow\nERROR: No space\n[notice] a new pip\n") == "No space"
    assert shorten("") == "no message"


def test_another_interpreter_finds_our_packages_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "site-packages"
    for name in (*isolation.PACKAGES, "numpy"):
        (home / name).mkdir(parents=True)
    monkeypatch.setattr(isolation, "HOME", home)
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    for name in ("own", "other"):
        (tmp_path / name).mkdir()
    own = isolation.environment(str(tmp_path / "own"))["PYTHONPATH"].split(os.pathsep)
    assert own == [str(home), "/elsewhere"]
    other = isolation.environment(str(tmp_path / "other"), "/other/python")["PYTHONPATH"]
    place, *rest = other.split(os.pathsep)
    assert rest == ["/elsewhere"]
    assert {p.name for p in Path(place).iterdir()} == set(isolation.PACKAGES)


def test_origins_are_named_by_frontend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = tmp_path / "python"
    link.symlink_to(sys.executable)
    monkeypatch.chdir(tmp_path)
    assert interpreters(["torch=python", "onnx=python"]) == {"torch": str(link), "onnx": str(link)}
    for given, what in (
        (["jax=python"], "'jax=python' names no frontend; there are onnx, torch"),
        (["torch=other"], "'torch=other' is not FRONTEND=PATH"),
        (["torch"], "'torch' is not FRONTEND=PATH"),
        (["torch=python", f"torch={sys.executable}"], "two origins for torch"),
    ):
        with pytest.raises(BadInput, match=what):
            interpreters(given)


def test_what_is_no_python_is_told_in_a_line(tmp_path: Path) -> None:
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\necho something >&2\necho broken >&2\nexit 3\n")
    script.chmod(0o755)
    with pytest.raises(BadInput, match=r"is no Python that answers: broken$"):
        versions_in(str(script), ())
