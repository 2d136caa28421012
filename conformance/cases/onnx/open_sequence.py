"""ONNX sequences and optionals whose length, sizes or presence are only known while running."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnir.errors import DeviceError

from ...case import ModelCase, f, i, rand, scalar

HEAD = '<ir_version: 10, opset_import: ["" : 18]>\n'
AT = "(float[2] a, float[3] b, int64 k) => (float[N] y) {{ s = SequenceConstruct (a, b) {body} }}"
ONE = "y = SequenceAt (s, k)"
INSERTED = "t = SequenceInsert (s, b, k) y = ConcatFromSequence <axis = 0> (t)"
ERASED = "t = SequenceErase (s, k) y = ConcatFromSequence <axis = 0> (t)"
EDITED = """t = SequenceInsert (s, a, k) u = SequenceErase (t) v = SequenceErase (u, k)
  w = SequenceInsert (v, b) y = ConcatFromSequence <axis = 0> (w)"""

MATRICES = "(float[2, 3] a, float[2, {width}] b, int64 k) => (float[{shape}] y) {{ {body} }}"
JOINED = """s = SequenceConstruct (a, b) t = SequenceInsert (s, a, k)
  y = ConcatFromSequence <axis = {axis}, new_axis = {new}> (t)"""

SPLIT = "(float[5, 4] x, int64{sizes} k) => (int64 n, float[M, K] y) {{ {body} }}"
PIECES = """first = Constant <value = int64 {{-1}}> () s = SplitToSequence <axis = {axis}> (x, k)
  n = SequenceLength (s) y = SequenceAt (s, first)"""
ROWS = """(float[N, M] x, int64 k) => (float[K] y, float[R, Q] z) {{
  s = SplitToSequence <axis = {axis}, keepdims = 0> (x) y = SequenceAt (s, k)
  z = ConcatFromSequence <axis = {axis}, new_axis = 1> (s) }}"""

COLLECTED = """(int64 n, float[4] x) => (float[N] y, int64 m) {
  yes = Constant <value = bool {1}> () none = SequenceEmpty ()
  s = Loop (n, yes, none) <body = step (int64 k, bool c, seq(float[L]) before) =>
    (bool go, seq(float[L]) after) {
      go = Identity (c) zero = Constant <value = int64[1] {0}> () end = Unsqueeze (k, zero)
      part = Slice (x, zero, end, zero) after = SequenceInsert (before, part)
    }>
  m = SequenceLength (s) y = ConcatFromSequence <axis = 0> (s) }"""
STACKED = """(int64 n, float[2, 3] x) => (float[A, B, C] y) {
  yes = Constant <value = bool {1}> () none = SequenceEmpty ()
  s, last = Loop (n, yes, none, x) <body = step (int64 k, bool c, seq(float[2, 3]) before,
    float[2, 3] v) => (bool go, seq(float[2, 3]) after, float[2, 3] w) {
      go = Identity (c) w = Add (v, x) after = SequenceInsert (before, w)
    }>
  y = ConcatFromSequence <axis = 1, new_axis = 1> (s) }"""
GROWN = """(int64 n, float[2] x) => (float[N] y) {
  yes = Constant <value = bool {1}> () none = SequenceEmpty ()
  s = Loop (n, yes, none) <body = outer (int64 k, bool c, seq(float[L]) before) =>
    (bool go, seq(float[L]) after) {
      go = Identity (c)
      after = Loop (k, c, before) <body = inner (int64 j, bool d, seq(float[L]) old) =>
        (bool on, seq(float[L]) new) { on = Identity (d) new = SequenceInsert (old, x) }>
    }>
  y = ConcatFromSequence <axis = 0> (s) }"""
WALKED = """(float[N, 2] x) => (float[2] y) {
  yes = Constant <value = bool {1}> () s = SplitToSequence <axis = 0, keepdims = 0> (x)
  n = SequenceLength (s) zero = Constant <value = float[2] {0, 0}> ()
  y = Loop (n, yes, zero) <body = step (int64 k, bool c, float[2] before) =>
    (bool go, float[2] after) {
      go = Identity (c) v = SequenceAt (s, k) twice = Add (before, before) after = Add (twice, v)
    }> }"""
MAPPED = """(float[5, 2] x, int64 k, float[2] w) => (float[5, 2] y, int64[L] sizes) {
  s = SplitToSequence (x, k)
  t, u = SequenceMap (s, w) <body = each (float[A, 2] v, float[2] b) =>
    (float[A, 2] o, int64[2] p) {
    o = Mul (v, b) p = Shape (v) }>
  y = ConcatFromSequence <axis = 0> (t) sizes = ConcatFromSequence <axis = 0> (u) }"""
CHOSEN = """(bool c, float[2] a, float[3] b) => (float[N] y, int64 n) {
  s = If (c) <then_branch = yes () => (seq(float[A]) p) { p = SequenceConstruct (a, b, a) },
    else_branch = no () => (seq(float[A]) q) { q = SequenceConstruct (b) }>
  y = ConcatFromSequence <axis = 0> (s) n = SequenceLength (s) }"""
WANTED = """(bool c, float[2] a) => (float[2] y, bool has) {
  o = If (c) <then_branch = yes () => (optional(float[2]) p) { p = Optional (a) },
    else_branch = no () => (optional(float[2]) q) { q = Optional <type = float[2]> () }>
  has = OptionalHasElement (o)
  y = If (has) <then_branch = there () => (float[2] r) { r = OptionalGetElement (o) },
    else_branch = gone () => (float[2] t) { t = Neg (a) }> }"""


def case(ops: str, text: str, inputs: tuple[np.ndarray, ...], why: str) -> ModelCase:
    """A model whose origin is ONNX Runtime."""
    whole = f"{HEAD}main {text}"
    return ModelCase(tuple(ops.split()), whole, inputs, why, oracle="onnxruntime")


def at(number: int) -> np.ndarray:
    """A position or a size as an input."""
    return scalar(number, "int64")


A, B = f(1, 2), f(3, 4, 5)
X = rand(5, 4)

MODELS = [
    *(case("SequenceAt", AT.format(body=ONE), (A, B, at(k)), f"{k} at run time")
      for k in (-2, -1, 0, 1)),
    *(case("SequenceInsert", AT.format(body=INSERTED), (A, B, at(k)), f"{k} at run time")
      for k in (-2, -1, 0, 1, 2)),
    *(case("SequenceErase", AT.format(body=ERASED), (A, B, at(k)), f"{k} at run time")
      for k in (-2, -1, 0, 1)),
    *(replace(case(op, AT.format(body=body), (A, B, at(k)), f"{k}, beyond the ends"),
              raises=DeviceError)
      for op, body, ends in (("SequenceAt", ONE, (-3, 2)), ("SequenceInsert", INSERTED, (-3, 3)),
                             ("SequenceErase", ERASED, (-3, 2)))
      for k in ends),
    *(case("SequenceErase", AT.format(body=EDITED), (A, B, at(k)),
           f"then inserted, {k} at run time")
      for k in (-1, 0, 1)),
    *(case("ConcatFromSequence",
           MATRICES.format(width=w, shape=shape, body=JOINED.format(axis=axis, new=new)),
           (rand(2, 3), rand(2, w), at(1)), f"axis {axis} of an open sequence, new_axis {new}")
      for w, axis, new, shape in ((3, 0, 0, "N, 3"), (4, 1, 0, "2, N"), (4, -1, 0, "2, N"),
                                  (3, 0, 1, "N, 2, 3"), (3, 1, 1, "2, N, 3"),
                                  (3, -1, 1, "2, 3, N"))),
    *(case("SplitToSequence", SPLIT.format(sizes=sizes, body=PIECES.format(axis=axis)), (X, k),
           f"axis {axis} by {text} at run time")
      for axis, sizes, k, text in ((0, "", at(2), "2"), (1, "", at(3), "3"), (0, "", at(9), "9"),
                                   (0, "[3]", i(1, 0, 4), "three sizes"),
                                   (-1, "[2]", i(3, 1), "two sizes"))),
    *(case("SplitToSequence", ROWS.format(axis=axis), (X, at(-1)), f"single ones of axis {axis}")
      for axis in (0, 1)),
    *(case("SequenceInsert Loop", COLLECTED, (at(n), rand(4)), f"{n} tensors in a loop")
      for n in (1, 3)),
    case("ConcatFromSequence Loop", STACKED, (at(3), rand(2, 3)), "what a loop collected"),
    case("Loop", GROWN, (at(3), A), "a sequence in a loop in a loop"),
    case("SequenceLength Loop", WALKED, (rand(4, 2),), "a loop over a sequence"),
    *(case("SequenceMap", MAPPED, (rand(5, 2), at(k), A), f"pieces of {k} at run time")
      for k in (1, 2)),
    *(case("If", CHOSEN, (np.array(c), A, B), f"sequences of two lengths, {c}")
      for c in (True, False)),
    *(case("Optional OptionalHasElement OptionalGetElement", WANTED, (np.array(c), A),
           f"in a branch, {c}")
      for c in (True, False)),
]  # fmt: skip
