"""TensorFlow: top_k with k = 1 of 1, NaN, 3, NaN, 2 is 2.

Kind: wrong value
Says: NaN, or 3 where NaN counts for nothing: reduce_max says NaN, NumPy and PyTorch take NaN for
the largest. 2 is the largest in no order.
Seen: 2.18.1, 2.21.0
Here: listed where frameworks differ ([framework_differences.md](framework_differences.md)).
"""

import sys

try:
    import tensorflow as tf
except ModuleNotFoundError:
    sys.exit(2)

found = tf.math.top_k(tf.constant([1, float("nan"), 3, float("nan"), 2]), 1).values.numpy()
print(f"got {found}, right is [nan] or [3.]")
sys.exit(int(found[0] == 2))
