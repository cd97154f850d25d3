# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the CPU's lowering of each operation computes, against NumPy, at every corner case."""

from __future__ import annotations

import numpy as np
import pytest
from exact_functions import floor_divide
from lowering_kernels import Kernel, elementwise, mlir_type

INTS = [np.dtype(f"{k}{n}").type for k in "iu" for n in (1, 2, 4, 8)]
FLOATS = [np.float32, np.float64]
RNG = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def values(dtype: type) -> np.ndarray:
    """Corner cases and random values."""
    if dtype is np.bool_:
        return np.array([False, True])
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        bits = info.bits
        near = [0, 1, 2, 3, 5, 7, 10, bits - 1, bits, bits + 1, info.max, info.max - 1]
        near += [info.max // 2, info.max // 3]
        near += [-v for v in near] + [info.min, info.min + 1] if info.min else []
        random = RNG.integers(info.min, info.max, 20, dtype, endpoint=True)
        return np.concatenate([np.array(near, dtype), random, random >> dtype(bits // 2)])
    info = np.finfo(dtype)
    some = [0.0, 0.5, 1.0, 1.5, 2.5, 3.0, 7.0, 1e9, 2.0**31, 2.0**63, np.inf, np.nan]
    some += [info.max, info.tiny, info.smallest_subnormal, info.tiny / 8, info.eps, 0.1]
    some += [127.5, 128, 255.5, 256, 32768.5, 65536, 2.0**32 - 256, 2.0**64]
    random = RNG.standard_normal(12) * 10.0 ** RNG.integers(-30, 30, 12)
    all_ = np.array([*some, *random], dtype)
    return np.concatenate([all_, -all_])


def pairs(dtype: type) -> tuple[np.ndarray, np.ndarray]:
    v = values(dtype)
    a, b = np.meshgrid(v, v)
    return a.ravel().copy(), b.ravel().copy()


def check(got: np.ndarray, want: np.ndarray, what: str, *inputs: np.ndarray) -> None:
    """Same bits, but for NaN."""
    assert got.dtype == want.dtype, what
    same = got == want
    if np.issubdtype(got.dtype, np.floating):
        same &= np.signbit(got) == np.signbit(want)
        same |= np.isnan(got) & np.isnan(want)
    if not same.all():
        i = np.flatnonzero(~same)[0]
        operands = [a[i] if getattr(a, "ndim", 0) else a for a in inputs]
        raise AssertionError(f"{what}{operands}: {got[i]!r}, not {want[i]!r}")


def run(ops: list[tuple[str, type, np.ndarray]], *inputs: np.ndarray | np.generic) -> None:
    """Each operation on all inputs (or on the first), in one kernel."""
    types = [
        f"tensor<?x{mlir_type(a.dtype)}>" if a.ndim else f"tensor<{mlir_type(a.dtype)}>"
        for a in inputs
    ]
    lines = []
    for i, (name, _, _) in enumerate(ops):
        op, _, to = name.partition(" to ")
        count = 1 if to or op in UNARY else len(inputs)
        operands = ", ".join(f"%{'abc'[n]}" for n in range(count))
        suffix = f" to {to}" if to else ""
        lines.append(f"%r{i} = fusion.{op} {operands} : {', '.join(types[:count])}{suffix}")
    got = elementwise(lines, inputs, [t for _, t, _ in ops])
    for (name, _, want), result in zip(ops, got, strict=True):
        check(result, want, f"{name} of {types}", *inputs)


UNARY = {
    "negative", "abs", "sign", "floor", "ceil", "trunc", "round", "sqrt", "isnan", "isinf",
    "isfinite", "logical_not", "bitwise_invert",
}  # fmt: skip
COMPARE = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
}
ARITHMETIC = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "floor_divide": np.floor_divide,
    "remainder": np.remainder,
}
FLOAT_ARITHMETIC = ARITHMETIC | {"floor_divide": floor_divide}
BITS = {
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "bitwise_left_shift": np.left_shift,
    "bitwise_right_shift": np.right_shift,
}


def larger(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """np.maximum, where +0 is above -0."""
    zero = (a == 0) & (b == 0)
    return np.where(zero, np.where(np.signbit(a), b, a), np.maximum(a, b))


def smaller(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return -larger(-a, -b)


def int_power(base: int, exponent: int, bits: int, signed: bool) -> int:
    if exponent >= 0:
        r = pow(base, exponent, 2**bits)
    else:
        r = {1: 1, -1: -1 if exponent % 2 else 1}.get(base, 0)
    r %= 2**bits
    return r - 2**bits if signed and r >= 2 ** (bits - 1) else r


@pytest.mark.parametrize("dtype", INTS)
def test_binary_operations_on_integers(dtype: type):
    a, b = pairs(dtype)
    info = np.iinfo(dtype)
    power = [int_power(int(x), int(y), info.bits, info.min < 0) for x, y in zip(a, b, strict=True)]
    run(
        [
            *((n, dtype, f(a, b)) for n, f in (ARITHMETIC | BITS).items()),
            *((n, np.bool_, f(a, b)) for n, f in COMPARE.items()),
            ("maximum", dtype, np.maximum(a, b)),
            ("minimum", dtype, np.minimum(a, b)),
            ("pow", dtype, np.array(power, dtype)),
        ],
        a,
        b,
    )


@pytest.mark.parametrize("dtype", FLOATS)
def test_binary_operations_on_floats(dtype: type):
    a, b = pairs(dtype)
    run(
        [
            *((n, dtype, f(a, b)) for n, f in FLOAT_ARITHMETIC.items()),
            *((n, np.bool_, f(a, b)) for n, f in COMPARE.items()),
            ("divide", dtype, np.divide(a, b)),
            ("maximum", dtype, larger(a, b)),
            ("minimum", dtype, smaller(a, b)),
        ],
        a,
        b,
    )


@pytest.mark.parametrize("dtype", [*INTS, *FLOATS])
def test_unary_operations(dtype: type):
    a = values(dtype)
    ops = [
        ("negative", dtype, np.negative(a)),
        ("abs", dtype, np.abs(a)),
        ("sign", dtype, np.sign(a) + dtype(0)),
        ("isnan", np.bool_, np.isnan(a)),
        ("isinf", np.bool_, np.isinf(a)),
        ("isfinite", np.bool_, np.isfinite(a)),
    ]
    if dtype in FLOATS:
        ops += [(n, dtype, getattr(np, n)(a)) for n in ("floor", "ceil", "trunc", "sqrt")]
        ops.append(("round", dtype, np.rint(a)))
    else:
        ops.append(("bitwise_invert", dtype, np.invert(a)))
    run(ops, a)


def test_booleans():
    a, b = pairs(np.bool_)
    logic = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}
    run(
        [
            *((f"logical_{n}", np.bool_, f(a, b)) for n, f in logic.items()),
            *((f"bitwise_{n}", np.bool_, f(a, b)) for n, f in logic.items()),
            *((n, np.bool_, f(a, b)) for n, f in COMPARE.items()),
            ("add", np.bool_, a | b),
            ("multiply", np.bool_, a & b),
            ("maximum", np.bool_, a | b),
            ("minimum", np.bool_, a & b),
            ("logical_not", np.bool_, ~a),
            ("abs", np.bool_, a),
        ],
        a,
        b,
    )


def test_any_byte_that_is_not_zero_is_true():
    a = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    run([("logical_not", np.bool_, np.array([True, False, False, False]))], a)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("scalar", [False, True])
def test_uniform_divisor(dtype: type, scalar: bool):
    """Its reciprocal is computed once; each corner case is a divisor."""
    a = values(dtype)
    t = mlir_type(dtype)
    lines = []
    if scalar:
        lines.append(f"%u = fusion.full %b [] : {t} to tensor<{t}>")
    name = "%u" if scalar else "%b"
    for i, op in enumerate(("floor_divide", "remainder")):
        lines.append(f"%r{i} = fusion.{op} %a, {name} : tensor<?x{t}>, tensor<{t}>")
    types = f"tensor<?x{t}>, tensor<?x{t}>"
    kernel = Kernel(
        f"func.func private @k(%a: tensor<?x{t}>, %b: {t if scalar else f'tensor<{t}>'}) -> "
        f'({types}) attributes {{fusion.kernel = "elementwise", fusion.flat}} {{\n'
        + "\n".join(lines)
        + f"\nreturn %r0, %r1 : {types}\n}}"
    )
    for b in a:
        outs = np.empty_like(a), np.empty_like(a)
        kernel.call("k", a, b if scalar else np.array(b), *outs, 0, a.size)
        check(outs[0], np.floor_divide(a, b), "floor_divide", a, b)
        check(outs[1], np.remainder(a, b), "remainder", a, b)


def saturated(a: np.ndarray, dtype: type) -> np.ndarray:
    info = np.iinfo(dtype)
    r = []
    for x in a.astype(np.float64):
        if np.isnan(x):
            r.append(0)
        elif np.isinf(x):
            r.append(info.max if x > 0 else info.min)
        else:
            r.append(min(max(int(x), info.min), info.max))
    return np.array(r, dtype)


@pytest.mark.parametrize("source", [np.bool_, *INTS, np.float16, *FLOATS])
def test_casts(source: type):
    a = values(source)
    ops = []
    for target in [np.bool_, *INTS, np.float16, *FLOATS]:
        if target is source:
            continue
        from_float = np.issubdtype(source, np.floating)
        to_int = np.issubdtype(target, np.integer)
        want = saturated(a, target) if from_float and to_int else a.astype(target)
        ops.append((f"cast to tensor<?x{mlir_type(target)}>", target, want))
    run(ops, a)


def test_half_precision_rounds_at_each_operation():
    a, b = pairs(np.float16)
    run(
        [
            *((n, np.float16, f(a, b)) for n, f in FLOAT_ARITHMETIC.items()),
            ("divide", np.float16, np.divide(a, b)),
            ("maximum", np.float16, larger(a, b)),
            ("less", np.bool_, np.less(a, b)),
        ],
        a,
        b,
    )


@pytest.mark.parametrize("dtype", FLOATS)
def test_clamp_and_select(dtype: type):
    a, b = pairs(dtype)
    c = np.roll(a, 5)
    run([("clamp", dtype, smaller(larger(a, b), c))], a, b, c)
    t = mlir_type(dtype)
    line = f"%r0 = fusion.select %a, %b, %c : tensor<?xi1>, tensor<?x{t}>, tensor<?x{t}>"
    (got,) = elementwise([line], [a > 0, b, c], [dtype])
    check(got, np.where(a > 0, b, c), "select")


def test_iota_scalars_and_constants():
    lines = [
        "%n = arith.constant 9 : index",
        "%i = fusion.iota %b, %c [%n] : f32, f32 to tensor<?xf32>",
        "%k = fusion.constant dense<2.5> : tensor<f32>",
        "%s = fusion.multiply %k, %d : tensor<f32>, tensor<f32>",
        "%x = fusion.add %a, %i : tensor<?xf32>, tensor<?xf32>",
        "%r0 = fusion.add %x, %s : tensor<?xf32>, tensor<f32>",
        "%r1 = fusion.full %e [%n] : i1 to tensor<?xi1>",
    ]
    a = np.arange(9, dtype=np.float32)
    start, step, uniform = np.float32(3), np.float32(-0.5), np.array(4, np.float32)
    sum_, full = elementwise(lines, [a, start, step, uniform, np.True_], [np.float32, np.bool_])
    np.testing.assert_array_equal(sum_, a + (3 - a / 2) + 10)
    assert full.all()


def test_only_the_range_is_written_and_an_argument_is_overwritten():
    kernel = Kernel(
        "func.func private @k(%a: tensor<?xf32>, %b: tensor<?xf32>)"
        " -> (tensor<?xf32>, tensor<?xf32>) attributes {fusion.kernel ="
        ' "elementwise", fusion.flat, fusion.takes_over = array<i64: -1, 0>} {\n'
        "%0 = fusion.subtract %b, %a : tensor<?xf32>, tensor<?xf32>\n"
        "%1 = fusion.add %a, %b : tensor<?xf32>, tensor<?xf32>\n"
        "return %0, %1 : tensor<?xf32>, tensor<?xf32>\n}"
    )
    a, b = (RNG.standard_normal(200).astype(np.float32) for _ in range(2))
    before, difference = a.copy(), np.zeros_like(a)
    kernel.call("k", a, b, difference, 50, 130)
    np.testing.assert_array_equal(a[50:130], (before + b)[50:130])
    np.testing.assert_array_equal(a[:50], before[:50])
    np.testing.assert_array_equal(a[130:], before[130:])
    np.testing.assert_array_equal(difference[50:130], (b - before)[50:130])
    assert not difference[:50].any() and not difference[130:].any()


def reduction(name: str, dtype: type, form: str, mean: bool = False) -> Kernel:
    t = mlir_type(dtype)
    axis = 1 if form == "row" else 0
    divide = ", fusion.mean" if mean else ""
    return Kernel(
        f"func.func private @k(%x: tensor<?x?x{t}>) -> tensor<?x{t}> attributes"
        f' {{fusion.kernel = "reduction", fusion.flat, fusion.form = "{form}"}} {{\n'
        f"%r = fusion.{name} %x axes [{axis}] : tensor<?x?x{t}>\nreturn %r : tensor<?x{t}>\n}}\n"
        f"func.func private @k_finish(%p: tensor<?x?x{t}>) -> tensor<?x{t}> attributes"
        f' {{fusion.finish = "{name}", fusion.flat{divide}}} {{\n'
        f"%r = fusion.{name} %p axes [0] : tensor<?x?x{t}>\nreturn %r : tensor<?x{t}>\n}}"
    )


NAMES = [
    *((n, d) for n in ("sum", "prod", "max", "min") for d in (np.float32, np.float64)),
    *((n, d) for n in ("sum", "prod", "max", "min") for d in INTS),
    *((n, np.bool_) for n in ("max", "min", "any", "all")),
]


@pytest.mark.parametrize("form", ["row", "col"])
@pytest.mark.parametrize("name, dtype", NAMES)
def test_reductions(name: str, dtype: type, form: str):
    kernel = reduction(name, dtype, form)
    for rows, columns in [(1, 1), (3, 7), (5, 64), (2, 200), (70, 3), (4, 0), (0, 4)]:
        if np.issubdtype(dtype, np.floating):
            x = RNG.standard_normal((rows, columns + 3)).astype(dtype)
        else:
            x = RNG.integers(0, 2 if dtype is np.bool_ else 100, (rows, columns + 3)).astype(dtype)
        x = x[:, :columns]  # rows are not adjacent
        axis, kept = (1, rows) if form == "row" else (0, columns)
        if x.shape[axis] == 0 and name in ("max", "min"):
            continue
        partial = np.zeros(kept, dtype)
        kernel.call("k", x, partial, rows, columns)
        exact = np.float64 if np.issubdtype(dtype, np.floating) else dtype
        kwargs = {"dtype": exact} if name in ("sum", "prod") else {}
        want = getattr(np, name)(x, axis=axis, **kwargs)
        if exact is np.float64:
            scale = np.abs(x).sum(axis) if name == "sum" else np.abs(want)
            assert (np.abs(partial - want) <= 8 * np.finfo(dtype).eps * (scale + 1e-30) * 8).all()
        else:
            np.testing.assert_array_equal(partial, want)


def test_a_row_is_added_in_64_lanes():
    x = RNG.standard_normal((1, 1000)).astype(np.float32)
    lanes = np.zeros(64, np.float32)
    for i, v in enumerate(x[0]):
        lanes[i % 64] += v
    while lanes.size > 1:
        lanes = lanes[: lanes.size // 2] + lanes[lanes.size // 2 :]
    partial = np.zeros(1, np.float32)
    reduction("sum", np.float32, "row").call("k", x, partial, 1, 1000)
    assert partial[0] == lanes[0]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_wins_in_max(value: float):
    x = np.full((1, 100), -np.inf, np.float32)
    x[0, 50] = value
    partial = np.zeros(1, np.float32)
    reduction("max", np.float32, "row").call("k", x, partial, 1, 100)
    np.testing.assert_array_equal(partial, x.max(1))


@pytest.mark.parametrize("chunks", [1, 2, 5, 8])
def test_finish_adds_chunks_in_pairs_and_divides_a_mean(chunks: int):
    partials = RNG.standard_normal((chunks, 9)).astype(np.float32)
    tree = [*partials.copy()]
    step = 1
    while step < chunks:
        for c in range(0, chunks - step, 2 * step):
            tree[c] = tree[c] + tree[c + step]
        step *= 2
    out = np.zeros(9, np.float32)
    kernel = reduction("sum", np.float32, "row", mean=True)
    kernel.call("k_finish", partials, out, 77, 2, 9)
    np.testing.assert_array_equal(out[2:], (tree[0] / np.float32(77))[2:])
    assert not out[:2].any()
