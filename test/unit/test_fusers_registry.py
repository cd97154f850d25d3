# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registering fusers, what they read and write, and the example."""

import doctest
import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from fake_fusers import Backend, Pattern, Run, data, plan

import pyfusion as pf
from pyfusion import fusers
from pyfusion.stream import engine

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

pytestmark = [
    pytest.mark.fused,
    pytest.mark.usefixtures("only_the_compiler"),
    pytest.mark.host,
]


def test_registering_and_removing():
    assert [f.name for f in fusers.registered()] == ["mlir"]
    a, b = Run("a"), Run("b")
    fusers.register(a)
    with fusers.register(b, before="mlir") as entered:
        assert entered is b
        assert [f.name for f in fusers.registered()] == ["b", "mlir", "a"]
        with pytest.raises(ValueError, match="'a' is registered"):
            fusers.register(Run("a"))
        with pytest.raises(ValueError, match="no fuser 'c'.*b, mlir, a"):
            fusers.register(Run("d"), before="c")
    fusers.unregister("a")
    with pytest.raises(ValueError, match="no fuser 'a'"):
        fusers.unregister(a)
    with fusers.register(b):
        fusers.unregister(b)  # the end of the scope finds nothing to do
        fusers.register(Run("b"))
    assert [f.name for f in fusers.registered()] == ["mlir", "b"]
    fusers.unregister("b")


def test_what_is_no_fuser_is_refused():
    with pytest.raises(TypeError, match="it has no fuse, finish"):
        fusers.register(object())
    with pytest.raises(TypeError, match="give an instance"):
        fusers.register(Run)
    nameless = Run("x")
    nameless.name = None
    with pytest.raises(TypeError, match="name"):
        fusers.register(nameless)
    for devices in (None, "cpu", 3, ("cpu", 3)):
        wrong = Run("x")
        wrong.devices = devices
        with pytest.raises(TypeError, match="'x': devices is .*, not a tuple of kinds of device"):
            fusers.register(wrong)


def test_registering_drops_plans_and_removing_only_those_that_used_it():
    x = data(4)
    np.asarray(pf.exp(x) + x)
    assert len(engine.plans) == 1
    with fusers.register(Pattern("p", "exp add", 100)):
        assert len(engine.plans) == 0
        np.asarray(pf.exp(x) + x)
        np.asarray(pf.sin(x) * x)
        assert len(engine.plans) == 2
    assert [p.parts for p in engine.plans.values()] == [None]


def test_the_compiler_can_be_removed():
    x = data(4)
    mlir = fusers.registered()[0]
    fusers.unregister("mlir")
    try:
        with pf.testing.inspect() as report:
            y = pf.exp(x) + x
        assert report.kernels == 0 and report.unfused == ["exp", "add"]
        np.testing.assert_allclose(np.asarray(y), np.exp(np.asarray(x)) + np.asarray(x))
    finally:
        fusers.register(mlir)


def test_fusers_do_not_change_inside_a_flush():
    x = data(4)

    class Meddler(Pattern):
        def finish(self, block):
            fusers.unregister(self.name)

    with (
        pf.config.scope(strict=False),
        fusers.register(Meddler("m", "exp", 100)),
        pytest.warns(pf.FallbackWarning, match="inside a flush"),
    ):
        np.asarray(pf.exp(x))


@pytest.mark.parametrize("module", ["protocols", "graph"])
def test_the_examples_of_the_protocols_run(module):
    found = doctest.testmod(importlib.import_module(f"pyfusion.fusers.{module}"))
    assert found.attempted and not found.failed


def test_write_takes_any_layout():
    x = data(2, 3)

    class Reversed(Backend):
        def execute(self, block):
            (a,) = fusers.inputs(block)
            assert not a.flags.writeable
            packed = np.zeros(6, dtype=[("pad", np.uint8), ("value", np.float32)])["value"]
            packed = packed.reshape(2, 3)
            packed[...] = np.exp(a)
            fusers.write(block, 0, packed)

    class Fuser(Pattern):
        def finish(self, block):
            return Reversed("reversed", 1)

    with fusers.register(Fuser("f", "exp", 100)):
        np.testing.assert_allclose(np.asarray(pf.exp(x) + 0), np.exp(np.asarray(x)), rtol=1e-6)


@pytest.mark.parametrize(
    "number, array, error, match",
    [
        (
            1,
            np.ones((2, 3), "f4"),
            IndexError,
            "operation 1 was written, of a block of 1; .* of 0$",
        ),
        (-1, np.ones((2, 3), "f4"), IndexError, "operation -1 was written"),
        (True, np.ones((2, 3), "f4"), TypeError, "the number of an operation, an int, not True"),
        (None, np.ones((2, 3), "f4"), TypeError, "an int, not None"),
        (0.0, np.ones((2, 3), "f4"), TypeError, "an int, not 0.0"),
        (0, np.ones(3, "f4"), ValueError, r"exp, operation 0: float32\[3\] was written where"),
        (0, np.ones((2, 3)), ValueError, r"float64\[2, 3\] was written where float32\[2, 3\]"),
        (0, None, ValueError, r"object\[\] was written"),
        (np.int64(0), np.full((2, 3), 7, ">f4"), None, ""),
    ],
)
def test_what_is_written_is_checked(number, array, error, match):
    x = data(2, 3)

    class Writes(Backend):
        def execute(self, block):
            fusers.write(block, number, array)

    class Fuser(Pattern):
        def finish(self, block):
            return Writes("writes", 1)

    with fusers.register(Fuser("f", "exp", 100)):
        y = pf.exp(x)
        if error is None:
            assert np.asarray(y).tolist() == [[7] * 3] * 2
            return
        with pf.config.scope(strict=True), pytest.raises(error, match=match):
            np.asarray(y)


def test_what_is_no_block_and_no_device():
    for call in (fusers.inputs, lambda block: fusers.write(block, 0, np.ones(2))):
        with pytest.raises(TypeError, match="takes the block that execute is given, not NoneType"):
            call(None)
    with pytest.raises(TypeError, match="registered takes a Device, as block.device is, not 'cpu'"):
        fusers.registered("cpu")


def test_what_a_block_has_for_a_fuser():
    x = data(2, 3)
    told = []

    def tell(block):
        assert isinstance(block, fusers.FuserBlock)
        told.append((len(block.queue), block.leaves[0].shape, block.scalars, block.dyn))
        told.append((block.survivors, block.device.name, block.queue[0].dtype.name))

    class Told(Backend):
        def execute(self, block):
            tell(block)
            super().execute(block)

    class Fuser(Pattern):
        def finish(self, block):
            tell(block)
            return Told("told", 2)

    with fusers.register(Fuser("f", "multiply slice", 100)):
        y = (x * 3)[:, 1:]
        assert np.asarray(y)[0].tolist() == (np.asarray(x)[0, 1:] * 3).tolist()
    assert told == [(2, (2, 3), [3.0], [0, 1, 2, 2, 1, 1]), ([1], "cpu", "float32")] * 2


def test_a_result_may_be_a_view_of_an_input():
    x = data(3)

    class View(Backend):
        def execute(self, block):
            fusers.write(block, 0, fusers.inputs(block)[0][::-1])

    class Fuser(Pattern):
        def finish(self, block):
            return View("view", 1)

    with fusers.register(Fuser("f", "exp", 100)):
        fresh = x * 8
        y = pf.exp(fresh)
        z = fresh + 1
        del fresh
        assert np.asarray(y).tolist() == [2, 1, 0]
        assert np.asarray(z).tolist() == [1, 2, 3]
        assert np.asarray(y + 1).tolist() == [3, 2, 1]
        assert np.asarray(y).tolist() == [2, 1, 0]


def test_the_example_wins_its_operations_and_no_others():
    import own_fuser

    rng = np.random.default_rng(0)
    x, w, b = (rng.standard_normal(s).astype(np.float32) for s in ((8, 5), (5, 6), (6,)))
    px, pw, pb = map(pf.asarray, (x, w, b))
    pf.sync()
    with fusers.register(own_fuser.DenseFuser()):
        for bias in (pb, pf.asarray(b + 1)):
            with pf.testing.inspect() as report:
                y = pf.exp(pf.maximum(pf.sin(px) @ pw + bias, 0.5))
            np.testing.assert_allclose(
                np.asarray(y), np.exp(np.maximum(np.sin(x) @ w + np.asarray(bias), 0.5)), rtol=1e-5
            )
            assert report.kernels == 2 and report.unfused == []
        assert [p for p in plan() if p[0] == "dense"] == [("dense", (1, 2, 3))]
        engine.plans.clear()
        total = px @ pw + pb  # needed too
        y = pf.maximum(total, 0)
        np.testing.assert_allclose(np.asarray(y), np.maximum(x @ w + b, 0), rtol=1e-5)
        np.testing.assert_allclose(np.asarray(total), x @ w + b, rtol=1e-5)
        assert plan() == [("dense", (0, 1, 2))]
        engine.plans.clear()
        np.asarray(pf.maximum(px @ pw * 2 + pb, 0))
        assert plan() is None  # compiled as one
