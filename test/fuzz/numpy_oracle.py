# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What NumPy says about one step of a random program, given the step's operands.

The operands are values that pyfusion computed, so that errors do not add up. Where NumPy's result
is not the documented one (the sign of a zero in maximum, a float beyond an integer type), or has
more error than ours (elementary functions, sums), the reference is made here.
"""

import math
import warnings

import numpy as np
from exact_functions import DIGITS, NAMES, floor_divide, reference
from random_programs import REDUCTIONS, SEARCHES, SHAPED, Number

import pyfusion as pf
from pyfusion.testing.compare import equal_bits, ulp_distance

BF16 = pf.bfloat16.numpy
HALVES = (np.dtype(np.float16), BF16)
VIEWS = ("permute_dims", "flip", "expand_dims", "squeeze")
COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
# Largest distance from the exact result, in ulp.
MATH = dict.fromkeys(("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "tanh"), 1.1)
MATH |= dict.fromkeys(("sin", "cos", "erf"), 1.1)
MATH |= dict.fromkeys(("sigmoid", "pow", "atan2"), 1.5)
MATH |= dict.fromkeys(("rsqrt", "cbrt", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh"), 2)
MATH |= dict.fromkeys(("asin", "acos", "atan", "asinh", "acosh", "atanh", "hypot"), 2)
MATH |= dict.fromkeys(("arcsinh", "arccosh", "arctanh", "logaddexp", "erfc", "lgamma", "sinc"), 2)
# Near their zeros these are bounded absolutely, in units of the last place of 1.
ABSOLUTE = {"lgamma": 2, "logaddexp": 1}


def is_half(dtype):
    return dtype in HALVES


def rounded(x, dtype):
    """x to the nearest number of a type, ties to even, in one rounding."""
    with np.errstate(all="ignore"):
        if not is_half(dtype):
            return np.asarray(x).astype(dtype)
        # Through float32 rounded to odd, which keeps what the second rounding has to know.
        x = np.asarray(x, np.longdouble)
        near = x.astype(np.float32)
        inexact = (near != x) & ~np.isnan(x) & ~np.isinf(x)
        beyond = np.abs(near.astype(np.longdouble)) > np.abs(x)
        toward = np.where(beyond, np.nextafter(near, np.float32(0)), near)
        odd = (toward.view(np.uint32) | np.uint32(1)).view(np.float32)
        return np.where(inexact, odd, near).astype(dtype)


def _widened(x):
    return x.astype(np.float32) if isinstance(x, np.ndarray) and is_half(x.dtype) else x


def _maximum(x, y):
    """+0 is above -0; NaN wins."""
    found = np.maximum(x, y)
    return np.where((x == 0) & (y == 0), x + y, found) if found.dtype.kind == "f" else found


def _minimum(x, y):
    found = np.minimum(x, y)
    return np.where((x == 0) & (y == 0), -(-x + -y), found) if found.dtype.kind == "f" else found


def _integer_pow(x, y):
    """Wraps; a negative power is 1 / x ** -y cut to an integer, where 0 gives 0."""
    found = np.power(x, np.where(y < 0, 0, y).astype(y.dtype))
    sign = np.where(y % 2 == 0, 1, -1)
    inverse = np.where(x == 1, 1, np.where(x == -1, sign, 0)) if x.dtype.kind == "i" else x == 1
    return np.where(y < 0, inverse.astype(found.dtype), found)


def _to_integer(x, dtype):
    """Toward zero, saturating; NaN gives 0."""
    info = np.iinfo(dtype)
    flat = []
    for v in np.asarray(x, np.float64).ravel().tolist():
        if v != v:
            flat.append(0)
        elif math.isinf(v):
            flat.append(info.max if v > 0 else info.min)
        else:
            flat.append(min(max(int(v), info.min), info.max))
    return np.array(flat, dtype).reshape(np.shape(x))


def cast(x, dtype):
    """The documented conversion."""
    if dtype.kind in "iu" and (x.dtype.kind == "f" or is_half(x.dtype)):
        return _to_integer(_widened(x), dtype)
    if dtype.kind == "b":
        return _widened(x) != 0
    if is_half(dtype):
        return rounded(_widened(x).astype(np.longdouble), dtype)
    return _widened(x).astype(dtype)


def _exact(name, args):
    """An operation that NumPy computes exactly, or rounds once, in the operands' common type."""
    if name == "maximum":
        return _maximum(*args)
    if name == "minimum":
        return _minimum(*args)
    if name == "pow":
        return _integer_pow(*args)
    if name == "round":
        return np.round(args[0])
    return getattr(np, NAMES.get(name, name))(*args)


def _check_math(name, args, got):
    if got.dtype != args[0].dtype:
        return np.zeros(got.shape, args[0].dtype), None
    # A float64 function of its own reference is one rounding further away.
    limit = MATH[name] if got.dtype != np.float64 else 2
    want = reference(name, args)
    if is_half(got.dtype):
        near = ulp_distance(got, rounded(want, got.dtype)) <= 1
        return want, near
    rounded_want = want.astype(got.dtype)
    size = np.spacing(np.abs(np.where(np.isfinite(rounded_want), rounded_want, 0)))
    error = np.abs(got.astype(want.dtype) - want) / size
    near = (ulp_distance(got, rounded_want) == 0) | (np.isfinite(got) & (error <= limit))
    # Beside the largest number infinity is one step away.
    near |= ulp_distance(got, rounded_want) <= (np.abs(rounded_want) >= np.finfo(got.dtype).max)
    near &= (want != 0) | (got != 0) | (np.signbit(got) == np.signbit(want))
    if name in ABSOLUTE:
        near |= np.abs(got - want) <= ABSOLUTE[name] * np.finfo(got.dtype).eps
    return want, near


def _elementwise(name, operands, got):
    """The expected result and which elements agree with it."""
    # The type that the operands are converted to is NumPy's choice, but for bfloat16.
    args = list(operands)
    arrays = [a for a in args if isinstance(a, np.ndarray)]
    if name in COMPARISONS and arrays[0].dtype.kind in "iu" and len(arrays) == 1:
        # An int beyond the type compares as the number it is.
        return getattr(np, name)(*[a.value if isinstance(a, Number) else a for a in args]), None
    if name in ("logical_and", "logical_or", "logical_xor", "logical_not"):
        args = [cast(a, np.dtype(bool)) for a in _numbers(args, arrays)]
    else:
        args = _converted(name, args, arrays)
    kind = args[0].dtype
    if name in MATH and (kind.kind == "f" or kind == BF16):
        return _check_math(name, args, got)
    if name in MATH and name != "pow":
        raise AssertionError(f"{name} of {kind}")
    if name == "floor_divide" and kind.name in DIGITS:
        return floor_divide(*args), None
    want = _exact(name, [_widened(a) for a in args])
    if is_half(kind) and want.dtype == np.float32:
        want = rounded(want, kind)
    return want, None


def _numbers(args, arrays):
    """Python numbers as arrays of the type that they take beside these."""
    return [a if isinstance(a, np.ndarray) else np.asarray(a.value) for a in args]


def _converted(name, args, arrays):
    if any(a.dtype == BF16 for a in arrays):
        dtypes = {a.dtype for a in arrays}
        common = BF16 if dtypes <= {BF16, np.dtype(bool), np.dtype("i1"), np.dtype("u1")} else None
        if common is None:
            wide = [np.dtype(np.float32) if is_half(d) else d for d in dtypes]
            common = np.result_type(*wide)
    else:
        ufunc = getattr(np, NAMES.get(name, name), None)
        if name == "round":
            return [args[0]]
        keys = [a.dtype if isinstance(a, np.ndarray) else type(a.value) for a in args]
        if isinstance(ufunc, np.ufunc):
            common = ufunc.resolve_dtypes((*keys, *[None] * ufunc.nout))[: len(keys)]
        else:
            common = np.expm1.resolve_dtypes((*keys, None))[0]
    targets = common if isinstance(common, tuple) else [common] * len(args)
    found = []
    for a, dtype in zip(args, targets, strict=True):
        if isinstance(a, np.ndarray):
            found.append(cast(a, dtype))
        elif dtype.kind in "iub":
            found.append(np.asarray(a.value, dtype))
        else:
            found.append(rounded(np.float64(a.value), dtype))
    return found


def _sum_like(name, x, axis, keepdims, got):
    """Sums, means, products: within the rounding of any order of the terms."""
    options = {"axis": axis, "keepdims": keepdims}
    dtype = x.dtype
    if dtype.kind in "biu":
        wide = np.uint64 if dtype.kind == "u" else np.int64
        dtype = np.dtype(np.float64 if name == "mean" else wide)
    if got.dtype != dtype:
        return np.zeros(got.shape, dtype), None
    if dtype.kind in "iu":
        return getattr(np, name)(x, dtype=got.dtype, **options), None
    x = _widened(x)
    if x.dtype.kind != "f":
        x = x.astype(got.dtype)
    inner = np.float64 if got.dtype == np.float64 else np.float32
    wide = x.astype(np.longdouble)
    count = x.size / max(got.size, 1)
    eps = np.finfo(inner).eps
    if name == "prod":
        # Partial products stay in range if the magnitudes' logarithms do, whatever the order.
        logs = np.abs(np.log2(np.abs(np.where(wide == 0, 1, wide))))
        tame = np.sum(logs, **options) < (120 if inner is np.float32 else 1000)
        want = np.prod(wide, **options)
        bound = np.abs(want) * eps * (count + 1)
    else:
        want = getattr(np, name)(wide, **options)
        magnitude = np.sum(np.abs(wide), **options)
        tame = magnitude < np.finfo(inner).max / 2
        bound = magnitude * eps * (min(count, 256) + math.log2(count + 1) + 2)
        bound = bound / (count if name == "mean" else 1)
    if is_half(got.dtype):
        # The float32 result rounded once: between the roundings of the bounds.
        low, high = rounded(want - bound, got.dtype), rounded(want + bound, got.dtype)
        near = (_widened(got) >= _widened(low)) & (_widened(got) <= _widened(high))
    else:
        error = np.abs(got.astype(np.longdouble) - want)
        near = error <= bound + np.finfo(got.dtype).smallest_subnormal * (count + 1)
    special = np.isnan(want) & np.isnan(_widened(got))
    same_infinity = np.isinf(want) & (_widened(got) == want)
    undecided = ~tame & ~np.isnan(want) & ~np.isinf(want)  # an overflow on the way
    if name == "prod":
        undecided = undecided | ~tame
    if name != "prod":
        undecided |= np.isinf(want) & ~np.isinf(wide).any(axis=axis, keepdims=keepdims)
    return want, near & tame | special | same_infinity | undecided


def _variance(x, options, got):
    """float64 inside: what remains is its rounding, relative to the squares, and the result's."""
    kind = x.dtype if x.dtype.kind == "f" or is_half(x.dtype) else np.dtype(np.float64)
    if got.dtype != kind:
        return np.zeros(got.shape, kind), None
    wide = _widened(x).astype(np.longdouble)
    want = np.var(wide, **options)
    count = x.size / max(got.size, 1)
    squares = np.max(np.abs(wide), initial=0, **options) ** 2
    bound = squares * (np.finfo(np.float64).eps * (count + 8))
    low, high = rounded(want - bound, kind), rounded(want + bound, kind)
    near = (_widened(got) >= _widened(low)) & (_widened(got) <= _widened(high))
    # A square beyond float64 may be infinite; infinities less their mean are NaN.
    near |= np.isnan(want) & np.isnan(_widened(got))
    return want, near | ~(squares * count < np.finfo(np.float64).max) & ~np.isnan(want)


def _extreme(name, x, axis, keepdims):
    """NaN wins, +0 is above -0."""
    run = np.max if name == "max" else np.min
    wide = _widened(x)
    found = run(wide, axis=axis, keepdims=keepdims)
    if found.dtype.kind == "f":
        plus = ((wide == 0) & ~np.signbit(wide)).any(axis=axis, keepdims=keepdims)
        minus = ((wide == 0) & np.signbit(wide)).any(axis=axis, keepdims=keepdims)
        zero = np.where(plus, 0.0, -0.0) if name == "max" else np.where(minus, -0.0, 0.0)
        found = np.where(found == 0, zero.astype(found.dtype), found)
    return found.astype(x.dtype)


def _reduction(name, x, options, got):
    axis, keepdims = options["axis"], options["keepdims"]
    if name in ("sum", "prod", "mean"):
        return _sum_like(name, x, axis, keepdims, got)
    if name == "var":
        return _variance(x, options, got)
    if name in ("max", "min"):
        return _extreme(name, x, axis, keepdims), None
    if name in ("any", "all"):
        return getattr(np, name)(cast(x, np.dtype(bool)), axis=axis, keepdims=keepdims), None
    # Positions of NaN, which bfloat16 has as well: see it as float32.
    found = getattr(np, name)(_widened(x), axis=axis, keepdims=keepdims)
    return np.asarray(found, np.int64), None


def expected(step, operands, got):
    """What the step should give, and a mask of the elements that do, or None for exactly that."""
    name, options = step.name, step.options
    x = operands[0]
    if name == "index":
        return eval(f"x[{options[0]}]", {"x": x}), None
    if name in SHAPED:
        return getattr(np, name)(x, eval(options[0].format(x="x"), {"x": x})), None
    if name in VIEWS:
        return getattr(np, name)(x, *[value for _, value in options]), None
    if name == "astype":
        return cast(x, getattr(pf, options[0]).numpy), None
    if name in REDUCTIONS + SEARCHES:
        return _reduction(name, x, dict(options), got)
    if name == "where":
        test = cast(x, np.dtype(bool))
        y, z = _converted("add", list(operands[1:]), [a for a in operands[1:]])
        return np.where(test, y, z), None
    if name == "clip":
        return _clip(operands), None
    return _elementwise(name, operands, got)


def _clip(operands):
    x, low, high = operands
    if x.dtype.kind in "iu":
        info = np.iinfo(x.dtype)
        low, high = (Number(min(max(n.value, info.min), info.max)) for n in (low, high))
        return np.minimum(np.maximum(x, x.dtype.type(low.value)), x.dtype.type(high.value))
    x, low, high = _converted("add", [x, low], [x]) + _converted("add", [x, high], [x])[1:]
    found = _minimum(_maximum(_widened(x), _widened(low)), _widened(high))
    return found.astype(x.dtype)


def check(step, operands, got):
    """None if the step's result is right, else what is wrong with it.

    Args:
        step: a step of a random program.
        operands: NumPy arrays and `Number`s.
        got: the result as a NumPy array.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # means of nothing
        want, near = expected(step, operands, got)
        want = np.asarray(want)
        if want.shape != got.shape:
            return f"shape {got.shape}, not {want.shape}"
        if near is None:
            if want.dtype != got.dtype:
                return f"{got.dtype}, not {want.dtype}"
            near = equal_bits(got, want)
    near = np.asarray(near)
    if near.all():
        return None
    index = tuple(int(i) for i in np.argwhere(~near)[0])
    from_ = [o.text() if isinstance(o, Number) else _at(o, got.shape, index) for o in operands]
    return f"at {index}: {got[index]!r}, not {want[index]!r}, of {', '.join(from_)}"


def _at(x, shape, index):
    """The element that an element of the result came from, if that is one element."""
    try:
        return f"{np.broadcast_to(x, shape)[index]!r}"
    except ValueError:
        return f"{x.dtype}{list(x.shape)}"
