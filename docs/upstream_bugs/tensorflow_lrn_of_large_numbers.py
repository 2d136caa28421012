"""TensorFlow: local_response_normalization gives NaN far away from a large element.

Kind: wrong value
Says: "Each component is divided by the weighted, squared sum of inputs within depth_radius": with a
radius of 1, what the first of eight elements is does not matter to the last. The kernel multiplies
all squares by a matrix of zeros and ones, and infinity by 0 is NaN.
Seen: 2.18.1, 2.21.0
Here: nothing is done about it.
"""

import sys

try:
    import tensorflow as tf
except ModuleNotFoundError:
    sys.exit(2)

x = tf.constant([1e20] + [1.0] * 7)
found = tf.nn.local_response_normalization(x[None, None, None], depth_radius=1).numpy().ravel()
print(f"last of eight: got {found[-1]}, right is {3**-0.5:.7f}")
sys.exit(int(found[-1] != found[-1]))
