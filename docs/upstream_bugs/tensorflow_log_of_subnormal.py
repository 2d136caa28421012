"""TensorFlow: log of 1e-40 is -103.97.

Kind: wrong value
Says: The natural logarithm of 1e-40 is -92.1. TensorFlow takes such numbers for 0, whose logarithm
it says is -infinity; -103.97 is that of neither, but of the smallest float32, 1.4e-45.
Seen: 2.21.0; not in 2.18.1
Here: listed where frameworks differ ([framework_differences.md](framework_differences.md)).
"""

import sys

try:
    import tensorflow as tf
except ModuleNotFoundError:
    sys.exit(2)

found = tf.math.log(tf.constant([1e-40, 0])).numpy()
print(f"log of 1e-40 and of 0: got {found}, right is [-92.1034 -inf]")
sys.exit(int(-150 < found[0] < -100))
