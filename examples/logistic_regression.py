# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logistic regression on scikit-learn's breast cancer data, 1,024 settings trained side by side.

    python examples/logistic_regression.py

Every column of `weights` is a model with a learning rate and a penalty of its own. The matrix
products run on the backend (NumPy's BLAS), all between them is fused.
"""

from __future__ import annotations

from typing import Any

import common
import graph
import numpy as np
from sklearn.datasets import load_breast_cancer

import pyfusion as pf

STEPS = 100


def step(xp: Any, features: Any, labels: Any, weights: Any, rates: Any, penalties: Any) -> Any:
    """One step of gradient descent of all models: the new weights, and each model's loss."""
    scores = features @ weights
    chance = 1 / (1 + xp.exp(-scores))
    gradient = features.T @ (chance - labels) / features.shape[0]
    loss = xp.mean(
        xp.log1p(xp.exp(-xp.abs(scores))) + xp.maximum(scores, 0) - labels * scores, axis=0
    )
    return weights - rates * (gradient + penalties * weights), loss


def train(xp: Any, features: Any, labels: Any, rates: Any, penalties: Any) -> tuple[Any, Any]:
    """All models from zero. The weights, and the least loss after each step."""
    weights = xp.zeros((features.shape[1], rates.shape[0]), dtype=xp.float32)
    history = []
    for _ in range(STEPS):
        weights, loss = step(xp, features, labels, weights, rates, penalties)
        history.append(float(xp.min(loss)))
    return weights, xp.asarray(history, dtype=xp.float32)


def standardised(data: np.ndarray, mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Columns of mean 0 and deviation 1, and a column of ones."""
    scaled = (data - mean) / deviation
    return np.hstack([scaled, np.ones((len(data), 1))]).astype(np.float32)


def main() -> None:
    bunch = load_breast_cancer()
    order = np.random.default_rng(3).permutation(len(bunch.data))
    data, target = bunch.data[order], bunch.target[order].astype(np.float32)
    half = len(data) // 2
    mean, deviation = data[:half].mean(axis=0), data[:half].std(axis=0)
    features = standardised(data[:half], mean, deviation)
    labels = target[:half, None]
    rates, penalties = (
        a.ravel().astype(np.float32)
        for a in np.meshgrid(np.geomspace(0.01, 2, 32), np.geomspace(1e-5, 0.1, 32))
    )
    title = f"logistic_regression, {STEPS} steps of {rates.size} models, {features.shape} f32"
    done = common.compare(title, train, features, labels, rates, penalties, rounds=3)
    weights, history = done.pyfusion
    correct = (standardised(data[half:], mean, deviation) @ weights > 0) == target[half:, None]
    print(f"  least loss {history[0]:.3f} -> {history[-1]:.3f}; ", end="")
    print(f"the best model is right on {correct.mean(axis=0).max():.1%} of the other half")
    common.OUT.mkdir(exist_ok=True)
    path = common.OUT / "logistic-regression-fused.svg"
    arrays = [features, labels, weights, rates, penalties]
    graph.save(lambda *a: step(pf, *a), [pf.asarray(a) for a in arrays], path)
    print(f"  the fused graph of a step: {common.OUT.name}/{path.name}")


if __name__ == "__main__":
    main()
