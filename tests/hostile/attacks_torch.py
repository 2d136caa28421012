"""Attacks in `.pt2` files: everything that PyTorch would run as it loads a program."""

from __future__ import annotations

import copy
import io
import json
import pickle  # noqa: TID251  what the attacks are made of
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .harness import HARMLESS, REFUSED, Attack

Program = dict[str, Any]
Members = dict[str, bytes]
ASKING = ("load", "check", "onnx", "verify", "bisect")
"""The commands that differ in what they do with a program."""

PROVING = ("load", "verify")
SIZE = {"as_int": 3}
META = {
    "dtype": 7,
    "sizes": [SIZE],
    "requires_grad": False,
    "device": {"type": "cpu", "index": None},
    "strides": [{"as_int": 1}],
    "storage_offset": {"as_int": 0},
    "layout": 7,
}


def leaf() -> Program:
    return {"type": None, "context": None, "children_spec": []}


def spec(kind: str, context: Any, *children: Any) -> Program:
    return {"type": kind, "context": context, "children_spec": list(children)}


def called(keywords: str = "[]", *children: Any) -> str:
    positional = spec("builtins.tuple", "null", leaf())
    keyword = spec("builtins.dict", keywords, *children)
    return json.dumps([1, spec("builtins.tuple", "null", positional, keyword)])


def add(left: str, right: str, result: str) -> Program:
    """A node that adds two tensors."""
    pairs = zip(("self", "other"), (left, right), strict=True)
    inputs = [{"name": n, "arg": {"as_tensor": {"name": t}}, "kind": 1} for n, t in pairs]
    outputs = [{"as_tensor": {"name": result}}]
    node = {"target": "torch.ops.aten.add.Tensor", "inputs": inputs, "outputs": outputs}
    return {**node, "metadata": {}, "is_hop_single_tensor_return": None, "name": result}


def program() -> Program:
    """x + w."""
    graph = {
        "inputs": [{"as_tensor": {"name": n}} for n in ("w", "x")],
        "outputs": [{"as_tensor": {"name": "y"}}],
        "nodes": [add("x", "w", "y")],
        "tensor_values": {n: copy.deepcopy(META) for n in ("w", "x", "y")},
        "sym_int_values": {},
        "sym_bool_values": {},
        "is_single_tensor_return": False,
        "custom_obj_values": {},
        "sym_float_values": {},
    }
    signature = {
        "input_specs": [
            {"parameter": {"arg": {"name": "w"}, "parameter_name": "w"}},
            {"user_input": {"arg": {"as_tensor": {"name": "x"}}}},
        ],
        "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "y"}}}}],
    }
    call = {
        "inputs": [],
        "outputs": [],
        "in_spec": called(),
        "out_spec": json.dumps([1, leaf()]),
        "forward_arg_names": ["x"],
    }
    module = {
        "graph": graph,
        "signature": signature,
        "module_call_graph": [{"fqn": "", "signature": call}],
        "metadata": {},
        "treespec_namedtuple_fields": {},
    }
    return {
        "graph_module": module,
        "opset_version": {"aten": 10},
        "range_constraints": {},
        "schema_version": {"major": 8, "minor": 20},
        "verifiers": ["TRAINING"],
        "torch_version": "2.13.0",
        "guards_code": [],
    }


def entry(path: str, *, pickled: bool = False) -> Program:
    meta = None if pickled else META
    return {"path_name": path, "is_param": True, "use_pickle": pickled, "tensor_meta": meta}


def members(content: Program) -> Members:
    """An archive as PyTorch writes it."""
    return {
        "data/weights/weight_0": b"\0\0\x80\x3f" * 3,
        "data/weights/model_weights_config.json": json.dumps(
            {"config": {"w": entry("weight_0")}}
        ).encode(),
        "data/constants/model_constants_config.json": b'{"config": {}}',
        "models/model.json": json.dumps(content).encode(),
        "data/sample_inputs/model.pt": b"",
        "archive_format": b"pt2",
        "archive_version": b"0",
        "byteorder": b"little",
        ".data/version": b"6\n",
    }


class Runs:
    """Creates the marker when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> Any:
        return exec, (code(self.marker),)


def code(marker: Path) -> str:
    return f"open({str(marker)!r}, 'w')"


def evil(marker: Path) -> bytes:
    """A pickle as torch.load reads it: the oldest form."""
    return pickle.dumps(Runs(marker), 2)


def zipped(marker: Path) -> bytes:
    """A pickle as torch.save writes it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("archive/data.pkl", evil(marker))
        archive.writestr("archive/version", "3\n")
        archive.writestr("archive/byteorder", "little")
    return buffer.getvalue()


def write(folder: Path, parts: Members, root: str = "archive/") -> Path:
    path = folder / "m.pt2"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(root + name, content)
    return path


def with_program(change: Callable[[Program, Path], Any]) -> Callable[[Path, Path], Path]:
    """An archive whose program was changed."""

    def build(folder: Path, marker: Path) -> Path:
        content = program()
        change(content, marker)
        return write(folder, members(content))

    return build


def with_members(change: Callable[[Members, Path], Any]) -> Callable[[Path, Path], Path]:
    """An archive whose members were changed."""

    def build(folder: Path, marker: Path) -> Path:
        parts = members(program())
        change(parts, marker)
        return write(folder, parts)

    return build


def graph_of(content: Program) -> Program:
    found: Program = content["graph_module"]["graph"]
    return found


def expression(text: str) -> Program:
    return {"as_expr": {"expr_str": text, "hint": {"as_int": 3}}}


EXPRESSIONS: dict[str, Callable[[Path], str]] = {
    "a call of exec": lambda m: f"exec({code(m)!r})",
    "an import": lambda m: f"__import__('os').system('touch {m}')",
    "attributes of a number": lambda m: (
        f"Integer(3).__class__.__mro__[-1].__subclasses__() and exec({code(m)!r})"
    ),
    "a symbol whose name is code": lambda m: f"Symbol('s0'+str(exec({code(m)!r})))",
    "a keyword that is code": lambda m: f"Symbol('s0', integer=exec({code(m)!r}))",
    "a lambda": lambda m: f"(lambda: exec({code(m)!r}))()",
    "a comprehension": lambda m: f"Add(*[exec({code(m)!r}) for _ in (1,)])",
    "a number that is text": lambda m: f"Integer(\"__import__('os').system('touch {m}')\")",
    "a power that has no end": lambda m: "Pow(Integer(9), Pow(Integer(9), Integer(99)))",
    "powers of powers": lambda m: "Pow(" * 12 + "Integer(9)" + ", Integer(64))" * 12,
}
PLACES: dict[str, Callable[[Program, Program], Any]] = {
    "a size": lambda g, e: g["tensor_values"]["y"].update(sizes=[e]),
    "a stride": lambda g, e: g["tensor_values"]["y"].update(strides=[e]),
    "an offset": lambda g, e: g["tensor_values"]["y"].update(storage_offset=e),
    "a size that no node has": lambda g, e: g["tensor_values"].update(dead={**META, "sizes": [e]}),
    "a number of the graph": lambda g, e: g["sym_int_values"].update(s=e),
    "a float of the graph": lambda g, e: g["sym_float_values"].update(s=e),
    "a truth of the graph": lambda g, e: g["sym_bool_values"].update(s=e),
}


def expressed(where: str, what: str) -> Attack:
    def change(content: Program, marker: Path) -> None:
        PLACES[where](graph_of(content), expression(EXPRESSIONS[what](marker)))

    name = f"{what} as {where}"
    why = "PyTorch evaluates sizes with sympify, which is Python's eval"
    return Attack(name, with_program(change), why, ".pt2", REFUSED, ("load", "verify"))


TARGETS = (
    *(
        "torch.os.system",
        "torch.hub.load",
        "torch.load",
        "torch.jit.load",
        "torch.ops.load_library",
    ),
    *("torch.utils.cpp_extension.load_inline", "torch._C._jit_script_compile", "torch.sys.exit"),
    *("_operator.methodcaller", "_operator.call", "_operator.attrgetter", "math.__loader__"),
    *("torch.ops.aten.from_file.default", "torch.ops.aten._print.default", "#vendor:op"),
    *("torch.ops.aten.add.Tensor.__class__", "torch.ops.aten.__class__.mro", "builtins.exec"),
    *("torch.ops.vendor.write.default", "torch.ops.higher_order.triton_kernel_wrapper_mutation"),
    *("torch.sym_max.__globals__", "torch.ops.higher_order.call_torchbind", "", "os.system"),
)


def target(name: str, *, dead: bool) -> Attack:
    def change(content: Program, marker: Path) -> None:
        node = add("x", "w", "z" if dead else "y")
        node["target"] = name
        node["inputs"] = [{"name": "command", "arg": {"as_string": f"touch {marker}"}, "kind": 1}]
        graph = graph_of(content)
        graph["nodes"] = [node, *graph["nodes"]] if dead else [node]
        graph["tensor_values"]["z"] = META

    called = f"a node that calls {name or 'nothing'}" + (", which nobody reads" if dead else "")
    why = "PyTorch finds operators by name in all of its modules"
    return Attack(called, with_program(change), why, ".pt2", REFUSED, ASKING)


INJECTED: Callable[[Path], str] = lambda m: f"y = exec({code(m)!r})\n    z"  # noqa: E731
NAMES: dict[str, Callable[[Program, str], Any]] = {
    "a node": lambda c, n: graph_of(c)["nodes"][0].update(name=n),
    "a result": lambda c, n: (
        graph_of(c)["nodes"].append(add("x", "w", n)),
        graph_of(c)["tensor_values"].update({n: META}),
    ),
    "a tensor": lambda c, n: graph_of(c)["tensor_values"].update({n: META}),
    "an input": lambda c, n: graph_of(c)["inputs"].append({"as_tensor": {"name": n}}),
    "a parameter": lambda c, n: graph_of(c)["nodes"][0]["inputs"][0].update(name=n),
    "a weight": lambda c, n: c["graph_module"]["signature"]["input_specs"][0]["parameter"].update(
        parameter_name=f'w", {n}, "'
    ),
    "a parameter of the module": lambda c, n: call_of(c).update(forward_arg_names=[n]),
    "a keyword of the module": lambda c, n: call_of(c).update(
        in_spec=called(json.dumps([n]), leaf())
    ),
    "a module": lambda c, n: c["graph_module"]["module_call_graph"].append(
        {"fqn": f'"{n}"', "signature": None}
    ),
    "a range": lambda c, n: c["range_constraints"].update({n: {"min_val": 2, "max_val": 9}}),
    "a field of a tuple": lambda c, n: c["graph_module"]["treespec_namedtuple_fields"].update(
        {"T": {"field_names": [n]}}
    ),
    "a device": lambda c, n: graph_of(c)["tensor_values"]["y"]["device"].update(type=n),
    "a graph": lambda c, n: graph_of(c)["nodes"][0]["inputs"].append(
        {"name": "f", "arg": {"as_graph": {"name": n, "graph": graph_of(program())}}, "kind": 1}
    ),
}


def call_of(content: Program) -> Program:
    found: Program = content["graph_module"]["module_call_graph"][0]["signature"]
    return found


def named(what: str) -> Attack:
    def change(content: Program, marker: Path) -> None:
        NAMES[what](content, INJECTED(marker))

    why = "PyTorch writes Python code with the names of a graph, and runs it"
    return Attack(f"code as the name of {what}", with_program(change), why, ".pt2", REFUSED, ASKING)


ENUM = {"__enum__": True, "fqn": "antigravity:Colour", "name": "RED"}
STRUCTURES: dict[str, Program] = {
    "an enumeration among keys": spec("builtins.dict", json.dumps([ENUM]), leaf()),
    "an enumeration deep in a context": spec("builtins.list", json.dumps({"a": [{"b": ENUM}]})),
    "an enumeration in a child": spec("builtins.tuple", "null", spec("x.Y", json.dumps(ENUM))),
    "a default that is a function": spec(
        "collections.defaultdict",
        {
            "default_factory_module": "os",
            "default_factory_name": "abort",
            "dict_context": ["a"],
        },
        leaf(),
    ),
    "a type that is code": spec("builtins.exec('1')", "null", leaf()),
}


def structured(what: str, where: str) -> Attack:
    def change(content: Program, marker: Path) -> None:
        text = json.dumps([1, STRUCTURES[what]])
        if where == "a module inside":
            inner = {**call_of(content), "in_spec": text}
            content["graph_module"]["module_call_graph"].append({"fqn": "m", "signature": inner})
        else:
            call_of(content)[where] = text

    why = "PyTorch imports what a specification of containers names"
    return Attack(
        f"{what} ({where})", with_program(change), why, ".pt2", REFUSED, ("load", "verify")
    )


def config(parts: Members, kind: str, changes: Program) -> None:
    name = f"data/{kind}/model_{kind}_config.json"
    content = json.loads(parts[name])
    content["config"].update(changes)
    parts[name] = json.dumps(content).encode()


def unused(kind: str, path: str, form: Callable[[Path], bytes]) -> Callable[[Path, Path], Path]:
    def change(parts: Members, marker: Path) -> None:
        config(parts, kind, {"unused": entry(path, pickled=True)})
        parts[f"data/{kind}/{path}"] = form(marker)

    return with_members(change)


def used(path: str, form: Callable[[Path], bytes]) -> Callable[[Path, Path], Path]:
    def change(parts: Members, marker: Path) -> None:
        config(parts, "weights", {"w": entry(path, pickled=True)})
        parts[f"data/weights/{path}"] = form(marker)

    return with_members(change)


def member(name: str, form: Callable[[Path], bytes]) -> Callable[[Path, Path], Path]:
    return with_members(lambda parts, marker: parts.update({name: form(marker)}))


def guarded(content: Program, marker: Path) -> None:
    content["guards_code"] = [f"[exec({code(marker)!r}), True][1]", f"exec({code(marker)!r}) or 1"]


def older(folder: Path, marker: Path) -> Path:
    """The archive of PyTorch 2.7, which is nothing but pickles and a program."""
    pickles = {f"serialized_{n}.pt": zipped(marker) for n in ("state_dict", "constants")}
    pickles["serialized_example_inputs.pt"] = evil(marker)
    parts = {"version": b"8.20", "serialized_exported_program.json": json.dumps(program()).encode()}
    return write(folder, {**parts, **pickles}, "")


def older_without_weights(folder: Path, marker: Path) -> Path:
    content = program()
    graph_of(content)["nodes"] = [add("x", "x", "y")]
    graph_of(content)["inputs"] = [{"as_tensor": {"name": "x"}}]
    del graph_of(content)["tensor_values"]["w"]
    del content["graph_module"]["signature"]["input_specs"][0]
    pickles = {f"serialized_{n}.pt": zipped(marker) for n in ("state_dict", "constants")}
    pickles["serialized_example_inputs.pt"] = evil(marker)
    parts = {"version": b"8.20", "serialized_exported_program.json": json.dumps(content).encode()}
    return write(folder, {**parts, **pickles}, "")


def outside(parts: Members, marker: Path) -> None:
    config(parts, "weights", {"w": entry("../../../../etc/passwd")})


def custom_object(content: Program, marker: Path) -> None:
    inputs = content["graph_module"]["signature"]["input_specs"]
    argument = {"name": "o", "class_fqn": "vendor.Thing"}
    inputs.append({"custom_obj": {"arg": argument, "custom_obj_name": "o"}})
    graph_of(content)["custom_obj_values"]["o"] = argument


def as_operator(content: Program, marker: Path) -> None:
    argument = {"name": "f", "arg": {"as_operator": "torch.os.system"}, "kind": 1}
    graph_of(content)["nodes"][0]["inputs"].append(argument)


def counted(content: Program, marker: Path) -> None:
    content["range_constraints"]["u99999999999"] = {"min_val": 2, "max_val": 9}


PICKLES = "PyTorch unpickles them, without weights_only"
BESIDE = "PyTorch looks for members by name, whatever the program needs"
ATTACKS = [
    *(expressed(where, what) for where in PLACES for what in EXPRESSIONS),
    *(target(name, dead=dead) for name in TARGETS for dead in (False, True)),
    *(named(what) for what in NAMES),
    *(structured(s, w) for s in STRUCTURES for w in ("in_spec", "out_spec", "a module inside")),
    *(
        Attack(name, build, PICKLES, ".pt2", REFUSED)
        for name, build in {
            "a pickled weight": used("weight_0", zipped),
            "a pickled weight of the oldest form": used("weight_0", evil),
            "a custom object as weight": used("custom_obj_0", evil),
            "a program of PyTorch 2.7": older,
        }.items()
    ),
    *(
        Attack(name, build, PICKLES, ".pt2", HARMLESS, PROVING)
        for name, build in {
            "an unused pickled weight": unused("weights", "weight_9", zipped),
            "an unused weight of the oldest form": unused("weights", "weight_9", evil),
            "an unused pickled constant": unused("constants", "tensor_9", zipped),
            "an unused custom object": unused("constants", "custom_obj_9", evil),
            "an unused opaque object": unused("constants", "opaque_obj_9", evil),
            "pickled inputs": member("data/sample_inputs/model.pt", zipped),
            "pickled inputs of the oldest form": member("data/sample_inputs/model.pt", evil),
            "a pickle beside the weights": member("data/weights/model.pt", zipped),
            "a pickle beside the constants": member("data/constants/model.pt", zipped),
            "a program of PyTorch 2.7 without weights": older_without_weights,
        }.items()
    ),
    *(
        Attack(f"a member {name}", member(name, evil), BESIDE, ".pt2", HARMLESS, PROVING)
        for name in (
            "data/aotinductor/model/model.so",
            "data/aotinductor/model/wrapper.cpp",
            "extra/evil.py",
            "data/executorch/evil.pte",
        )
    ),
    Attack("guards", with_program(guarded), "they are Python code", ".pt2", HARMLESS),
    Attack("a weight outside", with_members(outside), "a path", ".pt2", REFUSED, ASKING),
    Attack("a custom object", with_program(custom_object), "its class runs", ".pt2", REFUSED),
    Attack("an operator as argument", with_program(as_operator), "by name", ".pt2", REFUSED),
    Attack("a symbol with a high number", with_program(counted), "PyTorch counts", ".pt2", REFUSED),
]
