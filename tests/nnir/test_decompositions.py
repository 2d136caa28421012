"""Which operators are written in others, and why the rest is not."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from nnir.decompositions.impossible import IMPOSSIBLE
from nnir.model import Model
from nnir.ops import OPERATORS, binary
from nnir.standard import Beyond, explain_beyond
from nnir.types import Precision, TensorType


def test_every_extension_has_a_decomposition_or_a_reason() -> None:
    extensions = [o for o in OPERATORS.values() if o.since == "ext"]
    written = {o.name for o in extensions if o.decompositions}
    reasons = {o.name for o in IMPOSSIBLE}
    assert written & reasons == set()
    assert {o.name for o in extensions} == written | reasons


def test_only_extensions_have_a_reason() -> None:
    assert {o.since for o in IMPOSSIBLE} == {"ext"}
    assert all(why and not why.endswith(".") for why in IMPOSSIBLE.values())


def test_the_reason_is_what_a_user_reads() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (2,)))
    model.outputs = [binary.next_after(x, np.float32([1, 2]))]
    why = "it reads the bits of a number, and no operator of the standard does"
    assert explain_beyond(model) == [Beyond("NEXT_AFTER", 1, None, why)]


FAMILIES_ALONE = """
import os, sys
from nnir import decompositions
from nnir.ops import OPERATORS

def ways():
    return {o.name: len(o._decompositions) for o in OPERATORS.values()}

def after(names):
    read, write = os.pipe()
    if os.fork() == 0:
        for name in names:
            decompositions.register(name)
        os.write(write, repr(ways()).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        return eval(file.read())

families = {o.family for o in OPERATORS.values()}
whole = after(sorted({*families, *decompositions.FAMILIES}))
for family in sorted(families):
    alone = after([family])
    print(*(n for n, o in OPERATORS.items() if o.family == family and alone[n] != whole[n]))
print(sum(whole.values()))
"""


def test_the_decompositions_of_an_operator_are_found_by_its_family() -> None:
    """Each family in a process that has imported no other one."""
    command = [sys.executable, "-c", FAMILIES_ALONE]
    *missing, count = subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert [m for m in missing if m] == []
    assert int(count) == sum(len(o.decompositions) for o in OPERATORS.values()) > 100
