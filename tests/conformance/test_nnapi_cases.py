"""Every NNAPI case: our runtime, and the frontend on every device, against LiteRT or PyTorch."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from conformance.case import Case
from conformance.cases.nnapi import CASES, LIMITS
from conformance.engines.nnapi import ENGINE, RUNTIME
from conformance.engines.nnapi_twins import ORIGINS, TWINS
from conformance.judging.judge import judge as verdict_on
from conformance.judging.result import PASS
from conformance.oracles.oracle import Oracle
from conformance.standards import STANDARDS, find_standard
from frontends.nnapi import TABLE
from nnadapter.cli import main
from nnir.errors import Unsupported
from nnir.formats.nnapi.operations import SIGNATURES

from .judging import judge, require_distinct, worker_of


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    yield from worker_of("nnapi")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, oracle: Oracle) -> None:
    judge(ENGINE, case, LIMITS, oracle)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case_in_the_runtime(case: Case, oracle: Oracle) -> None:
    found = verdict_on(ENGINE, case, RUNTIME, (), oracle)
    assert (found.verdict, found.reason) == (PASS, found.reason), found.reason


def test_case_names_differ() -> None:
    require_distinct(CASES)


def test_every_operation_has_a_converter_an_origin_and_a_case() -> None:
    names = {t.name for t in SIGNATURES}
    assert len(names) == 29
    assert set(TABLE.entries) - {"QUANTIZE"} == names == set(TWINS) == set(ORIGINS)
    assert {c.op for c in CASES if not c.raises} == names


def test_both_forms_and_every_activation_have_cases() -> None:
    for type, signature in SIGNATURES.items():
        mine = [c for c in CASES if c.op == type.name and not c.raises]
        if len(signature.forms) == 2:
            assert {"padding_scheme" in c.attrs for c in mine} == {True, False}, type
        arguments = {a.name for f in signature.forms for a in f.inputs}
        if "fuse_code" in arguments and type.name != "SVDF":
            assert {c.attrs.get("fuse_code", 0) for c in mine} == {0, 1, 2, 3}, type


def test_integers_have_cases_wherever_they_are_taken() -> None:
    for type, signature in SIGNATURES.items():
        if any(t.name == "TENSOR_QUANT8_ASYMM" for t in signature.forms[0].inputs[0].types):
            mine = [str(c) for c in CASES if c.op == type.name]
            assert any("quantised" in c or "zero point" in c for c in mine), type


@pytest.mark.long
def test_the_command_lists_29_of_29() -> None:
    found = CliRunner().invoke(main, ["ops", "--standard", "nnapi", "--json"])
    assert found.exit_code == 0, found.output
    rows = json.loads(found.output)
    assert len(rows) == 29
    assert all(r["is_conformant"] for r in rows)
    assert {r["origin"] for r in rows} == {"LiteRT", "PyTorch"}
    assert all(r["relative"] < 2e-6 and r["quanta"] <= 1 for r in rows)


def test_a_standard_that_nobody_knows_is_refused() -> None:
    assert find_standard("nnapi") is STANDARDS["nnapi"]
    assert [len(s.operations()) for s in STANDARDS.values()] == [29, 108]
    assert all(s.origins(o) for s in STANDARDS.values() for o in s.operations())
    with pytest.raises(Unsupported, match="no standard 'tosa'; there are nnapi"):
        find_standard("tosa")
