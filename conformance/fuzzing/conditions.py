"""Conditions on an example: what its inputs, attributes and the origin's results hold."""

from __future__ import annotations

import numpy as np

from ..case import Case
from ..engines.engine import Answer
from ..judging.compare import FINFO
from .tree import arrays
from .values import kind_of


def reals(case: Case) -> list[np.ndarray]:
    """The floats among the inputs, as float64."""
    return [a.astype(np.float64) for a in arrays(case) if a.dtype.kind not in "iubcOSU"]


def whole(case: Case) -> list[np.ndarray]:
    """The integers among the inputs."""
    return [a for a in arrays(case) if a.dtype.kind in "iu"]


def always(case: Case, answer: Answer) -> bool:
    """Every example."""
    return True


def out_of_integers(case: Case, answer: Answer) -> bool:
    """A float that the integers of a result do not hold, NaN among them."""
    kinds = [r.dtype for r in answer.results if r.dtype.kind in "iu"]
    if not kinds:
        return False
    low = max(float(np.iinfo(d).min) for d in kinds)
    high = min(float(np.iinfo(d).max) for d in kinds)
    # the largest integer may not be a float: the next one below is
    return any(bool((~(a >= low) | ~(a <= np.nextafter(high, 0))).any()) for a in reals(case))


def any_nan(case: Case, answer: Answer) -> bool:
    """NaN among the inputs."""
    return any(bool(np.isnan(a).any()) for a in reals(case))


def not_finite(case: Case, answer: Answer | None = None) -> bool:
    """NaN or an infinity among the inputs."""
    complex_ones = [a for a in arrays(case) if a.dtype.kind == "c"]
    return any(not np.isfinite(a).all() for a in (*reals(case), *complex_ones))


def has_subnormals(case: Case, answer: Answer) -> bool:
    """A float other than 0, of inputs or results, that is below the smallest normal number."""
    floats = [a for a in (*arrays(case), *answer.results) if kind_of(a.dtype) == "float"]
    return any(bool(((a != 0) & (np.abs(a) < FINFO(a.dtype).tiny)).any()) for a in floats)


def empty(case: Case, answer: Answer) -> bool:
    """An input without elements."""
    return any(not a.size for a in arrays(case))


def half(case: Case, answer: Answer) -> bool:
    """Floats that are not float32."""
    return any(kind_of(a.dtype) == "float" and a.dtype.itemsize != 4 for a in arrays(case))


def zero_divisor(case: Case, answer: Answer) -> bool:
    """A zero, or -1 (by which the smallest integer cannot be divided), among integers."""
    return any(bool(((a == 0) | (a == -1)).any()) for a in whole(case)[1:])


def wide_shift(case: Case, answer: Answer) -> bool:
    """A shift by less than no bits, or by as many as there are."""
    bits = 8 * min((r.dtype.itemsize for r in answer.results), default=8)
    return any(bool(((a < 0) | (a >= bits)).any()) for a in whole(case)[1:])


def negative(case: Case, answer: Answer) -> bool:
    """A negative integer among the inputs."""
    return any(bool((a < 0).any()) for a in whole(case))


def no_scale(case: Case, answer: Answer) -> bool:
    """A quantum that is not finite and above zero."""
    quanta = (*reals(case)[1:], *arrays(case)[1:2])
    return any(bool((~np.isfinite(a) | (a <= 0)).any()) for a in quanta if a.dtype.kind != "b")


def from_nothing(case: Case, answer: Answer) -> bool:
    """Elements of results where an input has none."""
    return empty(case, answer) and any(r.size for r in answer.results)


def falls_somewhere(case: Case, answer: Answer) -> bool:
    """Data that falls somewhere along its last axis, or that has NaN."""
    data = arrays(case)
    return any(a.ndim > 0 and not bool((a[..., :-1] <= a[..., 1:]).all()) for a in data) or (
        any_nan(case, answer)
    )


def edges_fall(case: Case, answer: Answer) -> bool:
    """An input behind the first that falls along its last axis, or that has NaN."""
    edges = [a for a in arrays(case)[1:] if a.ndim]
    return any(not bool((a[..., :-1] <= a[..., 1:]).all()) for a in edges) or any_nan(case, answer)


def reaches_out(case: Case, answer: Answer) -> bool:
    """A vector of integers with one beyond the first axis of what comes first."""
    data, *others = arrays(case)
    most = data.shape[0] if data.ndim else 1
    return any(bool((a > most).any()) for a in others if a.dtype.kind in "iu")


def indefinite(case: Case, answer: Answer) -> bool:
    """Matrices that are not positive definite."""
    for a in arrays(case):
        if a.ndim > 1 and a.size and a.shape[-1] == a.shape[-2] and np.isfinite(a).all():
            wide = a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)
            least = (
                np.linalg.eigvalsh(wide).min(axis=-1),
                np.linalg.eigvalsh(wide, "U").min(axis=-1),
            )
            if min(float(v.min()) for v in least) <= 1e-4 * float(np.abs(wide).max()):
                return True
    return False


def of_high_degree(case: Case, answer: Answer) -> bool:
    """NaN, or a degree above a hundred."""
    numbers = [v for v in case.inputs if isinstance(v, (int, float))]
    sizes = [np.abs(a.astype(np.float64)).max(initial=0) for a in arrays(case)]
    return any_nan(case, answer) or max([*map(abs, numbers), *sizes], default=0) > 100


def no_steps(case: Case, answer: Answer) -> bool:
    """Fewer steps, which are the first input, than the second has room for."""
    steps, room = arrays(case)[:2]
    return bool((steps.reshape(-1) < room.shape[0]).any())


def tiny(case: Case, answer: Answer) -> bool:
    """A number next to zero: half of it is subnormal."""
    given = [a for a in arrays(case) if kind_of(a.dtype) == "float"]
    ends = [(np.abs(a.astype(np.float64)), 4 * float(FINFO(a.dtype).tiny)) for a in given]
    return any(bool(((a > 0) & (a <= end)).any()) for a, end in ends)


def odd_mean(case: Case, answer: Answer) -> bool:
    """Complex numbers of which there are none."""
    return empty(case, answer) and any(a.dtype.kind == "c" for a in arrays(case))


def not_initialised(case: Case, answer: Answer) -> bool:
    """Without being told to fill what it makes."""
    return case.attrs.get("init") is not True


def falls_short(case: Case, answer: Answer) -> bool:
    """Offsets, vectors of integers, whose last one is not the size of the first axis."""
    data, *others = arrays(case)
    size = data.shape[0] if data.ndim else 0
    lines = [a for a in others if a.dtype.kind in "iu" and a.ndim == 1 and a.size]
    return any(a[-1] != size for a in lines)


def of_one_column(case: Case, answer: Answer) -> bool:
    """A result whose last axis has one element."""
    return any(r.ndim and r.shape[-1] == 1 for r in answer.results)


def large_states(case: Case, answer: Answer) -> bool:
    """A float above 8, of either sign."""
    return any(bool((np.abs(a) > 8).any()) for a in reals(case))


def reduces_all(case: Case, answer: Answer) -> bool:
    """Over every axis, by a flag of its own."""
    return bool(case.attrs.get("reduce_all"))


def gappy(case: Case, answer: Answer) -> bool:
    """Without a result in front of one that is asked for, which takes its place."""
    names = ("return_index", "return_inverse", "return_counts")
    flags = [bool(case.attrs.get(n)) for n in names[case.op.endswith("consecutive") :]]
    return flags != sorted(flags, reverse=True)


def zero_quantum(case: Case, answer: Answer) -> bool:
    """Integers with a quantum that is negative, almost zero, or almost infinite."""
    return any(bool((~((a > 1e-30) & (a < 1e30))).any()) for a in reals(case))


def no_image(case: Case, answer: Answer) -> bool:
    """The first input has not four axes."""
    return arrays(case)[0].ndim != 4


def bfloat16_as_uint16(case: Case, answer: Answer) -> bool:
    """Unsigned integers of 16 bits."""
    return any(a.dtype == np.uint16 for a in arrays(case))


def far_apart(case: Case, answer: Answer) -> bool:
    """Scores that differ by 64, or that are not finite."""
    spreads = [np.ptp(a) if a.size else 0.0 for a in reals(case)]
    return any(not s < 64 for s in spreads) or not_finite(case)


def has_clip(case: Case, answer: Answer) -> bool:
    """With a bound for the cells, or with coupled gates."""
    return "clip" in case.attrs or bool(case.attrs.get("input_forget"))


def padded_same(case: Case, answer: Answer) -> bool:
    """With padding by the sizes."""
    return "SAME" in str(case.attrs.get("auto_pad"))


def many_values(case: Case, answer: Answer) -> bool:
    """With more than one attribute."""
    return len(case.attrs) > 1


def negative_float(case: Case, answer: Answer) -> bool:
    """A negative float among the inputs."""
    return any(bool((a < 0).any()) for a in reals(case))


def fractional(case: Case, answer: Answer) -> bool:
    """A float that is no whole number."""
    return any(bool((a != np.floor(a)).any()) for a in reals(case))


def alone(case: Case, answer: Answer) -> bool:
    """Only the first result is asked for."""
    return len(answer.results) == 1


def is_clamped(case: Case, answer: Answer) -> bool:
    """Infinities, or results at the end of what is finite."""
    found = [r.astype(np.float64) for r in answer.results if r.dtype == np.float32]
    most = float(np.finfo(np.float32).max)
    return not_finite(case) or any(bool((np.abs(r) >= most).any()) for r in found)


def of_two_shapes(case: Case, answer: Answer) -> bool:
    """Inputs of different shapes."""
    return len({a.shape for a in arrays(case)}) > 1


def scalar_result(case: Case, answer: Answer) -> bool:
    """A result without axes of inputs that have some."""
    inputs = max((a.ndim for a in arrays(case)), default=0)
    return inputs > 0 and all(not r.ndim for r in answer.results)


def any_ties(case: Case, answer: Answer) -> bool:
    """A vector of floats with equal elements."""
    return any(a.ndim == 1 and len({*a.tolist()}) < a.size for a in reals(case))


def has_ties(case: Case, answer: Answer) -> bool:
    """Equal elements, of any shape, or NaN."""
    return any(len({*a.reshape(-1).tolist()}) < a.size for a in arrays(case))


def is_unchecked(case: Case, answer: Answer) -> bool:
    """An empty input or result, or an untyped one."""
    return empty(case, answer) or any(not r.size for r in answer.results)


def hybrid(case: Case, answer: Answer) -> bool:
    """Floats with quantised constants."""
    has_scale = any(hasattr(g, "scale") for g in case.inputs)
    return has_scale and bool(reals(case))


def huge_integers(case: Case, answer: Answer) -> bool:
    """Integers near the end of 32 bits, or of 16 that they have: sums with them overflow."""
    ends = [(a, 1e4 if a.dtype.itemsize == 2 else 1e9) for a in whole(case)]
    return any(bool((np.abs(a.astype(np.float64)) > end).any()) for a, end in ends)


def narrow_integers(case: Case, answer: Answer) -> bool:
    """Quantised inputs."""
    return any(hasattr(g, "scale") for g in case.inputs)


def odd_sums(case: Case, answer: Answer) -> bool:
    """NaN or an infinity among inputs or results, or nothing."""
    results = [r for r in answer.results if kind_of(r.dtype) == "float"]
    is_odd = any(not np.isfinite(r.astype(np.float64)).all() for r in results)
    return is_odd or not_finite(case) or empty(case, answer)


def degenerate(case: Case, answer: Answer) -> bool:
    """Matrices with equal elements, which may have equal eigenvalues, or of less than full rank."""
    grids = [a for a in arrays(case) if a.ndim > 1 and kind_of(a.dtype) in ("float", "complex")]
    return any(len({*a.reshape(-1).tolist()}) < a.size or is_singular(a) for a in grids)


def is_singular(matrices: np.ndarray) -> bool:
    """Whether rounding decides over the rank of one of them."""
    wide = matrices.astype(np.complex128 if matrices.dtype.kind == "c" else np.float64)
    if not wide.size or not np.isfinite(wide).all():
        return False
    sizes = np.linalg.svd(wide, compute_uv=False)
    least = 1e3 * float(FINFO(matrices.dtype).eps) * sizes[..., 0]
    return bool((sizes[..., -1] <= least).any())


def descending(case: Case, answer: Answer) -> bool:
    """A vector of integers that falls somewhere."""
    return any(a.ndim == 1 and bool((np.diff(a) < 0).any()) for a in whole(case))


def reads_past(case: Case, answer: Answer) -> bool:
    """Slices whose vectors are of different lengths, or shorter than what is said of them."""
    lengths = {a.size for a in whole(case) if a.ndim == 1}
    masks = [v for n, v in case.attrs.items() if n.endswith("_mask")]
    shortest, rank = min(lengths, default=0), arrays(case)[0].ndim
    is_short = bool(case.attrs.get("offset")) and shortest < rank
    return len(lengths) > 1 or is_short or any(m >> shortest for m in masks)


def overflowing(case: Case, answer: Answer) -> bool:
    """Finite numbers whose products overflow: then the order of sums decides what comes out."""
    for array in arrays(case):
        if kind_of(array.dtype) in ("float", "complex"):
            sizes = np.abs(array.astype(np.complex128))
            most = 0.5 * float(FINFO(array.dtype).max) ** 0.5
            if bool((np.isfinite(sizes) & (sizes > most)).any()):
                return True
    return False


def odd_complex(case: Case, answer: Answer) -> bool:
    """Complex numbers that are not finite."""
    given = [a for a in (*arrays(case), *answer.results) if a.dtype.kind == "c"]
    return any(not np.isfinite(a).all() for a in given)


def large(case: Case, answer: Answer) -> bool:
    """Numbers whose squares overflow float32, or that are not finite."""
    return any(bool((~(np.abs(a) < 1e18)).any()) for a in reals(case))


def huge_results(case: Case, answer: Answer) -> bool:
    """Integers near the end of 32 bits, or zeros that may be what is left of them."""
    found = [r.astype(np.float64) for r in answer.results if r.dtype.kind in "iu"]
    return any(bool(((np.abs(r) > 1e9) | (r == 0)).any()) for r in found)


def raw_scores(case: Case, answer: Answer) -> bool:
    """The scores of an attention with a cap, as they are before it."""
    is_raw = not case.attrs.get("qk_matmul_output_mode")
    return len(answer.results) > 3 and is_raw and bool(case.attrs.get("softcap"))


def odd_thresholds(case: Case, answer: Answer) -> bool:
    """A share of two boxes below 0 or above 1."""
    shares = reals(case)[2:3]
    return any(bool((~(a >= 0) | (a > 1)).any()) for a in shares)


def of_integers(case: Case, answer: Answer) -> bool:
    """The first input holds integers."""
    return arrays(case)[0].dtype.kind in "iu"


def dilated_same(case: Case, answer: Answer) -> bool:
    """A dilated window that is padded by the sizes."""
    return padded_same(case, answer) and max(case.attrs.get("dilations", ()), default=1) > 1


def beyond_bytes(case: Case, answer: Answer) -> bool:
    """Floats that are more quanta than 32 bits hold, or NaN."""
    scales = [r.scale for r in case.results if hasattr(r, "scale")]
    least = float(np.min(scales)) if scales else 1.0
    return any(bool((~(np.abs(a) < 2**31 * least)).any()) for a in reals(case))


def quantised_nothing(case: Case, answer: Answer) -> bool:
    """Quantised inputs without elements."""
    return narrow_integers(case, answer) and empty(case, answer)


def wild(case: Case, answer: Answer) -> bool:
    """Numbers of 50 or more, or NaN: their sums cancel, and overflow."""
    return any(bool((~(np.abs(a) < 50)).any()) for a in reals(case))


def without_vectors(case: Case, answer: Answer) -> bool:
    """Positions of which it is not said along which axis they lie."""
    return "index_vector_dim" not in case.attrs


def longer(case: Case, answer: Answer) -> bool:
    """Sequences of more elements than there are, or of fewer than none."""
    axis = case.attrs.get("seq_dim", case.attrs.get("time_axis", 0))
    size = arrays(case)[0].shape[axis]
    return any(bool(((a > size) | (a < 0)).any()) for a in whole(case)[-1:])


def has_large_quotients(case: Case, answer: Answer) -> bool:
    """Floats that are more than 2**23 times those that divide them, anywhere."""
    sizes = [np.abs(a[np.isfinite(a) & (a != 0)]) for a in reals(case)]
    if len(sizes) < 2 or not sizes[0].size or not sizes[1].size:
        return False
    return bool(sizes[0].max() / sizes[1].min() > 2**23)


def dilated_not_finite(case: Case, answer: Answer) -> bool:
    """What is not finite under a dilated filter."""
    return not_finite(case) and max(case.attrs.get("dilations", ()), default=1) > 1


def odd_bounds(case: Case, answer: Answer) -> bool:
    """NaN among what comes after the first input."""
    return any(bool(np.isnan(a).any()) for a in reals(case)[1:])


def zero_inside(case: Case, answer: Answer) -> bool:
    """A zero point above the least integer."""
    *_, zero = [a for a in whole(case) if a.ndim == 0] or [np.zeros((), np.uint8)]
    return bool(zero > np.iinfo(zero.dtype).min)


def small_image(case: Case, answer: Answer) -> bool:
    """A window that is larger than the image."""
    image = arrays(case)[0].shape
    is_last = case.attrs.get("channels_last") or "Nhwc" in case.op
    sizes = image[1:-1] if is_last else image[2:]
    kernel = case.attrs.get("kernel_shape", ())
    return any(k > n for k, n in zip(kernel, sizes, strict=False))


def above_8(case: Case, answer: Answer) -> bool:
    """A float beyond 8, of which a sigmoid is nearly 0 or 1."""
    return any(bool((np.abs(a) >= 8).any()) for a in reals(case))


def of_16_bits(case: Case, answer: Answer) -> bool:
    """Quantised inputs of 16 bits."""
    return narrow_integers(case, answer) and any(a.dtype == np.int16 for a in arrays(case))


def before_7(case: Case, answer: Answer) -> bool:
    """Of an opset in which operands are not spread by their shapes."""
    return 0 < (case.opset or 0) < 7


def unsorted_dims(case: Case, answer: Answer) -> bool:
    """Axes of updates in another order than they have."""
    axes = list(case.attrs.get("update_window_dims", ()))
    return axes != sorted(axes)


def unsorted_rows(case: Case, answer: Answer) -> bool:
    """Parts along an axis, in the order in which they come."""
    return case.attrs.get("axis") is not None and not case.attrs.get("sorted", 1)


def wide_bounds(case: Case, answer: Answer) -> bool:
    """Bounds that have axes."""
    return any(a.ndim > 0 for a in arrays(case)[1:])


def outside(case: Case, answer: Answer) -> bool:
    """Positions that an axis has not."""
    size = arrays(case)[0].shape[case.attrs.get("axis", 0)]
    return any(bool(((a >= size) | (a < -size)).any()) for a in whole(case)[-1:])
