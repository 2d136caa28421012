"""TensorFlow: betainc(1e5, 1e5, 0.5) is 0.67.

Kind: wrong value
Says: The regularised incomplete beta function of equal parameters is 0.5 in the middle, for it is
symmetric; the kernel for float64 says so.
Seen: 2.18.1, 2.21.0
Here: nothing is done about it.
"""

import sys

try:
    import tensorflow as tf
except ModuleNotFoundError:
    sys.exit(2)

found = [
    tf.math.betainc(*(tf.constant(v, kind) for v in (1e5, 1e5, 0.5))).numpy()
    for kind in ("float32", "float64")
]
print("float32 {:.4f}, float64 {:.4f}, right is 0.5".format(*found))
sys.exit(int(abs(found[0] - 0.5) > 0.01))
