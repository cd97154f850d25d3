# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other libraries on GPUs that are none; see `fake_gpu.py`."""

import numpy as np
import pytest
from fake_gpu import Capsule, Copy, Foreign, data

import pyfusion as pf

pytestmark = pytest.mark.host


def test_dlpack_out(gpu):
    x = pf.asarray(data(4, 3), device="cuda:1")
    assert x.__dlpack_device__() == (2, 1)
    assert pf.ones(3).__dlpack_device__() == (1, 0)
    seen = np.from_dlpack(Capsule(x))
    np.testing.assert_array_equal(seen, data(4, 3))
    assert seen.ctypes.data == x._v.ptr
    assert ("export", 5) in gpu.waits
    host = np.from_dlpack(x, device="cpu")
    np.testing.assert_array_equal(host, data(4, 3))
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    fresh = np.from_dlpack(Copy(x))
    assert fresh.ctypes.data != x._v.ptr


@pytest.mark.parametrize("dlpack", [True, False])
def test_foreign_memory_is_used_in_place_and_read_only(gpu, dlpack):
    n = data(5, 6)
    x = pf.asarray(Foreign(n.T, dlpack))
    assert (x.device, x.shape, x._v.ptr) == ("cuda:0", (6, 5), n.ctypes.data)
    before = n.copy()
    x = x * 2  # the last reference: but the memory is not ours
    pf.sync()
    np.testing.assert_array_equal(n, before)
    np.testing.assert_array_equal(np.asarray(x), before.T * 2)
    copied = pf.asarray(Foreign(n, dlpack), copy=True)
    n[:] = 0
    np.testing.assert_array_equal(np.asarray(copied), before)
    assert pf.asarray(Foreign(before, dlpack), device="cpu").device == "cpu"


def test_cuda_array_interface(gpu):
    x = pf.asarray(data(4, 3), device="cuda")
    about = x.T.__cuda_array_interface__
    assert about["shape"] == (3, 4) and about["strides"] == (4, 12)
    assert about["data"] == (x._v.ptr, True)
    assert about["stream"] == 1 and about["version"] == 3
    assert not hasattr(pf.ones(3), "__cuda_array_interface__")
    assert not hasattr(pf.ones(3, "bfloat16", device="cuda"), "__cuda_array_interface__")


def test_stream_0_of_the_cuda_array_interface(gpu):
    given = Foreign(data(3), dlpack=False)
    given.__cuda_array_interface__["stream"] = 0
    with pytest.raises(ValueError, match="stream 0, which the interface forbids"):
        pf.asarray(given)


@pytest.mark.parametrize("dlpack", [True, False])
def test_memory_that_is_not_aligned_to_its_elements(gpu, dlpack):
    raw = np.zeros(36, np.uint8)
    start = 4 + -raw.ctypes.data % 8
    with pytest.raises(ValueError, match="not aligned to elements of int64: copy it"):
        pf.asarray(Foreign(raw[start : start + 24].view(np.int64), dlpack))
