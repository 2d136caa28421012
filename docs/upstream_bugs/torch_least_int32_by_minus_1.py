"""PyTorch: a division of the least int32 by -1 kills the process.

Kind: crash
Says: rounding_mode="trunc" is "equivalent to C-style integer division", which is undefined there;
mode "floor" wraps around, and a division by 0 is an error.
Seen: 2.13.0
Here: our devices wrap around; listed where frameworks differ
([framework_differences.md](framework_differences.md)).
"""

import subprocess
import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit(2)

if sys.argv[1:] != ["child"]:
    died = subprocess.run([sys.executable, __file__, "child"], check=False).returncode
    print(f"exit status of the process: {died}, right is 0")
    sys.exit(int(died < 0))
least = torch.tensor([-(2**31)], dtype=torch.int32)
torch.div(least, torch.tensor([-1], dtype=torch.int32), rounding_mode="trunc")
