"""OpenVINO: an LSTM behind a state that the same call changes is refused.

Kind: refused
Says: LSTMSequence takes any data of [batch, time, size]. Here that is the input plus a variable's
new value, of known sizes; with a Relu between the two, or with an open batch, it compiles.
Seen: 2026.4.1
Here: refused in OpenVINO's words.
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
from openvino import op as base
from openvino.op.util import Variable, VariableInfo

op = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

about = VariableInfo()
about.variable_id, about.data_type, about.data_shape = "v", ov.Type.f32, ov.PartialShape([4])
variable = Variable(about)
x = op.parameter([2, 6, 4], np.float32)
old = base.read_value(op.constant(np.zeros(4, np.float32)).output(0), variable)
new = op.relu(old)
state, *weights = (
    op.constant(np.ones(s, np.float32)) for s in ((2, 1, 5), (1, 20, 4), (1, 20, 5), (1, 20))
)
long = op.constant(np.array([6, 6]))
layer = op.lstm_sequence(op.add(x, new), state, state, long, *weights, 5, "forward")
model = ov.Model([layer.output(0)], [base.assign(new, variable)], [x], [variable])
try:
    ov.Core().compile_model(model, "CPU")
except RuntimeError as error:
    print("got", "LSTMSequence" in str(error) and "Unsupported operation of type: LSTMSequence")
    sys.exit(1)
print("it compiles, which is right")
