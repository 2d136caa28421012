"""TensorFlow: bessel_y1 of 0 is NaN in float32 and -infinity in float64.

Kind: wrong value
Says: Y1 falls to -infinity at 0, as SciPy and PyTorch say.
Seen: 2.18.1, 2.21.0
Here: nothing is done about it.
"""

import sys

try:
    import tensorflow as tf
except ModuleNotFoundError:
    sys.exit(2)

found = [tf.math.special.bessel_y1(tf.zeros([], t)).numpy() for t in ("float32", "float64")]
print(f"float32 {found[0]}, float64 {found[1]}, right is -inf")
sys.exit(int(found[0] != found[0]))
