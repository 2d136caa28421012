"""TensorFlow: max_pool loses NaN.

Kind: NaN lost
Says: reduce_max of the same elements is NaN, as is max_pool of PyTorch. The kernel compares, and
every comparison with NaN is false.
Seen: 2.18.1, 2.21.0
Here: our pool keeps NaN; listed where frameworks differ
([framework_differences.md](framework_differences.md)).
"""

import sys

try:
    import tensorflow as tf
except ModuleNotFoundError:
    sys.exit(2)

x = tf.reshape(tf.constant([1, float("nan")]), [1, 1, 2, 1])
pooled, reduced = tf.nn.max_pool2d(x, (1, 2), 1, "VALID").numpy().item(), tf.reduce_max(x).numpy()
print(f"max_pool2d {pooled}, reduce_max {reduced}, right is nan")
sys.exit(int(pooled == 1))
