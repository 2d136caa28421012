"""ONNX sequences and optionals of known length, which are resolved while converting."""

from __future__ import annotations

from nnir.errors import BadModel, BadType, Unsupported

from ...case import Case, ModelCase, f, i, rand

HEAD = '<ir_version: 10, opset_import: ["" : 18]>\n'
EDIT = (
    HEAD
    + """
main (float[2] a, float[2] b, float[2] c) => (float[2] y, int64 n) {
  first = Constant <value = int64 {0}> ()
  second = Constant <value = int64 {-2}> ()
  s = SequenceConstruct (a, b)
  t = SequenceInsert (s, c, first)
  u = SequenceErase (t, second)
  n = SequenceLength (u)
  last = Constant <value = int64 {-1}> ()
  p = SequenceAt (u, first)
  q = SequenceAt (u, last)
  y = Sub (p, q)
}"""
)
BEYOND = (
    HEAD
    + """
main (float[2] a) => (float[2] y) {
  place = Constant <value = int64 {1}> ()
  s = SequenceConstruct (a)
  y = SequenceAt (s, place)
}"""
)
EMPTY = (
    HEAD
    + """
main (float[2] a, float[3] b) => (float[5] y) {
  none = SequenceEmpty ()
  s = SequenceInsert (none, a)
  t = SequenceInsert (s, b)
  y = ConcatFromSequence <axis = 0> (t)
}"""
)
STACKED = (
    HEAD
    + """
main (float[3, 4] x) => (float[4, 3] y) {
  s = SplitToSequence <axis = 0, keepdims = 0> (x)
  y = ConcatFromSequence <axis = -1, new_axis = 1> (s)
}"""
)
PIECES = (
    HEAD
    + """
main (float[5, 2] x) => (float[1, 2] y) {
  sizes = Constant <value = int64 {2}> ()
  last = Constant <value = int64 {-1}> ()
  s = SplitToSequence (x, sizes)
  y = SequenceAt (s, last)
}"""
)
COUNTED = (
    HEAD
    + """
main (float[5, 2] x) => (float[2, 2] y, int64 n, float[3, 2] z) {
  size = Constant <value = int64 {2}> ()
  sizes = Constant <value = int64[2] {3, 2}> ()
  first = Constant <value = int64 {0}> ()
  s = SplitToSequence (x, size)
  t = SplitToSequence <keepdims = 0> (x, sizes)
  y = SequenceAt (s, first)
  z = SequenceAt (t, first)
  n = SequenceLength (s)
}"""
)
COLUMNS = (
    HEAD
    + """
main (float[5, 3] x) => (float[5, 1] y) {
  sizes = Constant <value = int64 {2}> ()
  last = Constant <value = int64 {-1}> ()
  s = SplitToSequence <axis = 1> (x, sizes)
  y = SequenceAt (s, last)
}"""
)
WHOLE = EMPTY.replace("SequenceEmpty", "SequenceEmpty <dtype = 7>").replace("float", "int64")
ABSENT = (
    HEAD
    + """
main () => (bool has) {
  o = Optional <type = float[2]> ()
  has = OptionalHasElement (o)
}"""
)
DYNAMIC = (
    HEAD
    + """
main (float[N, 2] x) => (float[1, 2] y) {
  last = Constant <value = int64 {-1}> ()
  s = SplitToSequence (x)
  y = SequenceAt (s, last)
}"""
)
MAP = (
    HEAD
    + """
main (float[2] a, float[2] b, float[2] c) => (float[4] y) {
  s = SequenceConstruct (a, b)
  t = SequenceMap (s, c) <body = each (float[2] v, float[2] w) => (float[2] o) { o = Mul (v, w) }>
  y = ConcatFromSequence <axis = 0> (t)
}"""
)
OPTIONAL = (
    HEAD
    + """
main (float[2] a) => (float[2] y, bool has) {
  o = Optional (a)
  has = OptionalHasElement (o)
  y = OptionalGetElement (o)
}"""
)
PLACED = (
    HEAD
    + """
main (float[2] a, float[2] b, float[2] c) => (float[6] y) {{
  place = Constant <value = int64 {{{place}}}> ()
  s = SequenceConstruct (a, b)
  t = SequenceInsert (s, c, place)
  y = ConcatFromSequence <axis = 0> (t)
}}"""
)
ERASED = (
    HEAD
    + """
main (float[2] a, float[2] b, float[2] c) => (float[4] y) {{
  place = Constant <value = int64 {{{place}}}> ()
  s = SequenceConstruct (a, b, c)
  t = SequenceErase (s{given})
  y = ConcatFromSequence <axis = 0> (t)
}}"""
)
CUT = (
    HEAD
    + """
main (float[{rows}, 3] x) => (int64 n, float[M, K] y) {{
  size = Constant <value = int64 {{{size}}}> ()
  first = Constant <value = int64 {{0}}> ()
  s = SplitToSequence <axis = {axis}> (x, size)
  n = SequenceLength (s)
  y = SequenceAt (s, first)
}}"""
)
NOTHING = (
    HEAD
    + """
main (float[2] a) => (float[2] y) {
  s = SequenceEmpty ()
  y = ConcatFromSequence <axis = 0> (s)
}"""
)
A, B, C = f(1, 2), f(3, 4), f(5, 6)

CASES: list[Case] = []
MODELS = [
    ModelCase(
        ("SequenceConstruct", "SequenceInsert", "SequenceErase", "SequenceAt", "SequenceLength"),
        EDIT,
        (A, B, C),
        "insert, erase and read by negative positions",
    ),
    ModelCase(("SequenceAt",), BEYOND, (A,), "beyond the end", raises=BadType),
    ModelCase(("SequenceEmpty", "ConcatFromSequence"), EMPTY, (A, f(3, 4, 5)), "from nothing"),
    ModelCase(
        ("ConcatFromSequence", "SplitToSequence"), STACKED, (rand(3, 4),), "rows become columns"
    ),
    ModelCase(("SplitToSequence",), PIECES, (rand(5, 2),), "a smaller last piece"),
    ModelCase(("SplitToSequence",), COUNTED, (rand(5, 2),), "the first piece, and how many"),
    ModelCase(("SplitToSequence",), COLUMNS, (rand(5, 3),), "pieces of the last axis"),
    ModelCase(("SequenceEmpty", "ConcatFromSequence"), WHOLE, (i(1, 2), i(3, 4, 5)), "of integers"),
    ModelCase(("Optional",), ABSENT, (), "that is not there", oracle="onnxruntime"),
    ModelCase(("SplitToSequence",), DYNAMIC, (rand(5, 2),), "an axis of open size"),
    ModelCase(("SequenceMap",), MAP, (A, B, C), "each item with one tensor"),
    ModelCase(
        ("Optional", "OptionalHasElement", "OptionalGetElement"),
        OPTIONAL,
        (A,),
        "that is there",
        oracle="onnxruntime",
    ),
    *(
        ModelCase(
            ("SequenceInsert",), PLACED.format(place=k), (A, B, C), f"at {k}", oracle="onnxruntime"
        )
        for k in (-2, -1, 0, 1, 2)
    ),
    *(
        ModelCase(("SequenceInsert",), PLACED.format(place=k), (A, B, C), f"at {k}", raises=BadType)
        for k in (-3, 3)
    ),
    *(
        ModelCase(("SequenceErase",), ERASED.format(place=k, given=", place"), (A, B, C), f"at {k}")
        for k in (-3, -1, 0, 1, 2)
    ),
    ModelCase(("SequenceErase",), ERASED.format(place=0, given=""), (A, B, C), "the last one"),
    *(
        ModelCase(("SequenceErase",), ERASED.format(place=k, given=", place"), (A, B, C), f"at {k}",
                  raises=BadType)
        for k in (-4, 3)
    ),
    *(
        ModelCase(("SplitToSequence",), CUT.format(rows=5, size=n, axis=axis), (rand(5, 3),),
                  f"pieces of {n} along {axis}")
        for n in (1, 3, 5, 9)
        for axis in (0, -1)
    ),
    ModelCase(("SplitToSequence",), CUT.format(rows=5, size=0, axis=0), (rand(5, 3),),
              "pieces of none", raises=BadType),
    ModelCase(("SplitToSequence",), CUT.format(rows=50_000_000, size=1, axis=0), (rand(5, 3),),
              "far too many pieces", raises=BadModel),
    ModelCase(("ConcatFromSequence",), NOTHING, (A,), "of nothing", raises=Unsupported),
]  # fmt: skip
