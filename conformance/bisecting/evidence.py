"""A folder that shows a finding to somebody else: one operation, its inputs, a short script."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from nnir import archive
from nnir.errors import BadFile, BadInput
from nnir.legible import legible
from nnir.staging import temporary_folder

from .finding import CONSTANT, KINDS, Finding

HEAD = '''\
"""{title}: {kind}."""
import ml_dtypes  # makes NumPy know bfloat16 and its like
import numpy as np
{nna}here, kinds = __file__.removesuffix("show.py"), {kinds}
data = {{k: a.view(kinds[k]) for k, a in np.load(here + "arrays.npz").items()}}
'''
RUN = """\
program = nna.compile(nna.load(here + "operation.nnir"), {device!r}, properties={properties!r})
for k, got in enumerate(program(*(data[n] for n in kinds if n.startswith("input")))):
"""
READ = """\
print({place!r})
for k, got in enumerate([data["got_0"]]):
"""
SHOW = """\
    want = data[f"want_{k}"]
    print(f"output {k}: got {got.dtype}{list(got.shape)}, want {want.dtype}{list(want.shape)}")
    if got.shape == want.shape and want.size:
        bad = np.argwhere((got != want) & ((got == got) | (want == want))).tolist()
        away = ((min(np.inf, abs(got.item(*i) - want.item(*i))), i) for i in bad)
        most, i = max(away, default=(0, [0] * want.ndim))
        print(f"largest difference {most} at {i}: {got[*i]} instead of {want[*i]}")
"""
"""Exact for integers of any size: the elements are compared as Python's own numbers."""

LONGEST = 200


def write(finding: Finding, folder: Path) -> None:
    """Write `operation.nnir`, `arrays.npz`, `show.py` and `finding.json`; whole or not at all.

    There is no operation to run where a constant is wrong. Nothing that a model holds becomes a
    part of the script but as text or as numbers.

    Raises BadInput when the folder is there already, or there is no single operation to show.
    """
    if finding.model is None:
        raise BadInput("there is no single operation to show")
    require_new(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(f"cannot write {str(folder)!r}: {error.strerror}") from None
    with temporary_folder(folder.parent, hidden=True) as aside:
        made = aside / folder.name
        made.mkdir()
        if finding.kind != CONSTANT:
            archive.save(finding.model, made / "operation.nnir")
        arrays = _arrays(finding)
        plain = {name: _plain(a) for name, a in arrays.items()}
        np.savez(made / "arrays.npz", **plain)  # type: ignore[arg-type]
        (made / "show.py").write_text(_script(finding, arrays), encoding="utf-8")
        told = json.dumps(finding.as_dict(), indent=1, allow_nan=False)
        (made / "finding.json").write_text(told + "\n", encoding="utf-8")
        made.rename(folder)


def require_new(folder: Path) -> None:
    """BadInput where a folder to write is there already."""
    if folder.exists():
        raise BadInput(f"{str(folder)!r} is there already")


def _arrays(finding: Finding) -> dict[str, np.ndarray]:
    given = {"input": finding.inputs, "want": finding.want, "got": finding.got}
    return {f"{name}_{k}": a for name, several in given.items() for k, a in enumerate(several)}


def _script(finding: Finding, arrays: dict[str, np.ndarray]) -> str:
    is_run = finding.kind != CONSTANT
    title = _text(f"{finding.operation} {finding.origin}")
    head = HEAD.format(
        title=title.replace("\\", "/").replace('"', "'"),
        kind=KINDS[finding.kind],
        nna="import nnadapter as nna\n" if is_run else "",
        kinds={name: a.dtype.name for name, a in arrays.items()},
    )
    value = _text(f"constant {finding.value}")
    body = (RUN if is_run else READ).format(
        device=finding.device,
        properties=finding.properties,
        place=f"the {value} is read by {title}",
    )
    return head + body + SHOW


def _text(name: str) -> str:
    """Names as they come from files, on one line."""
    return legible(" ".join(name.split()))[:LONGEST]


def _plain(array: np.ndarray) -> np.ndarray:
    """An array as NumPy can save it: extension precisions as unsigned integers of their size."""
    if array.dtype.kind != "V":
        return array
    return array.view(np.dtype(f"u{array.dtype.itemsize}"))
