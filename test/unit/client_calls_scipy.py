# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of SciPy's functions that take arrays of the standard: see `client_calls.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from client_calls import Call
from scipy import (
    cluster,
    constants,
    differentiate,
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    special,
    stats,
)
from scipy.optimize import elementwise
from scipy.spatial import distance
from scipy.spatial.transform import Rotation

RNG = np.random.default_rng(5)
X, Y = RNG.uniform(0.1, 3, (2, 40))
P = RNG.uniform(0.05, 0.95, 40)
M = RNG.normal(size=(30, 4))
N = RNG.normal(size=(30, 4)) + 0.3
WAVE = np.sin(np.linspace(0, 20, 200)) + 0.1 * RNG.normal(size=200)
T = np.linspace(0, 1, 41)
Q = RNG.normal(size=(5, 4))
B, A = np.array([0.2, 0.3]), np.array([1, -0.4])
SECTIONS = signal.butter(3, 0.2, output="sos")
ZERO, ONE = np.zeros(2), np.ones(2)


def parts(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """The attributes of a result of named fields; of a test, its statistic and its p-value."""

    def call(*arrays: Any) -> Any:
        result = function(*arrays)
        return [getattr(result, name) for name in names or ("statistic", "pvalue")]

    return call


def _interval(x: Any) -> Any:
    def mean(x: Any, axis: int, xp: Any = None) -> Any:
        return x.mean(axis=axis)

    return stats.bootstrap((x,), mean, n_resamples=50, rng=1, method="basic")


def _mean_of_points(a: Any, b: Any) -> Any:
    points = stats.qmc.Halton(2, rng=1)
    return integrate.qmc_quad(lambda x: (x**2).sum(axis=0), a, b, n_points=64, qrng=points)


def _normal(x: Any, y: Any) -> Any:
    normal = stats.Normal(mu=x, sigma=y)
    return normal.pdf(0.9 * x), normal.cdf(0.8 * x), normal.entropy()


SPECIAL = {
    "erf": (M,),
    "expit": (M,),
    "logit": (P,),
    "gammaln": (X,),
    "digamma": (X,),
    "gammainc": (X, Y),
    "betainc": (X, Y, P),
    "ndtr": (M,),
    "ndtri": (P,),
    "log_ndtr": (M,),
    "i0e": (X,),
    "j1": (X,),
    "entr": (X,),
    "rel_entr": (X, Y),
    "xlogy": (X, Y),
    "logsumexp": (M,),
    "softmax": (M,),
    "log_softmax": (M,),
}
TESTS = {
    "pearsonr": (X, Y),
    "ttest_ind": (M, N),
    "ttest_rel": (M, N),
    "f_oneway": (M, N),
    "kruskal": (M, N),
    "mannwhitneyu": (X, Y),
    "wilcoxon": (X, Y),
    "jarque_bera": (X,),
    "normaltest": (X,),
    "chisquare": (X,),
    "bartlett": (X, Y),
    "levene": (X, Y),
    "combine_pvalues": (P,),
}
STATS = {
    "zscore": (M,),
    "skew": (M,),
    "kurtosis": (M,),
    "variation": (M,),
    "gmean": (X,),
    "hmean": (X,),
    "sem": (M,),
    "iqr": (M,),
    "entropy": (X, Y),
    "describe": (M,),
    "rankdata": (M,),
    "circmean": (X,),
    "lmoment": (X,),
    "false_discovery_control": (P,),
}
SIGNAL = {
    "detrend": (WAVE,),
    "hilbert": (WAVE,),
    "fftconvolve": (WAVE, X),
    "oaconvolve": (WAVE, X),
    "convolve": (WAVE, X),
    "correlate": (WAVE, X),
    "convolve2d": (M, N),
    "lfilter": (B, A, WAVE),
    "filtfilt": (B, A, WAVE),
    "freqz": (B,),
    "tf2zpk": (B, A),
    "gausspulse": (T,),
}
CALLS = {
    **{f"special.{name}": Call(getattr(special, name), given) for name, given in SPECIAL.items()},
    **{f"stats.{name}": Call(getattr(stats, name), given) for name, given in STATS.items()},
    **{f"stats.{name}": Call(parts(getattr(stats, name)), given) for name, given in TESTS.items()},
    **{f"signal.{name}": Call(getattr(signal, name), given) for name, given in SIGNAL.items()},
    "stats.moment": Call(lambda m: stats.moment(m, order=3, axis=1), (M,)),
    "stats.pmean": Call(lambda x: stats.pmean(x, 3), (X,)),
    "stats.tmean": Call(lambda x: stats.tmean(x, (0.5, 2.5)), (X,)),
    "stats.tvar": Call(lambda x: stats.tvar(x, (0.5, 2.5)), (X,)),
    "stats.quantile": Call(lambda x: stats.quantile(x, 0.3), (X,)),
    "stats.ttest_1samp": Call(parts(lambda m: stats.ttest_1samp(m, 0.1)), (M,)),
    "stats.boxcox_llf": Call(lambda x: stats.boxcox_llf(0.4, x), (X,)),
    "stats.sigmaclip": Call(lambda x: stats.sigmaclip(x, 1.5, 1.5), (X,)),
    "stats.directional_stats": Call(
        parts(stats.directional_stats, "mean_direction", "mean_resultant_length"), (M,)
    ),
    "stats.bootstrap": Call(parts(_interval, "confidence_interval", "standard_error"), (X,)),
    "stats.linregress": Call(stats.linregress, (X, Y), "number"),
    "stats.Normal": Call(_normal, (X, Y), "NumPy"),
    "signal.resample": Call(lambda w: signal.resample(w, 50), (WAVE,)),
    "signal.resample_poly": Call(lambda w: signal.resample_poly(w, 2, 3), (WAVE,)),
    "signal.savgol_filter": Call(lambda w: signal.savgol_filter(w, 7, 2), (WAVE,)),
    "signal.medfilt": Call(lambda w: signal.medfilt(w, 5), (WAVE,)),
    "signal.decimate": Call(lambda w: signal.decimate(w, 4), (WAVE,), "NumPy"),
    "signal.welch": Call(lambda w: signal.welch(w, nperseg=64), (WAVE,), "NumPy"),
    "signal.stft": Call(lambda w: signal.stft(w, nperseg=32), (WAVE,), "NumPy"),
    "integrate.trapezoid": Call(integrate.trapezoid, (X, np.sort(Y))),
    "integrate.simpson": Call(lambda y, x: integrate.simpson(y, x=x), (X, np.sort(Y)), "number"),
    "integrate.cumulative_trapezoid": Call(integrate.cumulative_trapezoid, (X, np.sort(Y))),
    "integrate.cumulative_simpson": Call(lambda y: integrate.cumulative_simpson(y, dx=0.1), (X,)),
    "integrate.qmc_quad": Call(parts(_mean_of_points, "integral", "standard_error"), (ZERO, ONE)),
    "integrate.tanhsinh": Call(
        parts(lambda a, b: integrate.tanhsinh(lambda x: x**2, a, b), "integral", "success"),
        (X, X + Y),
    ),
    "integrate.cubature": Call(
        parts(lambda a, b: integrate.cubature(lambda x: (x**2).sum(axis=1), a, b), "estimate"),
        (ZERO, ONE),
    ),
    "integrate.nsum": Call(
        parts(lambda a: integrate.nsum(lambda k: 1 / k**2, a, a + 5), "sum"), (np.array([1.0, 2]),)
    ),
    "differentiate.derivative": Call(
        parts(lambda x: differentiate.derivative(lambda v: v**3, x), "df"), (X,)
    ),
    "differentiate.jacobian": Call(
        parts(lambda x: differentiate.jacobian(lambda v: v**3, x), "df"), (X[:3],)
    ),
    "optimize.elementwise.find_root": Call(
        parts(lambda a, b: elementwise.find_root(lambda x: x**2 - 2, (a, b)), "x"),
        (np.zeros(3), np.array([2.0, 3, 4])),
    ),
    "optimize.rosen": Call(optimize.rosen, (X,)),
    "optimize.rosen_der": Call(optimize.rosen_der, (X,)),
    "optimize.rosen_hess": Call(optimize.rosen_hess, (X[:5],)),
    "optimize.minimize": Call(
        parts(lambda x: optimize.minimize(optimize.rosen, x), "x"), (X[:3],), "NumPy", 1e-4
    ),
    "cluster.vq.vq": Call(cluster.vq.vq, (M, N[:3])),
    "cluster.vq.whiten": Call(cluster.vq.whiten, (M,)),
    "cluster.vq.kmeans": Call(cluster.vq.kmeans, (M, M[:3])),
    "cluster.vq.kmeans2": Call(lambda a, b: cluster.vq.kmeans2(a, b, minit="matrix"), (M, M[:3])),
    "cluster.hierarchy.linkage": Call(lambda a: cluster.hierarchy.linkage(a, "average"), (M,)),
    "cluster.hierarchy.fcluster": Call(
        lambda a: cluster.hierarchy.fcluster(cluster.hierarchy.linkage(a), 1.0), (M,)
    ),
    "spatial.distance.pdist": Call(distance.pdist, (M,)),
    "spatial.distance.cdist": Call(distance.cdist, (M, N), "NumPy"),
    "spatial.transform.Rotation": Call(lambda q: Rotation.from_quat(q).as_matrix(), (Q,)),
    "spatial.transform.Rotation.apply": Call(
        lambda q, v: Rotation.from_quat(q).apply(v), (Q, M[:5, :3])
    ),
    "fft.fft": Call(fft.fft, (M,)),
    "fft.rfft": Call(fft.rfft, (M,)),
    "fft.irfft": Call(fft.irfft, (M,)),
    "fft.dct": Call(fft.dct, (M,)),
    "fft.fht": Call(lambda x: fft.fht(x, 0.1, 0.5), (X,)),
    "ndimage.gaussian_filter": Call(lambda m: ndimage.gaussian_filter(m, 1.0), (M,)),
    "ndimage.label": Call(lambda m: ndimage.label(m > 0), (M,)),
    "ndimage.zoom": Call(lambda m: ndimage.zoom(m, 2), (M,)),
    "linalg.svdvals": Call(linalg.svdvals, (M,), "NumPy"),
    "interpolate.make_interp_spline": Call(
        lambda x, y: interpolate.make_interp_spline(x, y)(x * 0.9), (T, T**3)
    ),
    "interpolate.CubicSpline": Call(lambda x, y: interpolate.CubicSpline(x, y)(x * 0.9), (T, T**3)),
    "constants.convert_temperature": Call(
        lambda x: constants.convert_temperature(x, "C", "K"), (X,)
    ),
}

# What fails, and why; docs/clients.py writes what it raises.
FAILS = {
    "signal.lfilter, coefficients in lists": (
        Call(lambda w: signal.lfilter([0.2, 0.3], [1, -0.4], w), (WAVE,)),
        "SciPy makes NumPy's arrays of the lists, and takes arrays of one library: give all as "
        "arrays of pyfusion.",
    ),
    "signal.sosfilt": (
        Call(signal.sosfilt, (SECTIONS, WAVE)),
        "Its Cython code takes no read-only memory, which `np.asarray` of an array is; it fails "
        "for read-only arrays of NumPy's too. Give `np.array(sections)` and `np.array(wave)`.",
    ),
}
