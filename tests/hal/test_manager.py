"""Devices of other packages: what is missing is said by name, and disturbs no other device."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from hal import properties
from hal.device import PROFILE, Device, lacking
from hal.drivers.builtin import Builtin
from hal.runtime import manager
from hal.runtime.context import Context
from nnadapter.cli import main
from nnir.errors import BadCall, NoDevice

DEVICES = {
    "whole": "from hal.drivers.builtin import Builtin\nclass Made(Builtin):\n    name = 'other'\n",
    "half": "from hal.device import Device\nclass Made(Device):\n    name = 'other'\n",
    "another": "class Made:\n    pass\n",
    "instance": "Made = 3\n",
    "broken": "import a_module_that_nobody_has\n",
    "absent": "",
}


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    """A package with a device `other`, as an installation leaves it on the path."""
    about = folder / "other-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{manager.GROUP}]\nother = {folder.name}_of:Made\n")
    (folder / f"{folder.name}_of.py").write_text(source)
    monkeypatch.syspath_prepend(str(folder))


def test_a_device_of_another_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, DEVICES["whole"])
    assert "other" in manager.names()
    assert issubclass(manager.find("other"), Builtin)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("half", "lacks vendor, create_context, create_program, execute_program, validate_program"),
        ("another", "is no subclass of hal.device.Device"),
        ("instance", "is no subclass of hal.device.Device"),
        ("broken", "cannot be imported: ModuleNotFoundError"),
        ("absent", "cannot be imported: AttributeError"),
    ],
)
def test_what_is_no_device(
    kind: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, DEVICES[kind])
    with pytest.raises(NoDevice, match=f"'other' of '{tmp_path.name}_of:Made' {said}"):
        manager.find("other")
    assert "other" not in manager.classes()
    assert "builtin" in manager.classes()
    listed = CliRunner().invoke(main, ["devices", "--json"])
    assert listed.exit_code == 0
    assert said.partition(":")[0] in " ".join(listed.stdout.split())


def test_a_device_says_what_it_runs_in_one_of_two_ways() -> None:
    class Explains(Builtin):
        validate_program = Device.validate_program

        def explain_program(self, context, model):  # type: ignore[no-untyped-def]
            return [None, "not that"]

    class Silent(Builtin):
        validate_program = Device.validate_program
        explain_program = Device.explain_program

    assert lacking(Builtin) == lacking(Explains) == []
    assert lacking(Silent) == ["validate_program or explain_program"]
    assert Explains().validate_program(True, None) == [True, False]  # type: ignore[arg-type]


def test_every_property_of_a_device_is_declared() -> None:
    """Those that it looks for are those that a misspelt one is compared with, and documented."""
    documented = (Path(__file__).parents[2] / "docs" / "devices.md").read_text()
    for name, device in manager.classes().items():
        if name not in ("builtin", "litert", "nnapi", "nnrt", "onnxruntime", "openvino", "torch"):
            continue
        given = properties.Properties({})
        opened = manager.acquire(name)
        opened.destroy_context(opened.create_context(given, None))
        assert given.asked - {PROFILE} == {*device.keys}
        assert all(f"`{key}`" in documented for key in device.keys)


def test_a_misspelt_property() -> None:
    with pytest.raises(BadCall, match="'TORCH_DEVIC': did you mean TORCH_DEVICE"):
        Context(["builtin"], "TORCH_DEVIC=cuda;")
    Context(["builtin"], "TORCH_DEVICE=cuda;").close()  # of another device
