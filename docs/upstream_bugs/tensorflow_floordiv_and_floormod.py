"""TensorFlow: floordiv and floormod of floats do not fit together.

Kind: wrong value
Says: "floor(x / y) * y + floormod(x, y) = x", says the documentation of floormod. For 6 by the
float32 0.1, which is a little more than 0.1, the quotient is 59 and 0.1 remains; floordiv says 60,
and then 6 is 6.1.
Seen: 2.18.1, 2.21.0
Here: nothing is done about it.
"""

import sys

try:
    import tensorflow as tf
except ModuleNotFoundError:
    sys.exit(2)

x, y = tf.constant(6.0), tf.constant(0.1)
quotient, rest = tf.math.floordiv(x, y), tf.math.floormod(x, y)
print(f"quotient {quotient:.0f}, remainder {rest:.4f}, together {quotient * y + rest:.4f}, not 6")
sys.exit(int(abs(float(quotient * y + rest) - 6) > 0.05))
