"""Cases of the operator, which `nnadapter conform` runs; nothing else imports them."""

from __future__ import annotations

from conformance.case import Case, Tolerance, rand
from conformance.cases.nnir.direct import referred

from .operator import acme_snake

X = rand(2, 3, 5)
ROUNDS = Tolerance(relative=1e-6, absolute=1e-6)

NNIR = [referred(acme_snake, (X,), {"alpha": 0.5}, ROUNDS, "slow waves")]
TENSORFLOW = [Case("AcmeSnake", (X,), {"alpha": 0.5}, tol=ROUNDS)]
PADDLE = [Case("custom_op.acme_snake", (X,), {"alpha": 0.5}, tol=ROUNDS)]
