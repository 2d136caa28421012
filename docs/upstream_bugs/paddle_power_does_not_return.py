"""Paddle: pow of an integer by a negative number does not return.

Kind: hang
Says: 1 / 2 rounds to 0, as PyTorch and paddle.pow by a tensor answer; TensorFlow refuses.
Seen: 2.6.2, 3.3.1
Here: refused (`frontends/paddle/operators/binary.py`).
"""

import subprocess
import sys

try:
    import paddle
except ModuleNotFoundError:
    sys.exit(2)

if sys.argv[1:] == ["child"]:
    print("ready", flush=True)
    paddle.pow(paddle.to_tensor(2), -1)
    sys.exit()
with subprocess.Popen([sys.executable, __file__, "child"], stdout=subprocess.PIPE) as child:
    child.stdout.readline()  # importing Paddle takes a while
    try:
        child.wait(timeout=5)
    except subprocess.TimeoutExpired:
        child.kill()
        print("2 ** -1 does not return within 5 seconds")
        sys.exit(1)
print("2 ** -1 returns")
