"""The rules of a valid model and of a valid request, each with a name and what it accepts."""

from __future__ import annotations

from nnir.errors import BadModel

RULES = {
    # operands
    "oem": "types and operations of a vendor's own are not known here",
    "operand-type": "operands have one of the types of OperandType",
    "scalar-dimensions": "scalars have no dimensions",
    "tensor-dimensions": "tensors have at least one dimension, of 0 (unspecified) to 2^31 - 1",
    "lifetime": "operands have one of the lifetimes of OperandLifeTime",
    "scale": "only TENSOR_INT32 and TENSOR_QUANT8_ASYMM have a scale, which is finite and not "
    "below 0; that of TENSOR_QUANT8_ASYMM is above 0",
    "zero-point": "only TENSOR_QUANT8_ASYMM has a zero point, of 0 to 255",
    "constant-dimensions": "the dimensions of constants are fully specified",
    "no-location": "operands without a constant value have a location of zeros",
    "copy-pool": "CONSTANT_COPY lies in pool 0",
    "constant-location": "constants lie inside their pool",
    "constant-length": "a constant has the bytes of its type and dimensions",
    # the model
    "operand-index": "indexes name operands of the model",
    "inputs": "a model has at least one input",
    "outputs": "a model has at least one output",
    "input-lifetime": "inputs of the model have the lifetime MODEL_INPUT, each named once",
    "output-lifetime": "outputs of the model have the lifetime MODEL_OUTPUT, each named once",
    "input-and-output": "no operand is both an input and an output of the model",
    "consumers": "numberOfConsumers counts how often operations read the operand",
    "one-producer": "what is temporary or an output is the result of exactly one operation",
    "no-producer": "inputs and constants are results of no operation",
    "execution-order": "operands are written before they are read",
    # operations
    "operation-type": "operations have one of the types of OperationType",
    "input-count": "the number of inputs is that of one of the forms",
    "output-count": "an operation has all of its outputs",
    "input-type": "inputs have the types of the operation, which go together",
    "output-type": "outputs have the types of the operation, which go together",
    "rank": "tensors have the ranks that the operation supports",
    "no-value": "only optional arguments have no value",
    "together": "optional arguments that belong together all have values or none",
    "fused-activation": "a fused activation is 0 (NONE), 1 (RELU), 2 (RELU1) or 3 (RELU6)",
    "padding-scheme": "a padding scheme is 0 (NONE), 1 (SAME) or 2 (VALID)",
    "padding": "padding is not negative, and that of a pool less than its filter",
    "stride": "strides are at least 1",
    "filter-size": "filters are at least 1 wide and high",
    "window": "a window fits into the padded image",
    "block-size": "a block is at least 1 wide and divides what it is cut from",
    "axis": "an axis is one of the tensor's",
    "beta": "the factor of a softmax is above 0",
    "lrn-bias": "the bias of the normalisation is not 0",
    "radius": "a radius is not negative",
    "new-size": "a new height or width is at least 1",
    "clip": "a threshold is not negative, and no NaN",
    "cell-activation": "a cell's activation is 0, 1 (relu), 3 (relu6), 4 (tanh) or 6 (sigmoid)",
    "lsh-type": "the type of a projection is 1 (sparse) or 2 (dense)",
    "lsh-bits": "a sparse projection has at most 32 seeds a hash function",
    "svdf-rank": "a rank is at least 1 and divides the number of filters",
    "depth-multiplier": "depth_out = depth_in * depth_multiplier, and the filter has a first "
    "dimension of 1",
    "shape": "dimensions agree with each other as the operation says",
    "broadcast": "dimensions are compatible: equal, or one of them is 1",
    "elements": "a reshaped tensor has as many elements as before, and sizes of at least 1",
    "output-dimensions": "the dimensions of a result are those that its operation gives it",
    "bias-scale": "a quantised bias has the zero point 0 and the scale input * filter",
    "product-scale": "the scale of a result is above the product of the scales of its operands",
    "equal-scales": "inputs that are joined have the same scale and zero point",
    "fixed-scale": "the scale is 1/256 and the zero point 0",
    "hit-scale": "hits have the scale 1 and the zero point 0",
    # requests
    "argument-count": "a request has one argument for each input and output of the model",
    "argument-pool": "arguments lie inside of the pools of the request",
    "no-value-argument": "an argument without a value has a location of zeros and no dimensions",
    "omitted-input": "only what optional arguments alone read is left out",
    "omitted-output": "outputs have a value",
    "argument-rank": "dimensions of an argument keep the rank",
    "argument-dimensions": "dimensions of an argument are all specified and agree with the model's",
    "open-dimensions": "dimensions that the model leaves open are given with the argument",
    "argument-length": "an argument has the bytes of its type and dimensions",
    "overlap": "outputs overlap neither each other nor inputs nor referenced constants",
}
"""Every rule by its name: what is accepted."""


def require(holds: bool, rule: str, found: str) -> None:
    """BadModel unless a rule holds: its name, what was found, what is accepted."""
    if not holds:
        raise BadModel(f"{rule}: {found}; {RULES[rule]}")


def rule_of(error: BadModel) -> str:
    """The name of the rule that an error is about; "" for others."""
    name = str(error).partition(":")[0]
    return name if name in RULES else ""
