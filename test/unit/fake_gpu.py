# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPUs that are none: memory of the host under another name, kernels compiled for the CPU.

They go through all that Python does for a GPU: devices, blocks, memory, transfers, launches. What
makes their kernels, `HostMaker`, is put in the place of the maker of real ones.
"""

import ctypes
from contextlib import contextmanager, suppress

import numpy as np

from pyfusion import client
from pyfusion.backends.on_device import on_device
from pyfusion.compile import makers
from pyfusion.compile.gpu import GpuMaker, GpuReader
from pyfusion.compile.program import Reader
from pyfusion.errors import ExecutionError, PyfusionError
from pyfusion.runtime import devices, library

POISON = 0xAB


class Memory:
    """Bytes that are overwritten when they are given back, so that a later read shows."""

    def __init__(self, backend, nbytes):
        self.bytes = np.full(nbytes + 64, POISON, np.uint8)
        self.ptr = -(-self.bytes.ctypes.data // 64) * 64
        self.nbytes = nbytes
        self.backend = backend
        backend.in_use += nbytes

    def __del__(self):
        self.bytes[:] = POISON
        self.backend.in_use -= self.nbytes


class FakeArray(np.ndarray):
    """An array of the library: the owner of its memory and its device stay with it."""

    def __array_finalize__(self, other):
        self.place = getattr(other, "place", None)
        self.owner = getattr(other, "owner", None)


class HostKernel:
    """A kernel of the CPU with the interface of `GpuKernel`."""

    def __init__(self, backend, handle):
        self.backend = backend
        self.handle = handle

    def scratch(self, words):
        return 256

    def launch(self, words, stream=0, scratch=0):
        backend = self.backend
        backend.launches.append((stream, scratch))
        if backend.fail_at == len(backend.launches):
            raise ExecutionError("kernel_0: launch failed: injected")
        assert library.pf_launch(self.handle, ctypes.addressof(words)) == 0


class HostReader(GpuReader):
    """Launches of a GPU, with operands as kernels of the CPU take them."""

    _is_dense = Reader._is_dense
    _operand_spec = Reader._operand_spec
    _about = Reader._about


class HostMaker(GpuMaker):
    """Kernels of the CPU for the steps of a GPU."""

    cpu = makers.CpuMaker()

    def phases(self, device):
        return makers.pipelines("cpu")

    def reader(self, *about):
        return HostReader(*about, self.step)

    def engine(self, module):
        return self.cpu.engine(module)

    def kernel(self, engine, device, *about):
        return HostKernel(device.runtime.backend, self.cpu.kernel(engine, device, *about))


class FakeBackend:
    """Implements `DeviceBackend`; `fail_at`: the number of the launch that fails; `error`: what
    operations raise."""

    name = "fake"

    def __init__(self, kind="cuda", count=2, capacity=1 << 30):
        self.kind = kind
        self.devices = count
        self.device = 0
        self.capacity = capacity
        self.in_use = 0
        self.launches = []
        self.fail_at = 0
        self.error = None
        self.waits = []
        self.streams = {}
        self.archs = {"cuda": "9.0", "rocm": "gfx942:sramecc+:xnack-"}

    def count(self):
        return self.devices

    def current(self):
        return self.device

    def arch(self, index):
        return self.archs[self.kind]

    def stream(self, index):
        return self.streams.get(index, 0)

    def wait(self, index, stream):
        self.waits.append(("wait", index, stream))

    def wait_for(self, index, stream):
        self.waits.append(("wait_for", index, stream))

    def synchronize(self, index):
        self.waits.append(("synchronize", index))

    def allocate(self, index, nbytes):
        if self.in_use + nbytes > self.capacity:
            raise MemoryError(f"out of memory: {nbytes} bytes")
        memory = Memory(self, nbytes)
        return memory.ptr, memory

    def upload(self, index, array):
        ptr, memory = self.allocate(index, array.nbytes)
        ctypes.memmove(ptr, array.ctypes.data, array.nbytes)
        return ptr, memory

    def download(self, index, ptr, nbytes):
        found = np.empty(nbytes, np.uint8)
        ctypes.memmove(found.ctypes.data, ptr, nbytes)
        return found

    def array(self, index, ptr, shape, dtype, strides, owner):
        item = dtype.itemsize
        spans = [(n - 1) * s * item for n, s in zip(shape, strides, strict=True)]
        low = sum(s for s in spans if s < 0) if 0 not in shape else 0
        high = sum(s for s in spans if s > 0) if 0 not in shape else 0
        flat = (ctypes.c_uint8 * (high - low + item)).from_address(ptr + low)
        found = FakeArray(shape, dtype, flat, -low, [s * item for s in strides])
        found.place, found.owner = index, owner
        return found

    def memory(self, array):
        strides = tuple([s // array.dtype.itemsize for s in array.strides])
        return array.ctypes.data, array.shape, array.dtype, strides, array.place

    def owns(self, array):
        return isinstance(array, FakeArray)

    def contiguous(self, array):
        return self.placed(np.array(array), array.place)

    def assign(self, target, source):
        target[...] = source

    def placed(self, array, index):
        """A new array of the library with the elements of one of NumPy."""
        array = np.ascontiguousarray(array).reshape(np.shape(array))
        ptr, memory = self.upload(index, array)
        steps = tuple([s // array.itemsize for s in array.strides])
        return self.array(index, ptr, array.shape, array.dtype, steps, memory)

    def imported(self, given, dlpack):
        if dlpack:
            found = np.from_dlpack(given).view(FakeArray)
            found.place = given.__dlpack_device__()[1]
        else:
            about = given.__cuda_array_interface__
            holder = type("Holder", (), {"__array_interface__": about})()
            found = np.asarray(holder).view(FakeArray)
            found.place = self.device
        found.owner = given
        return found

    def exported(self, array, stream, max_version):
        self.waits.append(("export", stream))
        return np.asarray(array).__dlpack__(max_version=max_version)

    def runs(self, function, args, options):
        return function.__name__ in on_device("cupy")

    def run(self, function, args, options):
        if self.error is not None:
            raise self.error
        index = _index(args)
        result = function(*_plain(args), **options)
        if isinstance(result, (tuple, list)):
            return tuple([self.placed(r, index) for r in result])
        return self.placed(result, index)


def _plain(item):
    if isinstance(item, FakeArray):
        return np.asarray(item)
    return [_plain(i) for i in item] if isinstance(item, list) else item


def _index(item):
    if isinstance(item, FakeArray):
        return item.place
    found = [_index(i) for i in item] if isinstance(item, list) else []
    return next((i for i in found if i is not None), None)


class Foreign:
    """An array of somebody else's library on a GPU, that speaks DLPack or the CUDA interface."""

    def __init__(self, array, dlpack=True):
        self.array = array
        if dlpack:
            self.__dlpack__ = array.__dlpack__
            self.__dlpack_device__ = lambda: (2, 0)
        else:
            self.__cuda_array_interface__ = dict(array.__array_interface__, version=3)


@contextmanager
def fake_gpus(maker=None, **options):
    """Has a `FakeBackend` own the devices "cuda:0" and "cuda:1", with kernels of a `HostMaker`."""
    backend = FakeBackend(**options)
    devices.use_backend(backend.kind, backend)
    before = makers.MAKERS.pop(backend.kind, None)
    makers.MAKERS[backend.kind] = maker or HostMaker()
    try:
        yield backend
    finally:
        with suppress(PyfusionError, MemoryError):  # what is still queued
            client.sync()
        devices.use_backend(backend.kind, None)
        makers.MAKERS.pop(backend.kind)
        if before is not None:
            makers.MAKERS[backend.kind] = before


def data(*shape):
    """Normal numbers, the same each time."""
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


class Capsule:
    """What a consumer of the host sees of a fake GPU's array."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **options):
        return self.x.__dlpack__(max_version=(1, 0), stream=5)

    def __dlpack_device__(self):
        return (1, 0)


class Copy(Capsule):
    def __dlpack__(self, **options):
        return self.x.__dlpack__(copy=True)
