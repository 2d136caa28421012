"""Many small programs compiled as one, where compiling costs the same for any size.

OpenVINO takes tens of milliseconds to compile a graph of one operation and a fraction of one more
for each that is added. The tasks of a pack run in threads, one at a time. Where a task runs its
program it waits; when all wait or are done, their graphs are compiled and run side by side as one
graph with the inputs and results of all. What comes out of a pack is an answer only where it is
what was hoped for: the caller runs everything else alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from hal.drivers.openvino.driver import infer
from hal.runtime import manager

T = TypeVar("T")

DEVICE = "openvino"
ALONE = frozenset(
    {
        *("If", "Loop", "TensorIterator"),  # their bodies are graphs of their own
        *("ReadValue", "Assign"),
        *("RandomUniform", "Multinomial"),
        "FakeQuantize",  # one makes OpenVINO transform the whole graph otherwise
    }
)
"""Operations whose graphs are compiled by themselves."""

MOST_NODES = 1000
"""How many nodes are compiled as one: above them a graph takes longer than its parts."""


class Abandoned(BaseException):
    """The pack does not compile or run. No BaseException is a verdict: it ends the task."""


class Task(Generic[T]):
    """Something that may wait for a pack; `result` where it came to an end.

    `is_exact`: nothing in it was packed.
    """

    def __init__(self, run: Callable[[], T]) -> None:
        self.result: T | None = None
        self.error: BaseException | None = None
        self.is_exact = True
        self.waiting: Request | None = None
        self._run = run
        self._turn, self._stop = threading.Semaphore(0), threading.Semaphore(0)
        self._thread = threading.Thread(target=self._body, name="packed", daemon=True)
        self._is_started = False

    def go_on(self) -> None:
        """Let the task run until it waits or ends."""
        if not self._is_started:
            self._is_started = True
            self._thread.start()
        self._turn.release()
        self._stop.acquire()

    def wait(self, request: Request) -> None:
        """In the task: until its request has been run with those of the others."""
        self.waiting = request
        self._stop.release()
        self._turn.acquire()

    @property
    def is_over(self) -> bool:
        """Whether it has come to an end."""
        return self._is_started and self.waiting is None

    def _body(self) -> None:
        self._turn.acquire()
        try:
            self.result = self._run()
        except BaseException as error:  # noqa: BLE001  raised again by who runs the tasks
            self.error = error
        self._stop.release()


class Request:
    """Stands for an inference request of OpenVINO, of a graph that is not compiled yet."""

    def __init__(self, pack: Packing, graph: Any) -> None:
        self.graph = graph
        self.inputs: dict[int, Any] = {}
        self.outputs: list[Any] | None = None
        self._pack = pack

    def set_input_tensor(self, position: int, tensor: Any) -> None:
        """As OpenVINO's."""
        self.inputs[position] = tensor

    def infer(self) -> None:
        """Wait for the pack; Abandoned where that fails."""
        self._pack.wait(self)
        if self.outputs is None:
            raise Abandoned

    def start_async(self) -> None:
        """As OpenVINO's."""
        self.infer()

    def wait(self) -> None:
        """As OpenVINO's."""

    def get_output_tensor(self, position: int) -> Any:
        """As OpenVINO's."""
        if self.outputs is None:
            raise Abandoned
        return self.outputs[position]


class Compiled:
    """Stands for a compiled model of OpenVINO."""

    def __init__(self, pack: Packing, graph: Any) -> None:
        self._pack, self._graph = pack, graph

    def create_infer_request(self) -> Request:
        """As OpenVINO's."""
        return Request(self._pack, self._graph)


class Packing:
    """Takes the place of OpenVINO's core while tasks run: what they compile is put off."""

    def __init__(self, runtime: Any, core: Any) -> None:
        self._runtime, self._core = runtime, core
        self._task: Task[Any] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)

    def compile_model(self, graph: Any, device: str, config: dict[str, str]) -> Any:
        """As OpenVINO's, or a stand-in."""
        if self._task is None or not is_packable(graph):
            return self._core.compile_model(graph, device, config)
        self._task.is_exact = False
        self._way = device, config
        return Compiled(self, graph)

    def wait(self, request: Request) -> None:
        """In a task: until the pack has run."""
        if self._task is None:
            raise Abandoned
        self._task.wait(request)

    def run(self, tasks: Sequence[Task[Any]]) -> None:
        """Run tasks to their ends."""
        left = list(tasks)
        while left:
            for task in left:
                task.waiting = None
                self._task = task
                task.go_on()
                self._task = None
            left = [t for t in left if not t.is_over]
            part = [t.waiting for t in left if t.waiting]
            for is_open in (False, True):
                for group in groups([r for r in part if r.graph.is_dynamic() == is_open]):
                    self._infer(group)

    def _infer(self, requests: Sequence[Request]) -> None:
        """Compile and run graphs as one, or in halves where that fails.

        A request that has no outputs then was in vain.
        """
        if not requests or self._infer_whole(requests) or len(requests) == 1:
            return
        middle = len(requests) // 2
        self._infer(requests[:middle])
        self._infer(requests[middle:])

    def _infer_whole(self, requests: Sequence[Request]) -> bool:
        """Whether graphs compile and run as one; their requests have outputs then."""
        graphs = [r.graph for r in requests]
        results = [n for g in graphs for n in g.get_results()]
        parameters = [n for g in graphs for n in g.get_parameters()]
        tensors = [r.inputs[k] for r in requests for k in sorted(r.inputs)]
        if len(tensors) != len(parameters):
            return False
        try:
            whole = self._runtime.Model(results, parameters, "pack")
            request = self._core.compile_model(whole, *self._way).create_infer_request()
            for position, tensor in enumerate(tensors):
                request.set_input_tensor(position, tensor)
            infer(request, waits=True)
        except Exception:  # noqa: BLE001  each is run alone then, and says what it has to say
            return False
        start = 0
        for one in requests:
            stop = start + len(one.graph.get_results())
            one.outputs = [request.get_output_tensor(k) for k in range(start, stop)]
            start = stop
        return True


def groups(requests: Sequence[Request]) -> Iterator[list[Request]]:
    """Requests in packs of at most `MOST_NODES` nodes."""
    group: list[Request] = []
    total = 0
    for one in requests:
        count = len(one.graph.get_ops())
        if group and total + count > MOST_NODES:
            yield group
            group, total = [], 0
        group.append(one)
        total += count
    if group:
        yield group


def is_packable(graph: Any) -> bool:
    """Whether a graph means the same beside others."""
    kinds = {node.get_type_name() for node in graph.get_ops()}
    return not graph.get_sinks() and not kinds & ALONE


@contextmanager
def packing() -> Iterator[Packing]:
    """While this lasts the device compiles for a pack."""
    device: Any = manager.acquire(DEVICE)
    core = device.core
    device.core = packed = Packing(device.runtime, core)
    try:
        yield packed
    finally:
        device.core = core


def run_packed(jobs: Sequence[Callable[[], T]], is_clean: Callable[[T], bool]) -> list[T]:
    """What the jobs return, of which those that run OpenVINO are packed.

    A job whose result is not clean (`is_clean`), or that was left in the middle, runs again alone.
    """
    tasks = [Task(job) for job in jobs]
    with packing() as packed:
        packed.run(tasks)
    return [_settle(task, job, is_clean) for task, job in zip(tasks, jobs, strict=True)]


def _settle(task: Task[T], job: Callable[[], T], is_clean: Callable[[T], bool]) -> T:
    if task.result is not None and (task.is_exact or is_clean(task.result)):
        return task.result
    if task.error is not None and task.is_exact:
        raise task.error
    return job()
