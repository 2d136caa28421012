"""The commands that bring something new: an operator, a device, a frontend."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from nnir.errors import BadInput

from ..scaffold.package import write_package
from ..scaffold.signature import Parameter, as_operator, parse, signature_of
from ..terminal import answer

FRONTENDS = ("onnx", "torch", "tensorflow", "tflite", "paddle")


def _source(frontend: str) -> click.Option:
    return click.Option([f"--{frontend}"], metavar="OP", help=f"Its name in {frontend}.")


@click.command(
    "new-op",
    params=[
        click.Argument(["signature"]),
        click.Argument(["folder"], type=click.Path(path_type=Path)),
        *map(_source, FRONTENDS),
        click.Option(["--device", "devices"], multiple=True, help="A device with a kernel for it."),
        click.Option(
            ["--family"],
            help="FOLDER is a checkout of nnadapter: put it among the operators of this family.",
        ),
    ],
)
def new_op(
    signature: str,
    folder: Path,
    devices: tuple[str, ...],
    family: str | None,
    **sources: str | None,
) -> None:
    """Write a plug-in package for a new operator into FOLDER.

    SIGNATURE is "name(tensors, *, constants: types)", or a name alone, which then has the signature
    of its first source. What remains to be written raises and says where.
    """
    given = {f: op for f, op in sources.items() if op}
    name, parameters = _operator(signature, given)
    if family is not None:
        from ..scaffold.house import add_to_house

        for path in add_to_house(folder, family, name, parameters, given, devices):
            answer(str(path))
        answer(
            f"\nnext: nnadapter ops {name} --todo; write what raises NotImplementedError and the "
            f"meanings; ruff check --fix . && ruff format .; nnadapter conform --op {name}"
        )
        return
    for path in write_package(folder, name, parameters, given, devices):
        answer(str(path))
    answer(f"\nnext: pip install -e {folder}; nnadapter ops {name}; nnadapter conform --op {name}")


def _operator(signature: str, sources: Mapping[str, str]) -> tuple[str, list[Parameter]]:
    """Name and parameters of the new operator."""
    if "(" in signature:
        return parse(signature)
    found = next(filter(None, (signature_of(f, op) for f, op in sources.items())), None)
    if found is None:
        known = ", ".join(sources.values()) or "no source"
        raise BadInput(
            f"the signature of {known} is not known: write "
            f"'{signature}(input, *, scale: float = 1.0)'"
        )
    if not signature.isidentifier():
        raise BadInput(f"{signature!r} is no name of an operator")
    return signature.lower(), as_operator(found)


@click.command("new-device")
@click.argument("name")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--op", "operators", multiple=True, help="An operator that it has a kernel for.")
def new_device(name: str, folder: Path, operators: tuple[str, ...]) -> None:
    """Write a plug-in package for a new device into FOLDER.

    It compiles to instructions on registers, which run one after the other; kernels raise until
    they are written, and what it does not have is decomposed or refused.
    """
    from ..scaffold.newcomers import write_device

    for path in write_device(folder, name, operators):
        answer(str(path))
    answer(f"\nnext: pip install -e {folder}; nnadapter conform --frontend nnir --device {name}")


@click.command("new-frontend")
@click.argument("name")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--suffix", required=True, help="Of its files, such as .acme.")
@click.option("--op", "operators", multiple=True, help="An operator of its files.")
def new_frontend(name: str, folder: Path, suffix: str, operators: tuple[str, ...]) -> None:
    """Write a plug-in package for a new frontend into FOLDER: a reader and converters."""
    from ..scaffold.newcomers import write_frontend

    for path in write_frontend(folder, name, suffix, operators):
        answer(str(path))
    answer(f"\nnext: pip install -e {folder}; nnadapter inspect model{suffix}")
