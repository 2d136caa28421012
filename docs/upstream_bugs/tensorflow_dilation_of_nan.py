"""TensorFlow: dilation2d loses NaN.

Kind: NaN lost
Says: "Max-plus" correlation: the largest sum of an element and its weight, documented as
max-pooling where all weights are 0. reduce_max says NaN of the same sums.
Seen: 2.18.1, 2.21.0
Here: left out of comparisons (`conformance/fuzzing/undefined.py`).
"""

import sys

try:
    import tensorflow as tf
except ModuleNotFoundError:
    sys.exit(2)

x = tf.reshape(tf.constant([1, float("nan")]), [1, 1, 2, 1])
found = tf.nn.dilation2d(x, tf.zeros([1, 2, 1]), (1, 1, 1, 1), "VALID", "NHWC", (1, 1, 1, 1))
print(f"got {found.numpy().item()}, right is nan")
sys.exit(int(found.numpy().item() == 1))
