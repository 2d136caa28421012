"""TensorFlow: reduce_sum of 4096 ones in float16 is 2048 along the first axis.

Kind: wrong value
Says: 4096 is a float16, which the sum of all elements gives, the sum along the last axis, and the
sum of bfloat16 along the first. There float16 is added up in float16, and 2048 + 1 is 2048 in it.
Seen: 2.18.1, 2.21.0
Here: nothing is done about it.
"""

import sys

try:
    import tensorflow as tf
except ModuleNotFoundError:
    sys.exit(2)

ones = tf.ones([4096, 2], tf.float16)
found = tf.reduce_sum(ones, 0).numpy(), tf.reduce_sum(tf.transpose(ones), 1).numpy()
print(f"along the first axis {found[0]}, along the last {found[1]}, right is [4096. 4096.]")
sys.exit(int(found[0][0] != 4096))
