"""Paddle: a floor division of the least int32 by -1 kills the process.

Kind: crash
Says: The quotient is no int32. PyTorch, TensorFlow and TFLite wrap around; a division by 0 is an
error of Paddle's own.
Seen: 2.6.2, 3.3.1
Here: our devices wrap around; listed where frameworks differ
([framework_differences.md](framework_differences.md)).
"""

import subprocess
import sys

try:
    import paddle
except ModuleNotFoundError:
    sys.exit(2)

if sys.argv[1:] != ["child"]:
    found = subprocess.run([sys.executable, __file__, "child"], capture_output=True, check=False)
    print(f"exit status of the process: {found.returncode}, right is 0")
    sys.exit(int(found.returncode < 0))
paddle.floor_divide(paddle.full([1], -(2**31), "int32"), paddle.full([1], -1, "int32"))
