# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of scikit-learn's estimators and metrics, dispatched by the standard: see
`client_calls.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from client_calls import Call
from sklearn import config_context, metrics, utils
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
)
from sklearn.metrics import pairwise
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    KernelCenterer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    StandardScaler,
    normalize,
    scale,
)

RNG = np.random.default_rng(6)
X = RNG.normal(size=(60, 5))
Z = RNG.normal(size=(20, 5))
TARGET = X @ np.array([1.0, -2, 0.5, 0, 3]) + 0.1 * RNG.normal(size=60)
PREDICTED = TARGET + 0.3 * RNG.normal(size=60)
LABELS, GUESSES = (TARGET > 0).astype(np.int64), (PREDICTED > 0.5).astype(np.int64)
CLASSES = RNG.integers(0, 3, 60)
OTHERS = np.where(RNG.uniform(size=60) < 0.7, CLASSES, RNG.integers(0, 3, 60))
SCORES = 1 / (1 + np.exp(-PREDICTED))
POSITIVE = np.abs(X)


def dispatched(function: Callable[..., Any], *inputs: np.ndarray, **how: Any) -> Call:
    def call(*arrays: Any) -> Any:
        with config_context(array_api_dispatch=True):
            return function(*arrays)

    return Call(call, inputs, **how)


def transformer(make: Callable[[], Any]) -> Call:
    def call(x: Any, z: Any) -> Any:
        return make().fit(x).transform(z), make().fit_transform(x)

    return dispatched(call, X, Z)


def inverse(make: Callable[[], Any]) -> Call:
    def call(x: Any, z: Any) -> Any:
        fitted = make().fit(x)
        return fitted.inverse_transform(fitted.transform(z))

    return dispatched(call, X, Z)


def estimator(make: Callable[[], Any], y: np.ndarray, *more: str, rtol: float = 1e-6) -> Call:
    """Its prediction, and its other methods and attributes of these names."""

    def call(x: Any, y: Any, z: Any) -> Any:
        fitted = make().fit(x, y)
        found = [getattr(fitted, name) for name in ("predict", *more)]
        return [f(z) if callable(f) else f for f in found]

    return dispatched(call, X, y, Z, rtol=rtol)


def _encoded(y: Any) -> Any:
    encoder = LabelEncoder()
    codes = encoder.fit_transform(y)
    return codes, encoder.classes_, encoder.inverse_transform(codes)


def _mixture(x: Any) -> Any:
    made = GaussianMixture(2, init_params="random_from_data", random_state=0).fit(x)
    return made.predict(x), made.means_, made.score_samples(x)


def _ridge() -> Ridge:
    return Ridge(solver="svd")


OF_NUMBERS = (
    "explained_variance_score max_error mean_absolute_error mean_absolute_percentage_error "
    "mean_pinball_loss mean_squared_error median_absolute_error r2_score root_mean_squared_error "
    "d2_absolute_error_score d2_pinball_score"
)
OF_POSITIVE = (
    "mean_squared_log_error root_mean_squared_log_error mean_gamma_deviance "
    "mean_poisson_deviance mean_tweedie_deviance d2_tweedie_score"
)
OF_LABELS = (
    "accuracy_score balanced_accuracy_score f1_score hamming_loss jaccard_score precision_score "
    "recall_score zero_one_loss matthews_corrcoef cohen_kappa_score"
)
OF_SCORES = (
    "brier_score_loss log_loss roc_auc_score average_precision_score d2_brier_score "
    "d2_log_loss_score"
)
CURVES = "roc_curve precision_recall_curve det_curve"
OF_CLUSTERS = "adjusted_rand_score v_measure_score mutual_info_score"
KERNELS = (
    "cosine_similarity cosine_distances euclidean_distances linear_kernel polynomial_kernel "
    "rbf_kernel sigmoid_kernel laplacian_kernel manhattan_distances pairwise_distances "
    "pairwise_kernels pairwise_distances_argmin"
)
PAIRED = "paired_cosine_distances paired_euclidean_distances paired_manhattan_distances"


def _metrics(names: str, *inputs: np.ndarray, gives: str = "number") -> dict[str, Call]:
    return {
        name: dispatched(getattr(metrics, name), *inputs, gives=gives) for name in names.split()
    }


def _pairwise(names: str, *inputs: np.ndarray) -> dict[str, Call]:
    return {
        f"pairwise.{name}": dispatched(getattr(pairwise, name), *inputs) for name in names.split()
    }


CALLS = {
    "StandardScaler": transformer(StandardScaler),
    "StandardScaler.inverse_transform": inverse(StandardScaler),
    "MinMaxScaler": transformer(MinMaxScaler),
    "MaxAbsScaler": transformer(MaxAbsScaler),
    "Normalizer": transformer(Normalizer),
    "Binarizer": transformer(Binarizer),
    "PolynomialFeatures": transformer(PolynomialFeatures),
    "KernelCenterer": dispatched(lambda x: KernelCenterer().fit_transform(x @ x.T), X),
    "LabelEncoder": dispatched(_encoded, CLASSES),
    "LabelBinarizer": dispatched(lambda y: LabelBinarizer().fit_transform(y), CLASSES),
    "normalize": dispatched(normalize, X),
    "PCA, full": transformer(lambda: PCA(3, svd_solver="full")),
    "PCA, covariance_eigh": transformer(lambda: PCA(3, svd_solver="covariance_eigh")),
    "PCA, randomized": transformer(
        lambda: PCA(3, svd_solver="randomized", power_iteration_normalizer="QR", random_state=0)
    ),
    "PCA.inverse_transform": inverse(lambda: PCA(3, svd_solver="full", whiten=True)),
    "Nystroem": transformer(lambda: Nystroem(n_components=8, random_state=0)),
    "Ridge": estimator(_ridge, TARGET, "coef_", "intercept_"),
    "RidgeCV": estimator(lambda: RidgeCV([0.1, 1, 10]), TARGET, "coef_", "alpha_"),
    "RidgeClassifier": estimator(
        lambda: RidgeClassifier(solver="svd"), CLASSES, "decision_function"
    ),
    "RidgeClassifierCV": estimator(RidgeClassifierCV, CLASSES, "decision_function"),
    "LinearRegression": estimator(LinearRegression, TARGET, "coef_"),
    "LogisticRegression": estimator(
        lambda: LogisticRegression(tol=1e-9, max_iter=500), CLASSES, "predict_proba", rtol=1e-5
    ),
    "PoissonRegressor": estimator(PoissonRegressor, np.abs(TARGET), rtol=1e-3),
    "LinearDiscriminantAnalysis": estimator(
        LinearDiscriminantAnalysis, CLASSES, "predict_proba", "transform"
    ),
    "GaussianNB": estimator(GaussianNB, CLASSES, "predict_proba", "classes_"),
    "GaussianMixture": dispatched(_mixture, X, rtol=1e-5),
    "CalibratedClassifierCV": estimator(
        lambda: CalibratedClassifierCV(RidgeClassifier(solver="svd"), method="temperature", cv=2),
        CLASSES,
        "predict_proba",
        rtol=1e-4,
    ),
    "make_pipeline": estimator(lambda: make_pipeline(StandardScaler(), _ridge()), TARGET),
    "GridSearchCV": estimator(lambda: GridSearchCV(_ridge(), {"alpha": [0.1, 1]}, cv=2), TARGET),
    "train_test_split": dispatched(
        lambda x, y: train_test_split(x, y, random_state=0, stratify=y), X, LABELS
    ),
    "cross_val_predict": dispatched(lambda x, y: cross_val_predict(_ridge(), x, y), X, TARGET),
    "cross_val_score": dispatched(
        lambda x, y: cross_val_score(_ridge(), x, y), X, TARGET, gives="NumPy"
    ),
    "check_array": dispatched(utils.check_array, X),
    "resample": dispatched(lambda x: utils.resample(x, random_state=0), X),
    **_metrics(OF_NUMBERS, TARGET, PREDICTED),
    **_metrics(OF_POSITIVE, np.abs(TARGET) + 0.1, np.abs(PREDICTED) + 0.1),
    **_metrics(OF_LABELS, LABELS, GUESSES),
    **_metrics(OF_SCORES, LABELS, SCORES),
    **_metrics(CURVES, LABELS, SCORES, gives="pyfusion"),
    **_metrics(OF_CLUSTERS, CLASSES, OTHERS),
    "f1_score, of each class": dispatched(
        lambda y, p: metrics.f1_score(y, p, average=None), CLASSES, OTHERS
    ),
    "confusion_matrix": dispatched(metrics.confusion_matrix, CLASSES, OTHERS),
    "multilabel_confusion_matrix": dispatched(metrics.multilabel_confusion_matrix, CLASSES, OTHERS),
    "silhouette_score": dispatched(metrics.silhouette_score, X, CLASSES, gives="number"),
    "davies_bouldin_score": dispatched(metrics.davies_bouldin_score, X, CLASSES, gives="number"),
    "calinski_harabasz_score": dispatched(
        metrics.calinski_harabasz_score, X, CLASSES, gives="number"
    ),
    **_pairwise(KERNELS, X, Z),
    **_pairwise(PAIRED, X[:20], Z),
    **_pairwise("chi2_kernel additive_chi2_kernel", POSITIVE, np.abs(Z)),
}

FAILS = {
    "scale": (
        dispatched(scale, X),
        "Not dispatched by scikit-learn, it writes into what `np.asarray` gives, which is "
        "read-only: take `StandardScaler`, or give `np.array(x)`.",
    ),
    "MultinomialNB": (
        dispatched(lambda x, y: MultinomialNB().fit(x, y).predict(x), POSITIVE, CLASSES),
        "Not dispatched by scikit-learn, whose arrays of counts are NumPy's.",
    ),
}
