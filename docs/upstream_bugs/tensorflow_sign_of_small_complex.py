"""TensorFlow: sign of a small complex number is 0.

Kind: wrong value
Says: "For complex numbers, y = sign(x) = x / |x| if x != 0, otherwise y = 0", says the
documentation: 1 for 1e-30.
Seen: 2.18.1, 2.21.0
Here: nothing is done about it.
"""

import sys

try:
    import tensorflow as tf
except ModuleNotFoundError:
    sys.exit(2)

found = tf.sign(tf.constant(1e-30 + 0j, tf.complex64)).numpy()
print(f"got {found}, right is (1+0j)")
sys.exit(int(found != 1))
