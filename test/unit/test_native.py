# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The extension module: numbers and keys, what survives, views, launches, and its absence."""

import gc
import itertools
import os
import subprocess
import sys
import weakref

import numpy as np
import pytest

import pyfusion as pf
from pyfusion import native
from pyfusion.dtypes import DTYPES
from pyfusion.ir.device import CPU
from pyfusion.ir.table import OPS
from pyfusion.ir.value import Value, concrete
from pyfusion.runtime import library, memory
from pyfusion.stream import Stream

pytestmark = pytest.mark.host
F32 = DTYPES["float32"]
STREAM = Stream()


def data(shape=(3,), dtype=F32):
    buffer = memory.allocate(64)
    return concrete(dtype, shape, buffer, buffer.ptr, None)


def queued(op, *args, attrs=None, dyn=(), dtype=F32):
    v = Value()
    v.shape, v.dtype, v.stream = (3,), dtype, STREAM
    v.record = (OPS[op], args, attrs, dyn, None)
    return v


def opened(queue):
    block = native.open_block(queue, "strict", CPU)
    about = (block.key, block.survivors, getattr(block, "dying", None), block.failed)
    native.close_block(block)
    return about


def key(queue):
    return opened(queue)[0]


# -- Blocks ----------------------------------------------------------------------------------------


def test_what_survives_is_told_by_references():
    x = data()
    a = queued("exp", x)
    queue = [a, queued("multiply", a, a), queued("add", a, 2.0)]
    assert opened(queue)[1] == [0]
    del a
    assert opened(queue)[1] == []
    again = [queue[1], queue[1], queue[2]]
    assert opened(queue)[1] == [1, 2]
    del again


def test_what_dies_has_no_other_reference_to_it_or_its_memory():
    def about(keep):
        x, y = data(), data()
        kept = {"": None, "x": x, "buffer": x.buffer, "view": native.view(x, False)}[keep]
        queue = [queued("add", x, x), queued("add", x, y)]
        del x, y
        found = opened(queue)[2]
        del kept
        return found

    assert about("") == [0, 1]
    assert [about(keep) for keep in ("x", "buffer", "view")] == [[1]] * 3
    mine = np.ones(3, np.float32)
    queue = [queued("exp", memory.adopt(mine, F32))]
    assert opened(queue)[2] == []  # it is not ours


def test_a_block_numbers_and_takes_the_numbers_back():
    x, y = data(), data()
    a = queued("slice", x, dyn=(1, 2, 3))
    b = queued("select", a, y, 0.5)
    c = queued("add", x, True)
    block = native.open_block([a, b, c], "fast", CPU)
    assert [v.slot for v in (a, b, c, x, y)] == [0, 1, 2, -2, -3]
    assert native.unclosed[-1] is block and native.unclosed[:-1] == []
    assert [id(v) for v in block.leaves] == [id(x), id(y)]
    assert (block.scalars, block.dyn, block.precision) == ([0.5, True], [1, 2, 3], "fast")
    a.stream = None
    native.close_block(block)
    native.close_block(block)
    assert [v.slot for v in (a, b, c, x, y)] == [-1] * 5
    assert native.unclosed == []
    assert a.record is None and b.record is not None


def test_equal_code_has_equal_keys_and_other_code_has_others():
    x, y, z, longer = data(), data(), data((3, 1)), data((7,))
    a = queued("exp", x)
    f64 = DTYPES["float64"]
    cases = [
        [queued("add", x, y)],
        [queued("add", x, x)],
        [queued("add", y, x), queued("add", y, x)],
        [queued("add", x, 1.0)],
        [queued("add", 1.0, x)],
        [queued("subtract", x, y)],
        [queued("add", x, y, dtype=f64)],
        [queued("add", x, z)],
        [queued("add", x, y, attrs=(True,))],
        [queued("add", x, y, attrs=(False,))],
        [a],
        [a, queued("add", a, x)],
        [a, queued("add", a, a)],
        [queued("select", x, y, x, y)],
        [queued("select", x, y, x)],
        [queued("select", x, y, x), queued("exp", y)],
        [queued("select", x, y), queued("exp", x, y)],
    ]
    keys = [opened(queue)[0] for queue in cases]
    for one, two in itertools.combinations(range(len(cases)), 2):
        assert keys[one] != keys[two], (one, two)
    assert keys == [opened(queue)[0] for queue in cases]
    # Sizes, scalars and bounds are arguments.
    assert key([queued("add", x, 1.0)]) == key([queued("add", longer, 2.0)])
    assert key([queued("slice", x, dyn=(0, 1))]) == key([queued("slice", x, dyn=(9, 9))])
    # What survives and what dies is not.
    assert key([a]) != key([queued("exp", x)])
    assert key([queued("exp", data())]) != key([queued("exp", x)])
    assert native.open_block([], "strict", CPU).key != native.open_block([], "fast", CPU).key
    for block in native.unclosed[:]:
        native.close_block(block)


def test_a_block_that_cannot_be_numbered_leaves_no_numbers():
    x = data()
    a = queued("exp", x)
    bad = queued("exp", a)
    cases = {
        "no operation": (None, (a,), None, (), None),
        "as a tuple": (OPS["exp"], {}, None, (), None),
        "no record": None,
        "not exist": (OPS["exp"], (queued("exp", x),), None, (), None),
    }
    for message, record in cases.items():
        bad.record = record
        with pytest.raises((TypeError, RuntimeError), match=message):
            native.open_block([a, bad], "strict", CPU)
        assert (x.slot, a.slot, bad.slot) == (-1, -1, -1) and native.unclosed == []
    with pytest.raises(TypeError, match="holds no value"):
        native.open_block([a, 1], "strict", CPU)
    with pytest.raises(TypeError, match="holds no value"):
        native.needed([a, 1])
    assert a.slot == -1


def test_a_failed_leaf_is_told():
    x = data()
    x.error = pf.ExecutionError("made to fail")
    assert opened([queued("exp", x)])[1:] == ([], None, True)


def test_what_is_needed():
    x = data()
    a = queued("exp", x)
    b = queued("exp", a)
    c = queued("add", b, b)
    d = queued("exp", b)
    queue = [a, b, c, d]
    assert native.needed(queue) == queue
    del a, c
    assert native.needed(queue) == queue[:2] + [d]
    del d
    assert native.needed(queue) == queue[:2]
    del b
    assert native.needed(queue) == []
    assert [v.slot for v in queue] == [-1] * 4


def test_a_flush_is_numbered_by_the_module(monkeypatch):
    seen = []
    real = native.open_block
    monkeypatch.setattr(native, "open_block", lambda *a: seen.append(real(*a)) or seen[-1])
    x = pf.asarray(np.ones(3, np.float32))
    assert np.asarray(x + 1).tolist() == [2] * 3
    assert len(seen) == 1 and seen[0].key[0] == "strict" and type(seen[0].key[2]) is bytes


# -- Values ----------------------------------------------------------------------------------------


def test_a_value_has_what_it_was_given():
    v = Value()
    assert v.slot == -1 and not hasattr(v, "desc") and not hasattr(v, "shape")
    v.ptr = 1 << 63
    assert v.ptr == 1 << 63
    with pytest.raises(AttributeError):
        v.other = 1
    assert "pending" in Value.__doc__ and Value.__module__ == "pyfusion.ir.value"


def test_layouts_are_told_apart_by_type_rank_ones_and_order():
    shapes = [(), (1,), (2,), (1, 1), (2, 1), (1, 2), (2, 2), *[(1,) * n for n in (9, 16, 64)]]
    kinds = list(itertools.product((F32, DTYPES["int32"]), shapes, (None, ())))
    descs = [concrete(d, s, None, 0, t).desc for d, s, t in kinds]
    assert len(set(descs)) == len(kinds)
    assert concrete(F32, (5, 1), None, 0, None).desc == concrete(F32, (2, 1), None, 0, None).desc


def test_strides_of_dense_data():
    assert concrete(F32, (2, 3), None, 0, None).strides is None
    shapes = [(), (5,), (2, 3, 4), (2, 0, 3), (0, 1 << 62, 8)]
    strides = [(), (1,), (12, 4, 1), (0, 3, 1), (0, 8, 1)]
    assert [native.contiguous_strides(s) for s in shapes[:4]] == strides[:4]
    assert native.contiguous_strides(shapes[4])[1:] == strides[4][1:]
    with pytest.raises(TypeError):
        native.contiguous_strides([1])


def test_cycles_of_values_are_collected():
    class Holder:
        pass

    holder = Holder()
    v = data()
    v.error = holder
    holder.v = v
    gone = weakref.ref(holder)
    in_use = library.load().counters()["bytes_in_use"]
    del holder, v
    gc.collect()
    assert gone() is None
    assert library.load().counters()["bytes_in_use"] < in_use


def test_a_long_chain_goes_without_recursion():
    v = data()
    for _ in range(100_000):
        v = queued("exp", v)
    del v


# -- Memory ----------------------------------------------------------------------------------------


def test_a_buffer_gives_its_memory_back_once():
    count = lambda: library.load().counters()["bytes_in_use"]  # noqa: E731
    gc.collect()
    before = count()
    buffer = native.allocate(1000)
    assert buffer.nbytes == 1000 and buffer.owner is None and buffer.device is CPU
    assert count() > before
    array = native.view(concrete(F32, (4,), buffer, buffer.ptr, None), True)
    array[:] = 1
    del buffer
    assert count() > before and array.sum() == 4
    del array
    assert count() == before
    with pytest.raises(ValueError, match="less than no bytes"):
        native.allocate(-1)


@pytest.mark.parametrize("name", sorted(DTYPES))
def test_views(name):
    dtype = DTYPES[name]
    base = np.arange(24).astype(dtype.numpy).reshape(4, 6)
    for array in (base, base[::2, ::-1], base.T, base[0], base[1, 2], base[:0], base[:, :0].T):
        value = memory.adopt(np.asarray(array), dtype)
        found = native.view(value, False)
        assert found.dtype == dtype.numpy and not found.flags.writeable
        assert found.base is value.buffer
        np.testing.assert_array_equal(found, array)
    wide = concrete(dtype, (2, 3), value.buffer, base.ctypes.data, (0, 1))
    np.testing.assert_array_equal(native.view(wide, False), np.broadcast_to(base[0, :3], (2, 3)))
    assert native.view(concrete(dtype, (0, 3), None, 0, None), False).shape == (0, 3)


def test_a_view_of_what_does_not_exist_is_refused():
    with pytest.raises(TypeError, match="a value that exists"):
        native.view(queued("exp", 1.0), False)
    with pytest.raises(TypeError, match="a value that exists"):
        native.view(np.ones(3), False)


# -- Launches --------------------------------------------------------------------------------------


def test_extents_are_ints_dimensions_or_slots():
    env = [data((4, 5)), 7]
    assert native.shape_of(env, [2, (0, 1), (1, None), (0, 0)]) == (2, 5, 7, 4)
    for extents, error in (
        ([(1, 0)], TypeError),
        ([(0, 2)], IndexError),
        ([(5, None)], IndexError),
    ):
        with pytest.raises(error):
            native.shape_of(env, extents)


def test_references_stay_as_they_are():
    x, y = pf.asarray(np.ones(16, np.float32)), pf.asarray(np.ones(16, np.float32))

    def run():
        for _ in range(2000):
            np.asarray(pf.exp(x * y) + 0.5).sum()

    run()
    shape, dtype = x._v.shape, F32.numpy
    watched = [x._v, x._v.buffer, shape, F32, dtype, CPU, OPS["add"], Value]
    if sys.version_info < (3, 12):  # later ones are immortal, whatever their counts
        watched += [None, True, False]
    gc.collect()
    before = [sys.getrefcount(o) for o in watched]
    run()
    gc.collect()
    after = [sys.getrefcount(o) for o in watched]
    assert all(abs(a - b) < 100 for a, b in zip(after, before, strict=True)), (before, after)


# -- Loading ---------------------------------------------------------------------------------------


def test_a_missing_module_is_an_error_that_says_what_to_do(tmp_path):
    environment = {**os.environ, "PYFUSION_NATIVE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", "import pyfusion"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: _core.abi3.so not found in") and str(tmp_path) in last
    assert "PYFUSION_NATIVE_DIR" in last


def test_a_module_of_another_version_is_refused(monkeypatch):
    monkeypatch.setattr(native, "_VERSION", 0)
    with pytest.raises(ImportError, match="this package needs 0"):
        native._load()
