# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes CoefficientsF32.h and CoefficientsF64.h; needs sollya and mpmath. A few minutes.

The polynomials come from the .sollya files, the constants and the splitting into terms from here.
"""

import itertools
import pathlib
import re
import struct
import subprocess

import mpmath as mp

HERE = pathlib.Path(__file__).parent
SCRIPTS = ("coefficients", "inverse", "hyperbolic", "short")
# Leading coefficients needed with more digits than the format has: table -> their powers of x.
SPLIT = {
    "f64.powLog": (1, 3),
    "f64.powExp": (1,),
    "f64.sinQuarter": (1,),
    "f32.sincTail": (2,),
    "f64.sincTail": (2,),
}

mp.mp.prec = 2600


def nearest(kind, value):
    """The f32 or f64 nearest to `value`, as a Python float."""
    double = float(value)
    if kind == "f64":
        return double
    single = struct.unpack("<f", struct.pack("<f", double))[0]
    # Two roundings differ from one only on a tie, which no constant here meets.
    assert abs(value - single) <= mp.ldexp(1, mp.frexp(value)[1] - 25) if value else True
    return single


def pieces(kind, value, count):
    """`value` as a sum of `count` numbers, each the nearest to what is left."""
    out = []
    for _ in range(count):
        out.append(nearest(kind, value))
        value = value - mp.mpf(out[-1])
    return out


def short_head(kind, value, bits):
    """hi + lo, hi having `bits` bits: its product with a small integer is exact."""
    shift = bits - mp.frexp(value)[1]
    hi = mp.ldexp(mp.nint(mp.ldexp(value, shift)), -shift)
    return [float(hi), nearest(kind, value - hi)]


def without_multiples(value, exponent):
    """`value` less its multiples of 2**exponent."""
    return value - mp.ldexp(mp.floor(mp.ldexp(value, -exponent)), exponent)


def digits(value, bits, count):
    """`value` as a sum of d[j] 2**(-bits j): multiples of 2**-bits, |d[j]| <= 1/2 for j > 0."""
    out = []
    for _ in range(count):
        out.append(mp.ldexp(mp.nint(mp.ldexp(value, bits)), -bits))
        value = mp.ldexp(value - out[-1], bits)
    return [float(d) for d in out]


def constants():
    """(name, description, numbers) of what is no polynomial."""
    ln2, pi = mp.log(2), mp.pi
    for kind in ("f32", "f64"):
        yield f"{kind}.log2e", "1 / ln 2", pieces(kind, 1 / ln2, 2)
        yield f"{kind}.log10e", "1 / ln 10", pieces(kind, 1 / mp.log(10), 2)
        yield f"{kind}.ln2", "ln 2 = hi + lo", pieces(kind, ln2, 2)
        yield f"{kind}.halfPi", "pi / 2", pieces(kind, pi / 2, 3)
        yield f"{kind}.fullPi", "pi", pieces(kind, pi, 2)
    yield "f64.stirlingConstant", "(log(2 pi) - 1) / 2", pieces("f64", (mp.log(2 * pi) - 1) / 2, 1)
    log10of2 = mp.log10(2)
    yield "f32.ln2Short", "ln 2 = hi + lo, hi of 15 bits", short_head("f32", ln2, 15)
    what = "log10 2 = hi + lo, hi of 15 bits"
    yield "f32.log10Of2Short", what, short_head("f32", log10of2, 15)
    for drop in (None, 20, 40, 61, 82):
        value = 2 / pi if drop is None else without_multiples(2 / pi, -drop)
        what = "2 / pi" if drop is None else f"2 / pi less its multiples of 2^-{drop}"
        yield f"f32.twoOverPi{drop or 0}", f"{what}, for use in f64", pieces("f64", value, 2)
    yield "f64.ln2Short", "ln 2 = hi + lo, hi of 40 bits", short_head("f64", ln2, 40)
    what = "log10 2 = hi + lo, hi of 40 bits"
    yield "f64.log10Of2Short", what, short_head("f64", log10of2, 40)
    what = "2 / pi = sum of d[j] 2^(-49 j), d[j] multiples of 2^-49, |d[j]| <= 1/2 for j > 0"
    yield "f64.twoOverPi", what, digits(2 / pi, 49, 24)


def exact(text):
    """A hexadecimal number of any length."""
    digits, _, exponent = text.partition("p")
    whole, _, fraction = digits.replace("0x", "").partition(".")
    return mp.ldexp(int(whole + fraction, 16), int(exponent or 0) - 4 * len(fraction))


def polynomials():
    """(name, description, numbers) as fitted by sollya."""
    # coefficients.sollya comes first: it has the procedures that the others use.
    script = "".join((HERE / f"{name}.sollya").read_text() for name in SCRIPTS) + "quit;"
    text = subprocess.run(
        ["sollya", "/dev/stdin"], input=script, capture_output=True, text=True, check=True
    ).stdout
    for block in text.split("table ")[1:]:
        head, *lines = block.strip().splitlines()
        name, what = head.split(" ", 1)
        numbers = [exact(line[2:]) for line in lines if line.startswith("c ")]
        error = mp.log(mp.mpf(next(line[2:] for line in lines if line.startswith("e "))), 2)
        for power in SPLIT.get(name, ()):
            split = pieces(name[:3], numbers.pop(0), 2)
            yield f"{name}{power}", f"coefficient of x^{power} of the next, hi + lo", split
        yield name, f"{what}; error 2^{float(error):.1f}", [float(number) for number in numbers]


def interpolated(function, low, high, degree):
    """The powers' coefficients of the polynomial through the Chebyshev nodes of low .. high."""
    count = degree + 1
    middle, half = (low + high) / 2, (high - low) / 2
    nodes = [middle + half * mp.cos((i + 0.5) * mp.pi / count) for i in range(count)]
    values = [function(x) for x in nodes]
    for j in range(1, count):  # Newton's divided differences
        for i in range(count - 1, j - 1, -1):
            values[i] = (values[i] - values[i - 1]) / (nodes[i] - nodes[i - j])
    powers = [mp.mpf(0)] * count
    for node, value in zip(reversed(nodes), reversed(values), strict=True):
        powers = [value - node * powers[0]] + [
            below - node * own for below, own in itertools.pairwise(powers)
        ]
    return powers


def rational(function, low, high, degree):
    """Numerator and denominator, of one degree, of the quotient through the Chebyshev nodes."""
    count = 2 * degree + 1
    middle, half = (low + high) / 2, (high - low) / 2
    nodes = [middle + half * mp.cos((i + 0.5) * mp.pi / count) for i in range(count)]
    values = [function(x) for x in nodes]
    rows = [
        [x**j for j in range(degree + 1)] + [-v * x**j for j in range(1, degree + 1)]
        for x, v in zip(nodes, values, strict=True)
    ]
    found = list(mp.lu_solve(mp.matrix(rows), mp.matrix(values)))
    return found[: degree + 1], [mp.mpf(1), *found[degree + 1 :]]


def tan_quarter(z):
    """tan(pi/2 f) / f, z = f^2"""
    f = mp.sqrt(z)
    return mp.tan(mp.pi / 2 * f) / f


def erfc_scaled(pole):
    def function(q):
        """(1 + 2 a) e^(a^2) erfc a as a function of (a - pole) / (a + pole)."""
        a = pole * (1 + q) / (1 - q)
        return (1 + 2 * a) * mp.exp(a * a) * mp.erfc(a)

    return function


def gamma_middle(x):
    """lgamma a / ((a - 1) (a - 2)), a = x + 1.875."""
    a = x + 1.875
    return mp.loggamma(a) / ((a - 1) * (a - 2))


def gamma_rest(w):
    """What Stirling's formula leaves of lgamma a, times a; w = 1 / a^2."""
    a = 1 / mp.sqrt(w)
    return a * (mp.loggamma(a) - ((a - 0.5) * mp.log(a) - a + mp.log(2 * mp.pi) / 2))


def interpolations():
    """(name, description, numbers) of the functions that sollya does not have."""
    mp.mp.prec = 200
    for name, powers in zip(
        ("tanNumerator", "tanDenominator"),
        rational(tan_quarter, mp.mpf(0), mp.mpf("0.2501"), 2),
        strict=True,
    ):
        yield f"f32.{name}", f"{tan_quarter.__doc__}, for use in f64", [float(c) for c in powers]
    stirling = gamma_rest, mp.ldexp(1, -60), 1 / mp.mpf(9)
    middle = gamma_middle, mp.mpf(-1.125), mp.mpf(1.125)
    rows = (
        ("f32.erfcScaled", erfc_scaled(3), mp.mpf(-1), mp.mpf(7.1) / 13.1, 11),
        ("f64.erfcScaled", erfc_scaled(4), mp.mpf(-1), mp.mpf(23.3) / 31.3, 23),
        ("f32.gammaMiddle", *middle, 17),
        ("f64.gammaMiddle", *middle, 34),
        ("f32.gammaRest", *stirling, 5),
        ("f64.gammaRest", *stirling, 11),
    )
    for name, function, low, high, degree in rows:
        powers = interpolated(function, low, high, degree)
        if name == "f64.gammaMiddle" or name == "f64.erfcScaled":
            yield (
                f"{name}0",
                "coefficient of x^0 of the next, hi + lo",
                pieces("f64", powers.pop(0), 2),
            )
        what = " ".join(function.__doc__.rstrip(".").split())
        yield name, f"{what}; {float(low):.3g} .. {float(high):.3g}", [float(c) for c in powers]


def literal(number):
    """The shortest exact C++ literal."""
    if number == int(number) and abs(number) < 1e6:
        return f"{number:.1f}"
    return re.sub(r"\.?0*p\+?", "p", number.hex())


def header(kind, tables):
    guard = f"PYFUSION_DIALECTS_MATH_COEFFICIENTS{kind.upper()}_H"
    lines = [
        "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
        "//",
        "// Written by coefficients.py; do not edit.",
        "// Polynomials: lowest degree first, only the powers of x that occur.",
        "",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        f"namespace mlir::fusion::{kind} {{",
        "",
    ]
    for name, what, numbers in tables:
        if not name.startswith(kind):
            continue
        lines.append(f"// {what}")
        text = ", ".join(map(literal, numbers))
        rows = re.findall(r".{1,100}(?:, |$)", text)
        lines.append(f"inline constexpr double {name[4:]}[] = {{")
        lines += [f"    {row.rstrip()}" for row in rows]
        lines[-1] += "};"
    lines += ["", f"}} // namespace mlir::fusion::{kind}", "", f"#endif // {guard}", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    found = [*constants(), *polynomials(), *interpolations()]
    for suffix in ("F32", "F64"):
        (HERE / f"Coefficients{suffix}.h").write_text(header(suffix.lower(), found))
