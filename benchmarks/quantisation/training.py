"""Train a torch network a little and write it as ONNX.

python -m benchmarks.quantisation.training FOLDER NAME
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from . import networks, tasks

AVERAGED = 8
"""Batches that say what BatchNorm finds in the end."""


@dataclass(frozen=True)
class Plan:
    """A network, its task, and how long it is trained: a minute of one core, but for BERT-base,
    which takes half an hour of an idle one, or eleven seconds of a GPU."""

    network: Callable[[], nn.Module]
    task: Callable[[np.random.Generator, int], tasks.Samples]
    steps: int
    rate: float
    batch: int = 32


PLANS = {
    "resnet50": Plan(lambda: networks.ResNet50(tasks.CLASSES), tasks.images, 110, 1e-3),
    "mobilenet_v2": Plan(networks.MobileNetV2, tasks.images, 400, 2e-3),
    "bert": Plan(networks.Encoder, tasks.sequences, 200, 1e-3),
    "bert_base": Plan(lambda: networks.Encoder(768, 12, 12), tasks.sequences, 400, 2e-4),
    "gpt": Plan(networks.LanguageModel, tasks.text, 220, 3e-3, batch=16),
}


def train(plan: Plan) -> nn.Module:
    """The network with the weights that it has in the end, in mode `eval`."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    place = "cuda" if torch.cuda.is_available() else "cpu"
    network = plan.network().to(place)
    begin_near_identity(network)
    optimizer = torch.optim.AdamW(network.parameters(), plan.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, plan.rate, plan.steps, pct_start=0.2)
    for _ in range(plan.steps):
        arrays, answers = plan.task(rng, plan.batch)
        inputs = [torch.from_numpy(a).to(place) for a in arrays.values()]
        logits = network(*inputs)
        wanted = torch.from_numpy(answers).to(place).flatten()
        loss = functional.cross_entropy(logits.flatten(0, -2), wanted)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    network = network.cpu()
    average_norms(network, plan, rng)
    return network.eval()


def norms_of(network: nn.Module) -> list[nn.BatchNorm2d]:
    return [m for m in network.modules() if isinstance(m, nn.BatchNorm2d)]


def begin_near_identity(network: nn.Module) -> None:
    """Let what is added to a path count little at first, so that deep networks learn at once."""
    for part in network.modules():
        body = getattr(part, "body", None)
        if isinstance(body, nn.Sequential) and isinstance(body[-1], nn.BatchNorm2d):
            nn.init.constant_(body[-1].weight, 0.2)


def average_norms(network: nn.Module, plan: Plan, rng: np.random.Generator) -> None:
    """Take the statistics of BatchNorm anew, of the weights as they are in the end."""
    for norm in norms_of(network):
        norm.reset_running_stats()
        norm.momentum = None
    if norms_of(network):
        with torch.no_grad():
            for _ in range(AVERAGED):
                network(*map(torch.from_numpy, plan.task(rng, plan.batch)[0].values()))


def export(network: nn.Module, inputs: dict[str, np.ndarray], path: Path) -> None:
    """Write a network as ONNX with an open number of samples."""
    batch = torch.export.Dim("batch", min=1, max=4096)
    exported = torch.onnx.export(
        network, tuple(map(torch.from_numpy, inputs.values())), dynamo=True,
        input_names=list(inputs), output_names=["logits"],
        dynamic_shapes=tuple({0: batch} for _ in inputs), verbose=False,
    )  # fmt: skip
    exported.save(path)


def main(folder: Path, name: str) -> None:
    """Write `float.onnx` into a folder."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    plan = PLANS[name]
    network = train(plan)
    torch.save(network.state_dict(), folder / "weights.pt")
    inputs, _ = plan.task(np.random.default_rng(1), 2)
    with torch.no_grad():
        export(network, inputs, folder / "float.onnx")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
