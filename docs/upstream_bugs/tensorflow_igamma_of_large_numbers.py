"""TensorFlow: igamma(1e10, 1e10) is 2e-7.

Kind: wrong value
Says: The regularised lower incomplete gamma function of equal large arguments is a little more than
a half: 0.5000013 by SciPy, and by PyTorch in float32. The series ends after 2000 terms, far from
its sum.
Seen: 2.18.1, 2.21.0
Here: nothing is done about it.
"""

import sys

try:
    import tensorflow as tf
except ModuleNotFoundError:
    sys.exit(2)

found = tf.math.igamma(1e10, 1e10).numpy()
print(f"got {found:.3g}, right is 0.5000013")
sys.exit(int(found < 0.4))
