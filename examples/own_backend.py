# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A backend of one's own: arrays that live in files, so that more fits than the memory holds.

python examples/own_backend.py

What is recorded is compiled for the CPU, since the files are mapped into the host's memory; what
the compiler does not know goes to `execute`.
"""

import tempfile
from pathlib import Path

import numpy as np

import pyfusion as pf
from pyfusion.backends.numpy_backend import NumpyBackend


class Files:
    """Implements `pyfusion.backends.protocols.FusionBackend`."""

    name = "files"
    host_memory = True

    def __init__(self, folder):
        self.folder = Path(folder)
        self.written = 0
        self.ran = []
        self._numpy = NumpyBackend()

    def _in_a_file(self, array):
        path = self.folder / f"{self.written}.bin"
        self.written += 1
        mapped = np.memmap(path, array.dtype, "w+", shape=array.shape or (1,))
        mapped[...] = array
        path.unlink()  # the map keeps it until the array goes
        return np.asarray(mapped).reshape(array.shape)

    def from_numpy(self, array):
        known = isinstance(array.base, np.memmap) or not array.size or not array.flags.writeable
        return array if known else self._in_a_file(array)

    def to_numpy(self, array):
        return array

    def describe(self, array):
        return array.shape, array.dtype

    def execute(self, op, args, attrs, dyn, shape, dtype):
        self.ran.append(op.name)
        result = self._numpy.execute(op, args, attrs, dyn, shape, dtype)
        return self._in_a_file(result) if result.size else result


def main():
    with tempfile.TemporaryDirectory() as folder, pf.Fusion(Files(folder)) as fused:
        x = fused.asarray(np.linspace(0, 1, 1_000_000, dtype=np.float32))
        with pf.testing.inspect() as report:
            y = pf.sqrt(x * 2 + 1)  # one kernel, on the mapped file
        z = pf.nextafter(y, 0.0)  # not compiled: the backend's
        print(f"{x.device}: sum {float(z.sum()):.0f}, {report.kernels} kernel")
        print(f"the backend ran {fused.backend.ran}, {fused.backend.written} files")


if __name__ == "__main__":
    main()
