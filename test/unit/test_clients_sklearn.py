# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scikit-learn's estimators and metrics on arrays of pyfusion, dispatched by the standard."""

import pickle

import numpy as np
import pytest
from client_calls import VERSIONS, check

import pyfusion as pf

sklearn = pytest.importorskip("sklearn", VERSIONS["sklearn"])

from client_calls_sklearn import CALLS, LABELS, TARGET, X, Z  # noqa: E402
from sklearn.linear_model import Ridge, RidgeClassifier  # noqa: E402
from sklearn.metrics import r2_score  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

pytestmark = pytest.mark.host


@pytest.mark.parametrize("name", CALLS)
def test_results_are_those_of_numpy_and_stay_arrays(name):
    check(CALLS[name])


def test_targets_of_numpy_follow_the_features():
    with sklearn.config_context(array_api_dispatch=True):
        found = Ridge(solver="svd").fit(pf.asarray(X), TARGET).predict(pf.asarray(Z))
        assert isinstance(found, pf.Array)
        wanted = Ridge(solver="svd").fit(X, TARGET).predict(Z)
        np.testing.assert_allclose(np.asarray(found), wanted)
        assert r2_score(TARGET[:20], found) == pytest.approx(r2_score(TARGET[:20], wanted))


def test_labels_may_be_text():
    names = np.where(LABELS > 0, "up", "down")
    with sklearn.config_context(array_api_dispatch=True):
        found = RidgeClassifier(solver="svd").fit(pf.asarray(X), names).predict(pf.asarray(Z))
    np.testing.assert_array_equal(found, RidgeClassifier(solver="svd").fit(X, names).predict(Z))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_estimator_keeps_the_type_and_can_be_pickled(dtype):
    x = X.astype(dtype)
    with sklearn.config_context(array_api_dispatch=True):
        fitted = pickle.loads(pickle.dumps(StandardScaler().fit(pf.asarray(x))))
        found = fitted.transform(pf.asarray(x))
    assert found.dtype == dtype
    wanted = StandardScaler().fit_transform(x)
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-5, atol=1e-6)


def test_without_dispatch_results_are_arrays_of_numpy():
    found = StandardScaler().fit_transform(pf.asarray(X))
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, StandardScaler().fit_transform(X))
