"""TensorFlow: max_pool of -infinity is the least finite number.

Kind: wrong value
Says: The largest of several -infinity is -infinity, as reduce_max of the same elements is.
Seen: 2.18.1, 2.21.0
Here: our pool starts from -infinity; listed where frameworks differ
([framework_differences.md](framework_differences.md)).
"""

import sys

try:
    import tensorflow as tf
except ModuleNotFoundError:
    sys.exit(2)

x = tf.fill([1, 1, 2, 1], -float("inf"))
pooled, reduced = tf.nn.max_pool2d(x, (1, 2), 1, "VALID").numpy().item(), tf.reduce_max(x).numpy()
print(f"max_pool2d {pooled}, reduce_max {reduced}, right is -inf")
sys.exit(int(pooled != -float("inf")))
