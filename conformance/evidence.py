"""A folder that shows a finding to somebody else: one operation, its inputs, a short script."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import numpy as np

from nnir import archive
from nnir.errors import BadFile, BadInput

from .bisect import KINDS, Finding

SCRIPT = '''\
"""{title}: {kind}."""
from pathlib import Path

import ml_dtypes  # makes NumPy know bfloat16 and its like
import numpy as np
import nnadapter as nna

here = Path(__file__).parent
data = np.load(here / "arrays.npz")
inputs = [data[f"input_{{k}}"].view(t) for k, t in enumerate({inputs})]
program = nna.compile(nna.load(here / "operation.nnir"), device={device!r})
for k, (got, t) in enumerate(zip(program(*inputs), {want})):
    want = data[f"want_{{k}}"].view(t)
    print(f"output {{k}}: got {{got.dtype}}{{list(got.shape)}}, want {{t}}{{list(want.shape)}}")
    if got.shape == want.shape:
        print("largest difference", np.abs(got.astype("f8") - want.astype("f8")).max(initial=0))
'''


def write(finding: Finding, folder: Path) -> None:
    """Write `operation.nnir`, `arrays.npz`, `show.py` and `finding.json`; whole or not at all.

    Raises BadInput when the folder is there already, or there is no single operation to show.
    """
    if finding.model is None:
        raise BadInput("there is no single operation to show")
    if folder.exists():
        raise BadInput(f"{str(folder)!r} is there already")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    except OSError as error:
        raise BadFile(f"cannot write {str(folder)!r}: {error.strerror}") from None
    try:
        archive.save(finding.model, made / "operation.nnir")
        arrays = {
            f"{name}_{k}": _plain(a)
            for name, given in (
                ("input", finding.inputs),
                ("want", finding.want),
                ("got", finding.got),
            )
            for k, a in enumerate(given)
        }
        np.savez(made / "arrays.npz", **arrays)  # type: ignore[arg-type]
        (made / "show.py").write_text(_script(finding))
        (made / "finding.json").write_text(json.dumps(finding.as_dict(), indent=1) + "\n")
        made.chmod(0o755)
        made.rename(folder)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _script(finding: Finding) -> str:
    title = " ".join(f"{finding.operation} {finding.origin}".split()).replace('"""', "'''")
    return SCRIPT.format(
        title=title.replace("\\", "/"),
        kind=KINDS[finding.kind],
        inputs=[a.dtype.name for a in finding.inputs],
        want=[a.dtype.name for a in finding.want],
        device=finding.device,
    )


def _plain(array: np.ndarray) -> np.ndarray:
    """An array as NumPy can save it: extension precisions as unsigned integers of their size."""
    if array.dtype.kind != "V":
        return array
    return array.view(np.dtype(f"u{array.dtype.itemsize}"))
