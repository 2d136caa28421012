"""ONNX control flow."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadModel, Unsupported

from ...case import Case, ModelCase, f, i, rand, scalar

HEAD = '<ir_version: 10, opset_import: ["" : 21]>\n'
HEAD_8 = '<ir_version: 3, opset_import: ["" : 8]>\n'

IF = (
    HEAD
    + """
main (bool c, float[N] x) => (float[N] y) {
  two = Constant <value = float {2.0}> ()
  y = If (c) <
    then_branch = yes () => (float[N] a) { a = Mul (x, two) },
    else_branch = no () => (float[N] b) { z = Neg (x) b = Add (z, two) }
  >
}"""
)
IF_KNOWN = (
    HEAD
    + """
main (float[N] x) => (float[M] y) {
  c = Constant <value = bool {1}> ()
  y = If (c) <
    then_branch = yes () => (float[M] a) { a = Concat <axis = 0> (x, x) },
    else_branch = no () => (float[M] b) { b = Identity (x) }
  >
}"""
)
IF_SIZES = (
    HEAD
    + """
main (bool c, float[2] x) => (float[M] y) {
  y = If (c) <
    then_branch = yes () => (float[4] a) { a = Concat <axis = 0> (x, x) },
    else_branch = no () => (float[2] b) { b = Abs (x) }
  >
}"""
)
IF_RANKS = (
    HEAD
    + """
main (bool c, float[2] x) => (float y) {
  y = If (c) <
    then_branch = yes () => (float a) { a = ReduceSum <keepdims = 0> (x) },
    else_branch = no () => (float[2] b) { b = Abs (x) }
  >
}"""
)
LOOP = (
    HEAD
    + """
main (int64 m, bool go, float[2] x, float[2] step) => (float[2] y, float[T, 2] all) {
  y, all = Loop (m, go, x) <
    body = turn (int64 n, bool more, float[2] a) => (bool again, float[2] b, float[2] s) {
      b = Add (a, step)
      limit = Constant <value = float {9.0}> ()
      total = ReduceSum <keepdims = 0> (b)
      again = Less (total, limit)
      s = Identity (b)
    }
  >
}"""
)
LOOP_WHILE = LOOP.replace("int64 m, ", "").replace("(m, go", "(, go")
LOOP_FAR = LOOP.replace("int64 m, ", "").replace(
    "  y, all", "  m = Constant <value = int64 {9223372036854775807}> ()\n  y, all"
)
LOOP_GROWS = (
    HEAD
    + """
main (int64 m, float[K] x) => (float[L] y) {
  y = Loop (m, , x) <
    body = turn (int64 n, bool more, float[K] a) => (bool again, float[L] b) {
      again = Identity (more)
      number = Cast <to = 1> (n)
      one = Constant <value = int64[1] {1}> ()
      item = Reshape (number, one)
      b = Concat <axis = 0> (a, item)
    }
  >
}"""
)
LOOP_SEQUENCE = (
    HEAD
    + """
main (float[5, 2] x) => (float[3, 2] y, int64[3] n, int64[3] halves) {
  none = SequenceEmpty ()
  zero = Constant <value = int64[1] {0}> ()
  starts = Constant <value = int64[4] {0, 2, 2, 5}> ()
  go = Constant <value = bool {1}> ()
  s, last, halves = Loop (, go, none, zero) <
    body = turn (int64 k, bool more, seq(float[2]) a, int64[1] i)
        => (bool again, seq(float[2]) b, int64[1] j, int64 half) {
      one = Constant <value = int64[1] {1}> ()
      two = Constant <value = int64 {2}> ()
      three = Constant <value = int64[1] {3}> ()
      j = Add (i, one)
      next = Add (j, one)
      start = Slice (starts, i, j)
      end = Slice (starts, j, next)
      rows = Slice (x, start, end)
      sum = ReduceSum <keepdims = 1> (rows, zero)
      b = SequenceInsert (a, sum)
      half = Div (k, two)
      again = Less (j, three)
    }
  >
  y = ConcatFromSequence <axis = 0> (s)
  n = Add (halves, last)
}"""
)
LOOP_SEQUENCE_RUN_TIME = (
    HEAD
    + """
main (int64 m, float[2] x) => (float[K] y) {
  none = SequenceEmpty ()
  s = Loop (m, , none) <
    body = turn (int64 k, bool more, seq(float[2]) a) => (bool again, seq(float[2]) b) {
      again = Identity (more)
      b = SequenceInsert (a, x)
    }
  >
  y = ConcatFromSequence <axis = 0> (s)
}"""
)
LOOP_COUNTED = (
    HEAD
    + """
main (float[2] x) => (float[K] y, float[3, 2] rows) {
  none = SequenceEmpty ()
  m = Constant <value = int64 {3}> ()
  s, rows = Loop (m, , none) <
    body = turn (int64 k, bool more, seq(float[2]) a)
        => (bool again, seq(float[2]) b, float[2] row) {
      again = Identity (more)
      step = Cast <to = 1> (k)
      row = Mul (x, step)
      b = SequenceInsert (a, row)
    }
  >
  y = ConcatFromSequence <axis = 0> (s)
}"""
)
LOOP_ENDLESS = (
    HEAD
    + """
main (float[2] x) => (float[K] y) {
  none = SequenceEmpty ()
  s = Loop (, , none) <
    body = turn (int64 k, bool more, seq(float[2]) a) => (bool again, seq(float[2]) b) {
      again = Identity (more)
      b = SequenceInsert (a, x)
    }
  >
  y = ConcatFromSequence <axis = 0> (s)
}"""
)
NESTED = (
    HEAD
    + """
main (int64 m, float[2] x) => (float[2] y) {
  zero = Constant <value = int64 {0}> ()
  two = Constant <value = int64 {2}> ()
  y = Loop (m, , x) <
    body = turn (int64 n, bool more, float[2] a) => (bool again, float[2] b) {
      again = Identity (more)
      rest = Mod (n, two)
      even = Equal (rest, zero)
      b = If (even) <
        then_branch = yes () => (float[2] p) { p = Add (a, x) },
        else_branch = no () => (float[2] q) { q = Mul (a, x) }
      >
    }
  >
}"""
)
SCAN = (
    HEAD
    + """
main (float[2] x, float[3, 2] xs) => (float[2] y, float[2, 3] ys) {
  y, ys = Scan <num_scan_inputs = 1, scan_input_directions = [1], scan_output_axes = [1],
    scan_output_directions = [1],
    body = turn (float[2] s, float[2] v) => (float[2] t, float[2] o) {
      t = Add (s, v)
      o = Mul (t, v)
    }
  > (x, xs)
}"""
)
SCAN_PLACES = (
    HEAD
    + """
main (float[2] x, float[3, 2] xs) => (float[2] y, float[2, 3] a, float[3, 2] b) {
  y, a, b = Scan <num_scan_inputs = 1, scan_output_axes = [1, 0], scan_output_directions = [0, 1],
    body = turn (float[2] s, float[2] v) => (float[2] t, float[2] o, float[2] p) {
      t = Add (s, v)
      o = Mul (t, v)
      p = Sub (t, v)
    }
  > (x, xs)
}"""
)
SCAN_TWO = (
    HEAD
    + """
main (float[2] x, float[3, 2] xs, float[2, 3] zs) => (float[2] y, float[3, 2] ys) {
  y, ys = Scan <num_scan_inputs = 2, scan_input_axes = [0, 1], scan_input_directions = [1, 0],
    body = turn (float[2] s, float[2] v, float[2] w) => (float[2] t, float[2] o) {
      t = Add (s, v)
      o = Mul (t, w)
    }
  > (x, xs, zs)
}"""
)
LOOP_NEVER = LOOP_COUNTED.replace("int64 {3}", "int64 {0}")
LOOP_EMPTY = (
    HEAD
    + """
main (float[2] x) => (int64 n) {
  none = SequenceEmpty ()
  m = Constant <value = int64 {0}> ()
  s = Loop (m, , none) <
    body = turn (int64 k, bool more, seq(float[2]) a) => (bool again, seq(float[2]) b) {
      again = Identity (more)
      b = SequenceInsert (a, x)
    }
  >
  n = SequenceLength (s)
}"""
)
SCAN_DYNAMIC = (
    HEAD
    + """
main (float[2] x, float[2, T] xs) => (float[2] y, float[T, 2] ys) {
  y, ys = Scan <num_scan_inputs = 1, scan_input_axes = [-1],
    body = turn (float[2] s, float[2] v) => (float[2] t, float[2] o) {
      t = Add (s, v)
      o = Identity (t)
    }
  > (x, xs)
}"""
)
SCAN_8 = (
    HEAD_8
    + """
main (float[2, 2] x, float[2, 3, 2] xs) => (float[2, 2] y, float[2, 3, 2] ys) {
  y, ys = Scan <num_scan_inputs = 1,
    body = turn (float[2] s, float[2] v) => (float[2] t, float[2] o) {
      t = Add (s, v)
      o = Identity (t)
    }
  > (, x, xs)
}"""
)
SCAN_8_BACK = SCAN_8.replace("num_scan_inputs = 1,", "num_scan_inputs = 1, directions = [1],")
SCAN_8_BATCH = SCAN_8.replace("[2, ", "[3, ").replace("[3, 3, 2]", "[3, 4, 2]")
ORT = "onnxruntime"  # the reference evaluator fails on these
YES, NO = np.array(True), np.array(False)
IF_VECTOR = IF.replace("bool c", "bool[1] c")
LOOP_VECTORS = LOOP.replace("int64 m,", "int64[1] m,")
X = f(1, -2)
XS = f(1, 2, 3, 4, 5, 6).reshape(3, 2)

CASES: list[Case] = []
MODELS = [
    ModelCase(("If",), IF, (YES, f(1, 2, 3)), "the first branch"),
    ModelCase(("If",), IF, (NO, f(1, 2, 3)), "the second branch"),
    ModelCase(("If",), IF_KNOWN, (f(1, 2, 3),), "a constant condition leaves one branch"),
    ModelCase(("If",), IF_SIZES, (NO, X), "branches of different sizes"),
    ModelCase(("If",), IF_RANKS, (NO, X), "branches of different ranks", raises=Unsupported),
    ModelCase(("If",), IF_VECTOR, (np.array([True]), f(1, 2, 3)), "a condition in an axis"),
    ModelCase(("Loop",), LOOP_VECTORS, (i(2), YES, X, X), "a count in an axis", oracle=ORT),
    ModelCase(("Loop",), LOOP, (scalar(9, np.int64), YES, X, X + 4), "stops by its condition"),
    ModelCase(("Loop",), LOOP, (scalar(2, np.int64), YES, X, X), "stops by its count"),
    ModelCase(("Loop",), LOOP, (scalar(5, np.int64), NO, X, X), "does not start", oracle=ORT),
    ModelCase(("Loop",), LOOP, (scalar(0, np.int64), YES, X, X), "a count of 0", oracle=ORT),
    ModelCase(("Loop",), LOOP_WHILE, (YES, X, X + 4), "no count, stops by its condition"),
    ModelCase(("Loop",), LOOP_FAR, (YES, X, X + 4), "a count that is none", oracle=ORT),
    ModelCase(("Loop",), LOOP_WHILE, (NO, X, X), "no count, does not start", oracle=ORT),
    ModelCase(("Loop",), LOOP_GROWS, (scalar(3, np.int64), f(7)), "a state that grows", oracle=ORT),
    ModelCase(("Loop",), LOOP_SEQUENCE, (rand(5, 2),), "bags of rows in a sequence", oracle=ORT),
    ModelCase(
        ("Loop",),
        LOOP_SEQUENCE_RUN_TIME,
        (scalar(3, np.int64), X),
        "a sequence of a length known at run time",
        oracle=ORT,
    ),
    ModelCase(("Loop",), LOOP_COUNTED, (f(2, 3),), "a sequence of three, and rows", oracle=ORT),
    ModelCase(("Loop",), LOOP_NEVER, (X,), "a sequence of none, and rows", raises=Unsupported),
    ModelCase(("Loop",), LOOP_EMPTY, (X,), "a sequence of none", oracle=ORT),
    ModelCase(("Scan",), SCAN_PLACES, (X, XS), "outputs on other axes, or backward", oracle=ORT),
    ModelCase(("Scan",), SCAN_TWO, (X, XS, XS.T.copy()), "two inputs, one backward", oracle=ORT),
    ModelCase(("Loop",), LOOP_ENDLESS, (X,), "a sequence without end", raises=BadModel),
    ModelCase(
        ("Loop", "If"), NESTED, (scalar(3, np.int64), X), "an if inside that captures", oracle=ORT
    ),
    ModelCase(("Scan",), SCAN, (X, XS), "backward, and outputs on another axis", oracle=ORT),
    ModelCase(("Scan",), SCAN_DYNAMIC, (X, XS.T.copy()), "a dynamic last axis", oracle=ORT),
    ModelCase(("Scan",), SCAN_8, (XS[:2], np.stack([XS, -XS])), "opset 8", oracle=ORT),
    ModelCase(("Scan",), SCAN_8_BATCH, (XS, rand(3, 4, 2)), "opset 8, three samples", oracle=ORT),
    ModelCase(
        ("Scan",), SCAN_8_BACK, (XS[:2], np.stack([XS, -XS])), "opset 8, backward", oracle=ORT
    ),
]
