"""TensorFlow: linspace between -3e38 and 3e38 is infinite in the middle.

Kind: wrong value
Says: "Evenly-spaced values in an interval": -3e38, 0, 3e38, as NumPy answers. The distance of both
ends is no float32.
Seen: 2.18.1, 2.21.0
Here: nothing is done about it.
"""

import sys

try:
    import tensorflow as tf
except ModuleNotFoundError:
    sys.exit(2)

found = tf.linspace(-3e38, 3e38, 3).numpy()
print(f"got {found}, right is [-3e+38 0 3e+38]")
sys.exit(int(found[1] != 0))
