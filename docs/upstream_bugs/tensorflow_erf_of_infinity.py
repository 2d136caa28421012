"""TensorFlow: erf of float64 is NaN at infinity.

Kind: wrong value
Says: erf(inf) is 1, which the kernels for float32 and float16 answer, as do SciPy, PyTorch and C's
erf.
Seen: 2.21.0; not in 2.18.1
Here: nothing is done about it.
"""

import sys

try:
    import tensorflow as tf
except ModuleNotFoundError:
    sys.exit(2)

found = [tf.math.erf(tf.constant([float("inf")], t)).numpy() for t in ("float32", "float64")]
print(f"float32 {found[0]}, float64 {found[1]}, right is [1.]")
sys.exit(int(bool((found[1] != 1).any())))
