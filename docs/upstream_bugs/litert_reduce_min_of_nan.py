"""LiteRT: REDUCE_MIN of 1, NaN, 3 is 3.

Kind: wrong value
Says: NaN, as TensorFlow's reduce_min says, or 1, as LiteRT's reference kernel: each NaN makes the
optimised one forget what it has seen.
Seen: 1.4.0, 2.3.0
Here: NaN is put back (`hal/drivers/litert/reduce.py`).
"""

import sys

import numpy as np

try:
    from _one_operator import option, run
except ModuleNotFoundError:
    sys.exit(2)

found = run(
    "REDUCE_MIN",
    np.array([[1, np.nan, 3]], np.float32),
    np.array([1], np.int32),
    shape=(1,),
    constants=(1,),
    options=option("ReducerOptions"),
)
print(f"got {found}, right is [nan] or [1.]")
sys.exit(int(found[0] == 3))
