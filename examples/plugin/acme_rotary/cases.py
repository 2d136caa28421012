"""Cases of the operator, which `nnadapter conform` runs; nothing else imports them."""

from __future__ import annotations

from conformance.case import Case, Tolerance, rand
from conformance.cases.nnir.direct import referred

from .operator import acme_rotary, angles

X, TABLES = rand(2, 3, 5, 8), angles(5, 8)
ROUNDS = Tolerance(relative=1e-6, absolute=1e-6)

NNIR = [referred(acme_rotary, (X, *TABLES), {}, ROUNDS, "turned")]
TORCH = [Case("acme.rotary.default", (X, *TABLES), tol=ROUNDS)]
