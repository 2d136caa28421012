"""What people type: examples at the end of every command's help."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "convert": (
        "nnadapter convert model.onnx model.tflite --dim batch=1",
        "nnadapter convert model.pt2 model.xml",
        "nnadapter convert saved_model/ model.onnx --signature serving_default --target-opset 17",
        "nnadapter convert model.onnx plain.nnir --opset v1.1 --level rounding",
        "nnadapter convert model.onnx half.onnx --precision float16 --keep-fp32 '*LayerNorm*'",
        "nnadapter convert model.onnx half.tflite --precision float16 --weights-only",
    ),
    "batch": (
        "nnadapter batch models/ --to .onnx,.tflite --folder converted/ --html batch.html",
        "nnadapter batch --list models.txt --to .xml --folder ir/ --timeout 120 --memory 4",
    ),
    "scan": (
        "nnadapter scan model.onnx --data samples.npz",
        "nnadapter scan model.pt2 --precision bfloat16 --layers",
    ),
    "quantize": (
        "nnadapter quantize model.onnx model.int8.onnx --data samples.npz",
        "nnadapter quantize model.pt2 model.tflite --data samples/ --html noise.html",
        "nnadapter quantize model.onnx small.xml --data samples.npz --keep-float auto",
        "nnadapter quantize m.onnx w4.onnx --data d.npz --weights int4 --activations float",
    ),
    "run": (
        "nnadapter run model.onnx --device openvino",
        "nnadapter run model.tflite --device litert,builtin --output out.npz",
        "nnadapter run model.pt2 --input x=photo.npy --profile",
        "nnadapter run model.onnx --device fastest --cache-dir compiled/",
        "nnadapter run model.onnx --device onnxruntime --repeat 10 --html time.html",
    ),
    "benchmark": (
        "nnadapter benchmark model.onnx",
        "nnadapter benchmark model.pt2 --device openvino,onnxruntime --dim batch=8 --seconds 5",
    ),
    "verify": (
        "nnadapter verify model.onnx --device openvino",
        "nnadapter verify model.tflite --device litert --html error.html",
    ),
    "bisect": (
        "nnadapter bisect model.onnx --device openvino --folder found/",
        "nnadapter bisect model.pt2 --device litert --html found.html",
    ),
    "conform": (
        "nnadapter conform --op SOFTMAX",
        "nnadapter conform --frontend torch --device litert --html report.html",
        "nnadapter conform --op 'Conv*,MatMul' --json run.json",
        "nnadapter conform --suite onnx-backend --device onnxruntime",
    ),
    "report": (
        "nnadapter report here.json there.json --html both.html",
        "nnadapter report --diff old.json new.json",
    ),
    "inspect": (
        "nnadapter inspect model.onnx --layers",
        "nnadapter inspect model.onnx --html model.html",
    ),
    "diff": (
        "nnadapter diff old.onnx new.onnx",
        "nnadapter diff model.pt2 model.onnx --run --html diff.html",
    ),
    "check": (
        "nnadapter check model.onnx --target model.tflite",
        "nnadapter check model.pt2 --device litert,builtin --dim batch=1",
        "nnadapter check model.onnx --opset v1.1",
    ),
    "devices": ("nnadapter devices",),
    "ops": (
        "nnadapter ops CONV_2D",
        "nnadapter ops SOFTMAX --todo",
        "nnadapter ops --codes",
        "nnadapter ops --frontend torch",
        "nnadapter ops --standard nnapi",
        "nnadapter ops --standard nnrt",
    ),
    "new-op": (
        "nnadapter new-op 'rotary(input, cos, sin)' acme --torch acme.rotary.default",
        "nnadapter new-op sinc acme_sinc --torch aten.sinc.default --device onnxruntime",
        "nnadapter new-op 'rotary(input, cos, sin)' . --family attention --onnx com.acme::Rotary",
    ),
    "new-device": (
        "nnadapter new-device mychip mychip",
        "nnadapter new-device mychip mychip --op ADD --op MAT_MUL --op SOFTMAX",
    ),
    "new-frontend": ("nnadapter new-frontend acme acme --suffix .acme --op Dense",),
    "demo": ("nnadapter demo", "nnadapter demo somewhere/"),
    "completion": ('eval "$(nnadapter completion bash)"',),
    "doctor": ("nnadapter doctor",),
}


def epilog_of(command: str) -> str:
    """The examples of a command, as click prints them behind its options."""
    return "Examples:\n\n\b\n" + "\n".join(f"  {line}" for line in EXAMPLES[command])
