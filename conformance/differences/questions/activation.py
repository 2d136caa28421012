"""Questions about activations."""

from __future__ import annotations

import numpy as np

from ...case import Case, f
from ..question import SIGNS, ZEROS, Question, because, lite, plain, same, torch

nan, inf = np.nan, np.inf
X = f(-3, -1, 0.5, 2)
EDGES = f(-inf, -0.0, inf, nan)

QUESTIONS = [
    Question(
        "RELU",
        "Does relu keep NaN, and the sign of zero?",
        (f(nan, -0.0, -1, inf),),
        same(f(nan, -0.0, -1, inf), onnx="Relu", torch="relu", tensorflow="Relu", tflite="RELU",
             paddle="relu"),
        "A kernel that is max(0, x) gives 0 or NaN depending on the order of its operands.",
        {},
        tol=SIGNS,
        strays=because(ZEROS, "onnx onnxruntime", "torch builtin", "tensorflow builtin",
                       "tflite builtin")
        | because("the standard's relu keeps NaN", "paddle"),
    ),
    Question(
        "RELU6",
        "Does relu6 keep NaN?",
        (f(nan, -1, 3, inf),),
        {
            **same(f(nan, -1, 3, inf), torch="relu6", tensorflow="Relu6", tflite="RELU6",
                   paddle="relu6"),
            "onnx": plain("Clip", f(nan, -1, 3, inf), f(0).reshape(()), f(6).reshape(())),
        },
        "ONNX has no relu6 and is asked for Clip between 0 and 6.",
        {},
    ),
    Question(
        "GELU",
        "Is gelu by default the exact one (erf) or the approximation (tanh)?",
        (X,),
        same(X, onnx="Gelu", torch="gelu", tflite="GELU", paddle="gelu"),
        "All have both; TensorFlow has no single operator for it, its gelu is several.",
        {},
    ),
    Question(
        "GELU",
        "Does the approximation of gelu agree everywhere?",
        (X,),
        {
            "onnx": plain("Gelu", X, approximate="tanh"),
            "torch": torch("gelu", X, approximate="tanh"),
            "tflite": lite("GELU", X, approximate=True),
            "paddle": plain("gelu", X, approximate=True),
        },
        "Exact and approximate differ in the fourth digit; the approximations themselves should "
        "not.",
        {"approximate": True},
    ),
    Question(
        "GELU",
        "What is gelu of minus infinity?",
        (f(-inf),),
        same(f(-inf), onnx="Gelu", torch="gelu", tflite="GELU", paddle="gelu"),
        "x * Phi(x) is infinity times 0 unless a kernel takes care. With AVX-512 PyTorch makes NaN "
        "of plus infinity, too.",
        {},
    ),
    Question(
        "HARD_SIGMOID",
        "What is the default slope of hard_sigmoid?",
        (X,),
        same(X, onnx="HardSigmoid", torch="hardsigmoid", paddle="hardsigmoid"),
        "Two slopes are in use, 1/5 and 1/6; a model that is moved by the operator's name alone "
        "changes. Paddle's Python function passes its own slope of 1/6; its operator's is asked "
        "here.",
    ),
    Question(
        "HARD_SWISH",
        "Does hard_swish agree?",
        (X,),
        same(X, onnx="HardSwish", torch="hardswish", tflite="HARD_SWISH", paddle="hardswish"),
        "All use x * relu6(x + 3) / 6.",
        {"alpha": 1 / 6, "beta": 0.5},
    ),
    Question(
        "HARD_SWISH",
        "What is hard_swish of infinity?",
        (f(-inf, inf, nan),),
        same(f(-inf, inf, nan), onnx="HardSwish", torch="hardswish", tflite="HARD_SWISH",
             paddle="hardswish"),
        "The formula is infinity times 0 for the negative one.",
        {"alpha": 1 / 6, "beta": 0.5},
    ),
    Question(
        "ELU",
        "Does elu agree, with its default alpha?",
        (EDGES,),
        same(EDGES, onnx="Elu", torch="elu", tensorflow="Elu", tflite="ELU", paddle="elu"),
        "The default of alpha is 1 everywhere.",
        {},
        tol=SIGNS,
    ),
    Question(
        "LEAKY_RELU",
        "What is the default slope of leaky_relu?",
        (f(-1, 2),),
        {
            **same(f(-1, 2), onnx="LeakyRelu", torch="leaky_relu", tensorflow="LeakyRelu",
                   paddle="leaky_relu"),
            "tflite": lite("LEAKY_RELU", f(-1, 2)),
        },
        "Write the slope down when you move a model: hardly two defaults are the same. Paddle's "
        "Python function passes 0.01; its operator's own default is asked here.",
    ),
    Question(
        "ELU",
        "Are the constants of selu the same?",
        (f(-1, 1),),
        same(f(-1, 1), onnx="Selu", torch="selu", tensorflow="Selu", paddle="selu"),
        "Scale and alpha are those of the paper, rounded to float32. The standard says it with "
        "ELU and a factor.",
    ),
    Question(
        "SOFTPLUS",
        "When does softplus become the identity?",
        (f(-20, 0, 5, 20.5),),
        same(f(-20, 0, 5, 20.5), onnx="Softplus", torch="softplus", tensorflow="Softplus",
             paddle="softplus"),
        "PyTorch and Paddle have a threshold of 20, beyond which float32 sees no difference.",
        {},
    ),
    Question(
        "SOFTPLUS",
        "Does softplus overflow?",
        (f(-inf, 100, inf, nan),),
        same(f(-inf, 100, inf, nan), onnx="Softplus", torch="softplus", tensorflow="Softplus",
             paddle="softplus"),
        "log(1 + exp(x)) written down plainly is infinite from 89 on.",
        {},
    ),
    Question(
        "SWISH",
        "What is swish (silu) of infinity?",
        (f(-inf, inf, nan),),
        {
            **same(f(-inf, inf, nan), torch="silu", paddle="swish"),
            "onnx": Case("Swish", (f(-inf, inf, nan),), opset=24),
        },
        "x * sigmoid(x) is infinity times 0 on the negative side. ONNX has Swish since opset 24.",
        {},
    ),
    Question(
        "SOFTMAX",
        "What is softmax of a row of -infinity?",
        (f([-inf, -inf], [0, -inf]),),
        {
            "onnx": plain("Softmax", f([-inf, -inf], [0, -inf])),
            "torch": torch("softmax.int", f([-inf, -inf], [0, -inf]), -1),
            "tensorflow": plain("Softmax", f([-inf, -inf], [0, -inf])),
            "tflite": lite("SOFTMAX", f([-inf, -inf], [0, -inf]), beta=1.0),
            "paddle": plain("softmax", f([-inf, -inf], [0, -inf]), -1),
        },
        "It is what a mask leaves of a row in which everything is masked.",
        {"axis": -1},
    ),
    Question(
        "SOFTMAX",
        "What is softmax of a row with infinity?",
        (f(0, inf, 1),),
        {
            "onnx": plain("Softmax", f(0, inf, 1)),
            "torch": torch("softmax.int", f(0, inf, 1), -1),
            "tensorflow": plain("Softmax", f(0, inf, 1)),
            "tflite": lite("SOFTMAX", f(0, inf, 1), beta=1.0),
            "paddle": plain("softmax", f(0, inf, 1), -1),
        },
        "The largest element is subtracted first, and infinity minus infinity is NaN.",
        {"axis": -1},
    ),
    Question(
        "SOFTMAX",
        "Over which axis is softmax by default?",
        (f([0, 0], [0, 9]).reshape(1, 2, 2),),
        {
            "onnx": plain("Softmax", f([0, 0], [0, 9]).reshape(1, 2, 2)),
            "tensorflow": plain("Softmax", f([0, 0], [0, 9]).reshape(1, 2, 2)),
            "tflite": lite("SOFTMAX", f([0, 0], [0, 9]).reshape(1, 2, 2), beta=1.0),
            "paddle": plain("softmax", f([0, 0], [0, 9]).reshape(1, 2, 2), -1),
        },
        "The last one; ONNX before opset 13 flattened from axis 1 on instead, see the next "
        "question.",
        {"axis": -1},
    ),
    Question(
        "SOFTMAX",
        "Over what does ONNX's old softmax (opset 11) sum?",
        (f([0, 0], [0, 9]).reshape(1, 2, 2),),
        {
            "onnx": Case("Softmax", (f([0, 0], [0, 9]).reshape(1, 2, 2),), opset=11,
                         oracle="onnxruntime"),
            "tensorflow": plain("Softmax", f([0, 0], [0, 9]).reshape(1, 2, 2)),
        },
        "Before opset 13 everything from `axis` (1 by default) on is one row. ONNX Runtime is "
        "asked, as the reference evaluator does not know the old meaning.",
    ),
    Question(
        "LOG_SOFTMAX",
        "What is log_softmax of a row with -infinity?",
        (f([-inf, -inf], [0, -inf]),),
        {
            "onnx": plain("LogSoftmax", f([-inf, -inf], [0, -inf])),
            "torch": torch("log_softmax.int", f([-inf, -inf], [0, -inf]), -1),
            "tensorflow": plain("LogSoftmax", f([-inf, -inf], [0, -inf])),
            "tflite": lite("LOG_SOFTMAX", f([-inf, -inf], [0, -inf])),
            "paddle": plain("log_softmax", f([-inf, -inf], [0, -inf]), -1),
        },
        "A kernel that clamps before it takes the logarithm hides the infinity.",
        {"axis": -1},
        strays=because("Paddle's kernel clamps at -64", "paddle"),
    ),
    Question(
        "SIGMOID",
        "Does sigmoid saturate without NaN?",
        (f(-inf, -100, 100, inf),),
        same(f(-inf, -100, 100, inf), onnx="Sigmoid", torch="sigmoid", tensorflow="Sigmoid",
             tflite="LOGISTIC", paddle="sigmoid"),
        "exp(-x) overflows; all have to end at 0 and 1.",
        {},
    ),
]  # fmt: skip
