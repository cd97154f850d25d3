# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations: each is one operation until it is compiled, and fuses with its neighbours.

They take arrays of floats of any shape and give the same shape and type; float16 and bfloat16 are
computed in float32 and rounded once. Other types raise DTypeError.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

from ..array.core import Array
from ..array.elementwise import where
from ..array.manipulation import expand_dims
from ..array.operators import FUNCTIONS
from ..array.reductions import max, normalize_axis, sum
from ..errors import ShapeError
from .checks import choice, floats, number
from .composite import Composite

__all__ = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "hard_sigmoid",
    "hard_swish",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "mish",
    "prelu",
    "relu",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softsign",
    "swish",
]

_exp, _log, _log1p, _expm1 = (FUNCTIONS[n] for n in ("exp", "log", "log1p", "expm1"))
_abs, _erf, _tanh, _sigmoid = (FUNCTIONS[n] for n in ("abs", "erf", "tanh", "sigmoid"))
_maximum, _minimum = FUNCTIONS["maximum"], FUNCTIONS["minimum"]


def _softplus_body(x: Array) -> Array:
    """log(1 + e^x) without overflow."""
    return _maximum(x, 0.0) + _log1p(_exp(-_abs(x)))


def _log_softmax_body(x: Array, axis: int) -> Array:
    shifted = x - max(x, axis=axis, keepdims=True)
    return shifted - _log(sum(_exp(shifted), axis=axis, keepdims=True))


def _softmax_body(x: Array, axis: int) -> Array:
    powers = _exp(x - max(x, axis=axis, keepdims=True))
    return powers / sum(powers, axis=axis, keepdims=True)


def _scaled_softplus(x: Array, beta: Array) -> Array:
    return _softplus_body(x * beta) / beta


def _elu_body(x: Array, alpha: Array) -> Array:
    return where(x > 0.0, x, alpha * _expm1(_minimum(x, 0.0)))


_SELU_SCALE, _SELU_ALPHA = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717

_relu = Composite("relu", lambda x: _maximum(x, 0.0))
_leaky_relu = Composite("leaky_relu", lambda x, slope: where(x < 0.0, x * slope, x))
_prelu = Composite("prelu", lambda x, alpha: where(x < 0.0, x * alpha, x))
_gelu = Composite("gelu", lambda x: x * (1.0 + _erf(x / sqrt(2))) / 2.0)
_gelu_tanh = Composite(
    "gelu_tanh", lambda x: 0.5 * x * (1.0 + _tanh(sqrt(2 / pi) * (x + 0.044715 * (x * x * x))))
)
_sigmoid_op = Composite("sigmoid", lambda x: _sigmoid(x))
_hard_sigmoid = Composite(
    "hard_sigmoid", lambda x, alpha, beta: _minimum(_maximum(x * alpha + beta, 0.0), 1.0)
)
_hard_swish = Composite("hard_swish", lambda x: x * _minimum(_maximum(x / 6.0 + 0.5, 0.0), 1.0))
_log_sigmoid = Composite("log_sigmoid", lambda x: -_softplus_body(-x))
_softmax = Composite("softmax", _softmax_body)
_log_softmax = Composite("log_softmax", _log_softmax_body)
_softmin = Composite("softmin", lambda x, axis: _softmax_body(-x, axis))
_silu = Composite("silu", lambda x: x * _sigmoid(x))
_swish = Composite("swish", lambda x, beta: x * _sigmoid(x * beta))
_mish = Composite("mish", lambda x: x * _tanh(_softplus_body(x)))
_softplus = Composite("softplus", _scaled_softplus)
_elu = Composite("elu", _elu_body)
_celu = Composite("celu", lambda x, alpha: where(x > 0.0, x, alpha * _expm1(x / alpha)))
_selu = Composite(
    "selu",
    lambda x: _SELU_SCALE * where(x > 0.0, x, _SELU_ALPHA * _expm1(_minimum(x, 0.0))),
)
_softsign = Composite("softsign", lambda x: x / (1.0 + _abs(x)))
_glu = Composite("glu", lambda a, b: a * _sigmoid(b))


def relu(x: Any, /) -> Array:
    """`max(x, 0)`; NaN stays.

    Example:
        >>> import pyfusion as pf
        >>> pf.nn.relu([-1.0, 2.0]).tolist()
        [0.0, 2.0]
    """
    return _relu(x)


def leaky_relu(x: Any, /, negative_slope: float = 0.01) -> Array:
    """`x` where it is not negative, else `negative_slope * x`.

    Example:
        >>> import pyfusion as pf
        >>> pf.nn.leaky_relu([-100.0, 2.0]).tolist()
        [-1.0, 2.0]
    """
    return _leaky_relu(x, numbers=(number("leaky_relu", "negative_slope", negative_slope),))


def prelu(x: Any, alpha: Any, /) -> Array:
    """`x` where it is not negative, else `alpha * x`.

    Args:
        alpha: of the type of `x`: of one element, of as many as axis 1 of `x` has (its only axis
            for an `x` of one), or of a shape that broadcasts with that of `x`.

    Raises:
        ShapeError: `alpha` fits in none of these ways.
    """
    x, alpha = floats("prelu", x, alpha)
    if alpha.ndim == 1 and alpha.size != 1 and x.ndim >= 2:
        if alpha.size != x.shape[1]:
            raise ShapeError(
                f"prelu: alpha of {alpha.size} elements for an array of shape {x.shape}, which has "
                f"{x.shape[1]} channels on axis 1"
            )
        alpha = expand_dims(alpha, tuple(range(1, x.ndim - 1)))
    elif alpha.ndim == 1 and alpha.size == 1:
        alpha = alpha[0]
    return _prelu(x, alpha)


def gelu(x: Any, /, approximate: str = "none") -> Array:
    """`x` times the normal distribution function of `x` (Hendrycks and Gimpel, 2016).

    Args:
        approximate: "none", `x * (1 + erf(x / sqrt(2))) / 2`, or "tanh", the approximation
            `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))`.

    Example:
        >>> import pyfusion as pf
        >>> round(float(pf.nn.gelu(1.0)), 6)
        0.841345
    """
    kind = choice("gelu", "approximate", approximate, ("none", "tanh"))
    return _gelu(x) if kind == "none" else _gelu_tanh(x)


def sigmoid(x: Any, /) -> Array:
    """`1 / (1 + exp(-x))`, without overflow. `pyfusion.sigmoid` takes integers too."""
    return _sigmoid_op(x)


def hard_sigmoid(x: Any, /, alpha: float = 0.2, beta: float = 0.5) -> Array:
    """`alpha * x + beta`, clipped to 0 and 1."""
    numbers = (number("hard_sigmoid", "alpha", alpha), number("hard_sigmoid", "beta", beta))
    return _hard_sigmoid(x, numbers=numbers)


def hard_swish(x: Any, /) -> Array:
    """`x` times `x / 6 + 1/2` clipped to 0 and 1 (Howard et al., 2019)."""
    return _hard_swish(x)


def log_sigmoid(x: Any, /) -> Array:
    """`log(sigmoid(x))`, computed without cancellation or overflow."""
    return _log_sigmoid(x)


def _along(composite: Composite, x: Any, axis: Any) -> Array:
    (x,) = floats(composite.name, x)
    axis = normalize_axis(axis, x.ndim, composite.name)
    return composite(x, axis=axis) if x.shape[axis] else x


def softmax(x: Any, /, axis: int = -1) -> Array:
    """`exp(x)` over its sum along an axis, shifted by the largest element, so that nothing
    overflows. Of an axis without elements: nothing.

    Raises:
        AxisError: the array has no such axis.

    Example:
        >>> import pyfusion as pf
        >>> pf.nn.softmax([0.0, 0.0]).tolist()
        [0.5, 0.5]
    """
    return _along(_softmax, x, axis)


def log_softmax(x: Any, /, axis: int = -1) -> Array:
    """The logarithm of `softmax`, as `x - max - log(sum(exp(x - max)))`."""
    return _along(_log_softmax, x, axis)


def softmin(x: Any, /, axis: int = -1) -> Array:
    """`softmax(-x)`."""
    return _along(_softmin, x, axis)


def silu(x: Any, /) -> Array:
    """`x * sigmoid(x)`."""
    return _silu(x)


def swish(x: Any, /, beta: float = 1.0) -> Array:
    """`x * sigmoid(beta * x)` (Ramachandran et al., 2017)."""
    return _swish(x, numbers=(number("swish", "beta", beta),))


def mish(x: Any, /) -> Array:
    """`x * tanh(softplus(x))` (Misra, 2019)."""
    return _mish(x)


def softplus(x: Any, /, beta: float = 1.0) -> Array:
    """`log(1 + exp(beta * x)) / beta`, without overflow."""
    return _softplus(x, numbers=(number("softplus", "beta", beta),))


def elu(x: Any, /, alpha: float = 1.0) -> Array:
    """`x` where it is positive, else `alpha * (exp(x) - 1)`."""
    return _elu(x, numbers=(number("elu", "alpha", alpha),))


def celu(x: Any, /, alpha: float = 1.0) -> Array:
    """`x` where it is positive, else `alpha * (exp(x / alpha) - 1)`."""
    return _celu(x, numbers=(number("celu", "alpha", alpha),))


def selu(x: Any, /) -> Array:
    """The scaled `elu` of self-normalising networks (Klambauer et al., 2017)."""
    return _selu(x)


def softsign(x: Any, /) -> Array:
    """`x / (1 + abs(x))`."""
    return _softsign(x)


def glu(x: Any, /, axis: int = -1) -> Array:
    """The first half of an axis times the sigmoid of the second.

    Raises:
        AxisError: the array has no such axis.
        ShapeError: its extent is odd.
    """
    (x,) = floats("glu", x)
    axis = normalize_axis(axis, x.ndim, "glu")
    half, odd = divmod(x.shape[axis], 2)
    if odd:
        raise ShapeError(f"glu halves axis {axis} of {x.shape}, whose extent is odd")
    before = (slice(None),) * axis
    first, second = (*before, slice(half)), (*before, slice(half, None))
    return _glu(x[first], x[second])
