# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans written to a file and read again, in this process and in another."""

import subprocess
import sys

import numpy as np
import pytest
from fake_gpu import fake_gpus
from saved_common import compiles_of, evaluate, matrix, save

import pyfusion as pf
from pyfusion.compile import saved
from pyfusion.runtime.statistics import statistics
from pyfusion.stream import engine

pytestmark = pytest.mark.usefixtures("no_plans")

PROGRAM = """
import numpy as np, pyfusion as pf, sys
from pyfusion.runtime.statistics import statistics
def f(x):
    y = pf.exp(x * 2 + 1)
    return y.sum(axis=0), y @ y.T, y[::2, ::-1] + 0, pf.argmax(y), pf.sort(y)
x = pf.asarray(np.linspace(0, 1, 12, dtype="float32").reshape(3, 4))
"""

WRITE = """
pf.config.keep_plans = True
found = f(x)
np.savez(sys.argv[2], *map(np.asarray, found))
assert pf.save_plans(sys.argv[1]) == 1
"""

READ = """
assert pf.load_plans(sys.argv[1]) == 1
found = f(x)
for got, want in zip(map(np.asarray, found), np.load(sys.argv[2]).values()):
    assert (got == want).all() and got.dtype == want.dtype
assert (statistics.loaded, statistics.compiles) == (1, 0)
y = pf.asarray(np.ones((5, 9), "float32"))  # other lengths
kept = f(y)
assert np.asarray(kept[0]).size == 9 and statistics.compiles == 0
z = pf.asarray(np.ones((5, 9)))  # another type
kept = f(z)
assert np.asarray(kept[0]).size == 9 and statistics.compiles == 1
"""


def test_another_process_does_not_compile(tmp_path):
    files = [str(tmp_path / "plans"), str(tmp_path / "values.npz")]
    for part in (WRITE, READ):
        command = [sys.executable, "-c", PROGRAM + part, *files]
        subprocess.run(command, check=True, timeout=120)


def test_plans_of_a_gpu_serve_the_others_of_its_kind(tmp_path):
    def run(device):
        x = pf.asarray(np.arange(6.0).reshape(2, 3), device=device)
        return np.asarray((x.T + 1).sum(axis=0) * 2)

    with fake_gpus(), pf.config.scope(keep_plans=True):
        want = run("cuda:0")
        assert pf.save_plans(tmp_path / "plans") == 1
        engine.plans.clear()
        assert pf.load_plans(tmp_path / "plans") == 1
        before = statistics.compiles
        np.testing.assert_array_equal(run("cuda:1"), want)
        assert statistics.compiles == before
        run("cpu")  # of another kind
        assert statistics.compiles == before + 1
        engine.plans.clear()


def test_only_kept_plans_are_written(tmp_path):
    np.asarray(pf.ones(3) + 1)
    assert pf.save_plans(tmp_path / "plans") == 0


def precision(second):
    with pf.config.scope(precision="fast" if second else "strict"):
        evaluate(lambda x: x * 2 + 1, matrix(dtype="float16"))


def dying_leaves(second):
    if second:
        result = matrix() + 1
    else:
        x = matrix()
        result = x + 1
    np.asarray(result)


def contiguity(second):
    x = np.arange(24, dtype="float32").reshape(4, 6)
    x = pf.asarray(x.T if second else x, copy=False)
    evaluate(lambda x: x + 1, x)


def masks_of_leaves(second):
    """The results' extents are the same."""
    evaluate(lambda x: x.sum(axis=1), matrix((3, 1) if second else (3, 4)))


def masks_of_operations(second):
    """The arguments' extents are the same."""
    shape = (12, 1) if second else (6, 2)
    evaluate(lambda x: x.reshape(shape).sum(axis=1), matrix())


def static_attributes(second):
    evaluate(lambda x: x.sum(axis=int(second)), matrix())


def types_of_leaves(second):
    evaluate(lambda x: x > 1, matrix(dtype="float64" if second else "float32"))


def types_of_operations(second):
    evaluate(lambda x: x.astype("float64" if second else "int64"), matrix())


def operations(second):
    evaluate(lambda x: x - x if second else x + x, matrix())


def arguments(second):
    evaluate(lambda x, y: x * y - (y if second else x), matrix(), matrix())


def survivors(second):
    def function(x):
        y = pf.exp(x)
        return (y + 1, y) if second else y + 1

    evaluate(function, matrix())


@pytest.mark.host
@pytest.mark.parametrize(
    "part",
    [
        precision,
        dying_leaves,
        contiguity,
        masks_of_leaves,
        masks_of_operations,
        static_attributes,
        types_of_leaves,
        types_of_operations,
        operations,
        arguments,
        survivors,
    ],
    ids=lambda part: part.__name__,
)
def test_a_plan_fits_blocks_of_its_key_alone(tmp_path, part):
    with pf.config.scope(keep_plans=True):
        part(False)
    assert pf.save_plans(tmp_path / "plans") >= 1
    engine.plans.clear()
    pf.load_plans(tmp_path / "plans")
    assert compiles_of(lambda: part(False)) == 0
    assert compiles_of(lambda: part(True)) == 1


def test_loaded_plans_are_kept_when_others_are_saved(tmp_path):
    file = tmp_path / "plans"
    assert save(file) == 1
    engine.plans.clear()
    assert pf.load_plans(str(file)) == 1  # and nothing uses it
    assert save(str(file).encode(), lambda x: pf.log(x + 1)) == 2
    saved._loaded.clear()
    engine.plans.clear()
    assert pf.load_plans(file) == 2
    assert compiles_of(lambda: evaluate(lambda x: pf.exp(x) + 1, matrix())) == 0
