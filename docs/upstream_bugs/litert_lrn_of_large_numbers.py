"""LiteRT: LOCAL_RESPONSE_NORMALIZATION is wrong behind a large element.

Kind: wrong value
Says: Each result depends on the elements of its window, three here: 1 / sqrt(1 + 1 + 1 + 1) is 0.5.
LiteRT's kernel carries a sum along that it subtracts from, and after an element of 10000 what is
left of it is rounding; its reference kernel is right.
Seen: 1.4.0, 2.3.0
Here: left out of comparisons (`conformance/fuzzing/undefined.py`).
"""

import sys

import numpy as np

try:
    from _one_operator import option, run
except ModuleNotFoundError:
    sys.exit(2)

x = np.array([1e4, 1, 1, 1, 1, 1], np.float32).reshape(1, 1, 1, 6)
window = option("LocalResponseNormalizationOptions", radius=1, bias=1.0, alpha=1.0, beta=0.5)
found = run("LOCAL_RESPONSE_NORMALIZATION", x, options=window).ravel()[2:]
print(f"got {found}, right is [0.5 0.5 0.5 0.57735026]")
sys.exit(int(not np.allclose(found, [0.5, 0.5, 0.5, 3**-0.5])))
