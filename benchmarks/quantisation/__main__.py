"""`nna.quantize` beside its peers, on the same models, calibration data and held-out data.

python -m benchmarks.quantisation [NAME ...] [--peers onnxruntime,nncf,tensorflow]
                                  [--ours minmax,mse] [--nncf PYTHON] [--folder DIR]
                                  [--json FILE] [--fresh]

Models are trained for a minute each on first use (BERT-base for half an hour, where there is no
GPU) and kept, as are the scores of the peers. Each written file is opened in the stock engine of
its format. It needs torch and onnxscript, TensorFlow for the models whose name begins with keras,
and for --nncf the Python of an environment with nncf.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .measuring import Tool, measure
from .scores import Score
from .subjects import SUBJECTS, ensure

PEERS = ("onnxruntime", "nncf", "tensorflow")
NAMES = tuple(name for name in SUBJECTS if name != "toy")
OUT = Console(width=150)


def tools_for(name: str, peers: list[str], ours: list[str]) -> list[Tool]:
    """The tools that are tried on a model, those whose files are alike together."""
    kind = "keras" if name.startswith("keras") else name
    static = {
        "onnxruntime": ["minmax", "entropy", "percentile"],
        "nncf": ["default", "mixed", "minmax"],
    }
    match kind:
        case "gpt":
            static = {
                "onnxruntime": ["int4-default", "int4-rtn", "int4-gptq", "int4-hqq"],
                "nncf": ["int4-rtn", "int4-gptq"],
            }
            ours = ["int4", "int4-zeros", "int4-gptq", "int4-gptq-zeros"]
            suffixes = (".onnx", ".xml")
        case "bert" | "bert_base":
            static["onnxruntime"] += [f"{m}-products" for m in static["onnxruntime"]]
            static["nncf"] += [f"{m}-transformer" for m in static["nncf"]]
            suffixes = (".onnx", ".xml", ".tflite")
        case "keras":
            static, suffixes = {"tensorflow": ["int8"]}, (".tflite", ".onnx", ".xml")
        case "toy":
            static, suffixes = {"onnxruntime": ["minmax"]}, (".onnx",)
        case _:
            suffixes = (".onnx", ".xml", ".tflite")
    written = {"onnxruntime": ".onnx", "nncf": ".xml", "tensorflow": ".tflite"}
    theirs = [Tool(p, v, written[p]) for p, variants in static.items() for v in variants]
    mine = [Tool("ours", v, suffix) for suffix in suffixes for v in ours]
    wanted = [t for t in (*mine, *theirs) if t.name in (*peers, "ours")]
    return sorted(wanted, key=lambda t: suffixes.index(t.suffix))


def show(scores: list[Score]) -> None:
    """One row a tool; `to peers` is our SQNR less the best peer's of the same kind of file."""
    columns = ("model", "target", "tool", "SQNR dB", "to peers", "agreement % (of)", "accuracy %")
    table = Table(*columns, "perplexity", "MB", "seconds", title="Quantised models against float")
    for before, row in zip([None, *scores], scores, strict=False):
        if before is not None and before.model != row.model:
            table.add_section()
        if row.error:
            table.add_row(row.model, row.target, row.tool, f"not measured: {row.error}")
            continue
        peers = [
            s.sqnr for s in scores
            if (s.model, s.target) == (row.model, row.target) and s.is_peer and not s.error
        ]  # fmt: skip
        apart = f"{row.sqnr - max(peers):+.2f}" if row.is_ours and peers else ""
        has_text = row.model.startswith("gpt")
        table.add_row(
            row.model, row.target, row.tool,
            "" if math.isinf(row.sqnr) else f"{row.sqnr:.2f}", apart,
            show_agreement(row), f"{row.accuracy:.2%}"[:-1],
            f"{row.perplexity:.4f}" if has_text else "",
            f"{row.size / 1e6:.2f}", f"{row.seconds:.1f}",
        )  # fmt: skip
    OUT.print(table)


def show_agreement(row: Score) -> str:
    """In percent, with its 95 % interval and the number of answers."""
    low, high = (100 * share for share in row.interval)
    return f"{100 * row.agreement:.2f}, {low:.1f} to {high:.1f} ({row.count:,})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SUBJECTS))
    parser.add_argument("--peers", default=",".join(PEERS), help="which to measure; may be empty")
    parser.add_argument("--ours", default="minmax", help="our methods, with commas; may be empty")
    parser.add_argument("--nncf", type=Path, default=Path("build/nncf/bin/python"))
    parser.add_argument("--folder", type=Path, default=Path("build/quantisation"))
    parser.add_argument("--json", type=Path, help="write the scores there too")
    parser.add_argument("--fresh", action="store_true", help="measure the peers again")
    given = parser.parse_args()
    unknown = set(given.names) - set(SUBJECTS)
    if unknown:
        parser.error(f"no model {', '.join(sorted(unknown))}; there are {', '.join(SUBJECTS)}")
    peers, ours = ([x for x in text.split(",") if x] for text in (given.peers, given.ours))
    scores: list[Score] = []
    for name in given.names or NAMES:
        subject = SUBJECTS[name]
        folder = ensure(subject, given.folder)
        tools = tools_for(name, peers, ours)
        for row in measure(subject, folder, tools, nncf=given.nncf, fresh=given.fresh):
            OUT.print(f"{row.model} {row.target} {row.tool}: {row.error or f'{row.sqnr:.2f} dB'}")
            scores.append(row)
    show(scores)
    if given.json is not None:
        given.json.write_text(json.dumps([s.fields for s in scores], indent=1))


if __name__ == "__main__":
    main()
